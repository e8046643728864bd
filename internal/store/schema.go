package store

// Version is the version of the schema that this program writes, PRAGMA user_version of a store. docs/store.md describes it.
const Version = 3

// applicationID tells a store from other SQLite databases: "dbch".
const applicationID = 0x64626368

// schema1 is the first version. Names of columns are those of the document in the manner of SQL; times are UTC, of one
// length, so that they sort as text.
const schema1 = `
CREATE TABLE studies (
	id         INTEGER PRIMARY KEY AUTOINCREMENT,
	name       TEXT NOT NULL UNIQUE,
	question   TEXT NOT NULL DEFAULT '',
	created_at TEXT NOT NULL
) STRICT;

CREATE TABLE runs (
	id                 INTEGER PRIMARY KEY AUTOINCREMENT,
	uuid               TEXT NOT NULL UNIQUE,
	hash               TEXT NOT NULL,
	recorded_at        TEXT NOT NULL,
	started_at         TEXT NOT NULL,
	note               TEXT NOT NULL DEFAULT '',
	study_id           INTEGER REFERENCES studies(id) ON DELETE SET NULL,
	scenario           TEXT NOT NULL DEFAULT '',
	round              INTEGER NOT NULL DEFAULT 0,
	position           INTEGER NOT NULL DEFAULT 0,
	tool_version       TEXT NOT NULL,
	called_as          TEXT NOT NULL,
	workload           TEXT NOT NULL,
	sql                INTEGER NOT NULL,
	threads            INTEGER NOT NULL,
	tables             INTEGER,
	table_size         INTEGER,
	layout             TEXT NOT NULL,
	transport          TEXT NOT NULL,
	server_version     TEXT NOT NULL,
	server_address     TEXT NOT NULL,
	options_hash       TEXT NOT NULL,
	rate               REAL,
	end_reason         TEXT NOT NULL,
	end_error          TEXT NOT NULL,
	exit_code          INTEGER NOT NULL,
	elapsed_seconds    REAL NOT NULL,
	measured_seconds   REAL NOT NULL,
	events             INTEGER NOT NULL,
	queries            INTEGER NOT NULL,
	reads              INTEGER NOT NULL,
	writes             INTEGER NOT NULL,
	others             INTEGER NOT NULL,
	errors             INTEGER NOT NULL,
	reconnects         INTEGER NOT NULL,
	restarts           INTEGER NOT NULL,
	tps                REAL NOT NULL,
	qps                REAL NOT NULL,
	latency_min_ns     INTEGER,
	latency_mean_ns    REAL,
	latency_p50_ns     INTEGER,
	latency_p95_ns     INTEGER,
	latency_p99_ns     INTEGER,
	latency_p999_ns    INTEGER,
	latency_max_ns     INTEGER,
	client_cpu_seconds REAL NOT NULL,
	client_limit       TEXT NOT NULL,
	warnings           INTEGER NOT NULL
) STRICT;
CREATE INDEX runs_hash ON runs(hash);
CREATE INDEX runs_workload ON runs(workload, threads);
CREATE INDEX runs_study ON runs(study_id);

CREATE TABLE documents (
	run_id  INTEGER PRIMARY KEY REFERENCES runs(id) ON DELETE CASCADE,
	bytes   INTEGER NOT NULL,
	content BLOB NOT NULL
) STRICT;

CREATE TABLE tags (
	run_id INTEGER NOT NULL REFERENCES runs(id) ON DELETE CASCADE,
	key    TEXT NOT NULL,
	value  TEXT NOT NULL,
	PRIMARY KEY (run_id, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX tags_value ON tags(key, value);

CREATE TABLE options (
	run_id INTEGER NOT NULL REFERENCES runs(id) ON DELETE CASCADE,
	name   TEXT NOT NULL,
	value  TEXT NOT NULL,
	given  INTEGER NOT NULL,
	PRIMARY KEY (run_id, name)
) STRICT, WITHOUT ROWID;

CREATE TABLE series (
	run_id          INTEGER NOT NULL REFERENCES runs(id) ON DELETE CASCADE,
	number          INTEGER NOT NULL,
	end_seconds     REAL NOT NULL,
	length_seconds  REAL NOT NULL,
	warmup          INTEGER NOT NULL,
	threads         INTEGER NOT NULL,
	events          INTEGER NOT NULL,
	queries         INTEGER NOT NULL,
	reads           INTEGER NOT NULL,
	writes          INTEGER NOT NULL,
	others          INTEGER NOT NULL,
	errors          INTEGER NOT NULL,
	reconnects      INTEGER NOT NULL,
	restarts        INTEGER NOT NULL,
	latency_min_ns  INTEGER,
	latency_mean_ns REAL,
	latency_p50_ns  INTEGER,
	latency_p95_ns  INTEGER,
	latency_p99_ns  INTEGER,
	latency_p999_ns INTEGER,
	latency_max_ns  INTEGER,
	waiting         INTEGER,
	running         INTEGER,
	PRIMARY KEY (run_id, number)
) STRICT, WITHOUT ROWID;

CREATE TABLE histograms (
	run_id INTEGER NOT NULL REFERENCES runs(id) ON DELETE CASCADE,
	kind   TEXT NOT NULL,
	name   TEXT NOT NULL DEFAULT '',
	count  INTEGER NOT NULL,
	sum_ns INTEGER NOT NULL,
	hdr    TEXT NOT NULL,
	PRIMARY KEY (run_id, kind, name)
) STRICT;

CREATE TABLE errors (
	run_id    INTEGER NOT NULL REFERENCES runs(id) ON DELETE CASCADE,
	code      INTEGER NOT NULL,
	sql_state TEXT NOT NULL,
	count     INTEGER NOT NULL,
	first     TEXT NOT NULL,
	PRIMARY KEY (run_id, code, sql_state)
) STRICT, WITHOUT ROWID;

CREATE TABLE facts (
	run_id INTEGER NOT NULL REFERENCES runs(id) ON DELETE CASCADE,
	scope  TEXT NOT NULL,
	name   TEXT NOT NULL,
	value  TEXT NOT NULL,
	PRIMARY KEY (run_id, scope, name)
) STRICT, WITHOUT ROWID;

CREATE TABLE costs (
	run_id INTEGER NOT NULL REFERENCES runs(id) ON DELETE CASCADE,
	scope  TEXT NOT NULL,
	name   TEXT NOT NULL,
	value  REAL NOT NULL,
	PRIMARY KEY (run_id, scope, name)
) STRICT, WITHOUT ROWID;
`

// schema2 adds the texts of warnings, of which version 1 had the number only.
const schema2 = `
CREATE TABLE warnings (
	run_id INTEGER NOT NULL REFERENCES runs(id) ON DELETE CASCADE,
	number INTEGER NOT NULL,
	text   TEXT NOT NULL,
	PRIMARY KEY (run_id, number)
) STRICT, WITHOUT ROWID;
`
