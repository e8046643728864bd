package preflight

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"strings"
	"testing"

	"deltabench/internal/sqldb"
)

// roomy is a server that has enough of everything.
func roomy(with Facts) Facts {
	f := Facts{
		maxConns: 1000, connected: 10, maxStmts: 16382, preparedN: 0, tableCache: 2000, instances: 1, filesLimit: 10000,
		openFiles: 20, privileged: 0, ownLimit: 0, userLimit: 0,
	}
	maps.Copy(f, with)
	return f
}

// negative is a number that should not be there.
var negative = regexp.MustCompile(`[ =]-\d`)

func TestCheck(t *testing.T) {
	t.Parallel()
	plan := func(threads int) Plan { return Plan{Threads: threads, Tables: 10, PerTable: 9, Other: 2, Optional: 1} }
	for _, tc := range []struct {
		name   string
		plan   Plan
		facts  Facts
		client Client
		want   string // rules, the fatal ones with !
	}{
		{"enough", plan(64), roomy(nil), Client{FileLimit: 1024, OwnFiles: 32, Ports: 28232}, ""},
		{"nothing known", plan(100000), Facts{}, Client{}, ""},
		{"no need", Plan{Threads: 1}, roomy(Facts{maxStmts: 0, tableCache: 0}), Client{}, ""},

		{"connections fit", plan(90), roomy(Facts{maxConns: 100}), Client{}, ""},
		{"one too many", plan(91), roomy(Facts{maxConns: 100}), Client{}, "max_connections!"},
		{"one too many of an administrator", plan(91), roomy(Facts{maxConns: 100, privileged: 1}), Client{}, "max_connections"},
		{"two too many of an administrator", plan(92), roomy(Facts{maxConns: 100, privileged: 1}), Client{}, "max_connections!"},
		{"more in use than allowed", plan(1), roomy(Facts{maxConns: 5}), Client{}, "max_connections!"},

		{"an account's limit", plan(5), roomy(Facts{ownLimit: 4}), Client{}, "max_user_connections!"},
		{"an account's limit of an administrator", plan(5), roomy(Facts{ownLimit: 4, privileged: 1}), Client{}, "max_user_connections!"},
		{"the limit for all", plan(5), roomy(Facts{ownLimit: 4, userLimit: 4}), Client{}, "max_user_connections!"},
		{"the limit for all and an administrator", plan(5), roomy(Facts{ownLimit: 4, userLimit: 4, privileged: 1}), Client{}, ""},
		{"an account's connections in use", plan(3), roomy(Facts{ownLimit: 4, ownInUse: 2}), Client{}, "max_user_connections!"},
		{"an account's limit fits", plan(2), roomy(Facts{ownLimit: 4, ownInUse: 2}), Client{}, ""},

		{"statements fit", plan(10), roomy(Facts{maxStmts: 920}), Client{}, ""},
		{"if BEGIN is not prepared", plan(10), roomy(Facts{maxStmts: 919}), Client{}, "max_prepared_stmt_count"},
		{"not even then", plan(10), roomy(Facts{maxStmts: 909}), Client{}, "max_prepared_stmt_count!"},
		{"statements in use", plan(10), roomy(Facts{maxStmts: 920, preparedN: 11}), Client{}, "max_prepared_stmt_count!"},
		{"statements that are not counted", Plan{Threads: 900, Tables: 1}, roomy(Facts{maxStmts: 0}), Client{}, ""},
		{"many", Plan{Threads: 1000, Tables: 1 << 31, PerTable: 9}, roomy(Facts{maxConns: 5000, tableCache: 1 << 60, filesLimit: 1 << 40}), Client{}, "max_prepared_stmt_count!"},

		{"tables fit", Plan{Threads: 20, Tables: 100}, roomy(nil), Client{}, ""},
		{"tables", Plan{Threads: 21, Tables: 100}, roomy(nil), Client{}, "table_open_cache"},
		{"tables of an instance", Plan{Threads: 17, Tables: 100}, roomy(Facts{instances: 16}), Client{}, "table_open_cache"},

		{"server's files", plan(64), roomy(Facts{filesLimit: 103}), Client{}, "open_files_limit"},
		{"server's files fit", plan(64), roomy(Facts{filesLimit: 104}), Client{}, ""},
		{"not even the connections", plan(64), roomy(Facts{filesLimit: 73}), Client{}, "open_files_limit!"},

		{"own files", plan(64), roomy(nil), Client{FileLimit: 95, OwnFiles: 32}, "ulimit -n!"},
		{"own files fit", plan(64), roomy(nil), Client{FileLimit: 96, OwnFiles: 32}, ""},
		{"ports", plan(64), roomy(nil), Client{Ports: 63, PortRange: "1 63"}, "local ports!"},
		{"ports fit", plan(64), roomy(nil), Client{Ports: 64, PortRange: "1 64"}, ""},

		{"fatal ones first", Plan{Threads: 91, Tables: 100}, roomy(Facts{maxConns: 100, tableCache: 10}), Client{FileLimit: 10}, "max_connections! ulimit -n! table_open_cache"},
	} {
		var got []string
		for _, f := range Check(tc.plan, []Server{{Threads: tc.plan.Threads, TCP: true, Facts: tc.facts}}, tc.client) {
			rule := f.Rule
			if f.Fatal {
				rule += "!"
			}
			got = append(got, rule)
			if f.Text == "" || f.Fix == "" || strings.Contains(f.Text+f.Fix, "--threads=0") || negative.MatchString(f.Text) {
				t.Errorf("%s: %+v", tc.name, f)
			}
		}
		if g := strings.Join(got, " "); g != tc.want {
			t.Errorf("%s: got %q, want %q", tc.name, g, tc.want)
		}
	}
}

func TestPortsAreForTCP(t *testing.T) {
	t.Parallel()
	p := Plan{Threads: 100}
	if f := Check(p, []Server{{Threads: 100, Facts: Facts{}}}, Client{Ports: 10}); len(f) > 0 {
		t.Errorf("sockets need no ports: %+v", f)
	}
	// Each address has all ports of its own.
	two := []Server{{Name: "a", Threads: 50, TCP: true}, {Name: "b", Threads: 50, TCP: true}}
	if f := Check(p, two, Client{Ports: 50}); len(f) > 0 {
		t.Errorf("two addresses: %+v", f)
	}
	f := Check(p, two, Client{Ports: 49, PortRange: "1 49"})
	if len(f) != 2 || !strings.HasSuffix(f[1].Text, "(b)") {
		t.Errorf("two addresses with too few ports: %+v", f)
	}
}

func TestMissing(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		facts Facts
		want  string
	}{
		{roomy(nil), ""},
		{Facts{}, "max_connections, max_prepared_stmt_count, table_open_cache, open_files_limit"},
		{Facts{maxConns: 1, maxStmts: 1, preparedN: 1, tableCache: 1, filesLimit: 1}, "max_connections, open_files_limit"},
	} {
		if got := (Server{Facts: tc.facts}).Missing(); got != tc.want {
			t.Errorf("%v: got %q, want %q", tc.facts, got, tc.want)
		}
	}
}

// script is a connection that answers what it was told to.
type script struct {
	sqldb.Conn
	answers map[string][][]string // by the start of a statement
	err     map[string]error
	asked   []string
}

func (s *script) Query(text string, rows sqldb.RowFunc) (sqldb.Result, error) {
	s.asked = append(s.asked, text)
	for start, err := range s.err {
		if strings.HasPrefix(text, start) {
			return sqldb.Result{}, err
		}
	}
	for start, answer := range s.answers {
		if !strings.HasPrefix(text, start) {
			continue
		}
		for _, row := range answer {
			var cells [][]byte
			for _, c := range row {
				cells = append(cells, []byte(c))
			}
			if err := rows(cells); err != nil {
				return sqldb.Result{}, err
			}
		}
	}
	return sqldb.Result{}, nil
}

func TestRead(t *testing.T) {
	t.Parallel()
	denied := &sqldb.Error{Code: 1227}
	answers := map[string][][]string{
		"SHOW GLOBAL VARIABLES":     {{"max_connections", "151"}, {"Table_open_cache", "x"}, {"odd"}},
		"SHOW GLOBAL STATUS":        {{"Threads_connected", "3"}, {"Prepared_stmt_count", "7"}},
		"SELECT @@max_user":         {{"5"}},
		"SELECT COUNT(*)":           {{"2"}},
		"SHOW GRANTS":               {{"GRANT USAGE ON *.* TO `a`@`%`"}, {"GRANT ALL PRIVILEGES ON `db`.* TO `a`@`%`"}},
		"SHOW GRANTS but of others": nil,
	}
	for _, tc := range []struct {
		name string
		err  map[string]error
		want Facts
	}{
		{"all", nil, Facts{maxConns: 151, connected: 2, preparedN: 7, ownLimit: 5, ownInUse: 1, privileged: 0}},
		{"denied", map[string]error{"SHOW GLOBAL STATUS": denied, "SHOW GRANTS": denied}, Facts{maxConns: 151, ownLimit: 5, ownInUse: 1}},
	} {
		got, err := Read(&script{answers: answers, err: tc.err})
		if err != nil || !maps.Equal(got, tc.want) {
			t.Errorf("%s: got %v, %v, want %v", tc.name, got, err, tc.want)
		}
	}
	silent := &script{err: map[string]error{"SHOW GLOBAL VARIABLES": sqldb.ErrInterrupted}}
	if _, err := Read(silent); !errors.Is(err, sqldb.ErrInterrupted) || len(silent.asked) != 1 {
		t.Errorf("a server without an answer: %v after %d questions", err, len(silent.asked))
	}
}

func TestAdministrators(t *testing.T) {
	t.Parallel()
	for grant, want := range map[string]bool{
		"GRANT ALL PRIVILEGES ON *.* TO `a`@`%` WITH GRANT OPTION":             true,
		"GRANT SELECT, SUPER ON *.* TO 'a'@'%'":                                true,
		"GRANT CONNECTION ADMIN ON *.* TO `a`@`%`":                             true,
		"GRANT APPLICATION_PASSWORD_ADMIN,CONNECTION_ADMIN ON *.* TO `a`@`%`":  true,
		"GRANT ALL PRIVILEGES ON `db`.* TO `a`@`%`":                            false,
		"GRANT SELECT ON *.* TO `SUPER`@`%`":                                   false,
		"GRANT USAGE ON *.* TO `a`@`%` IDENTIFIED BY PASSWORD '*SUPER ON *.*'": false,
	} {
		if got := administrator.MatchString(grant); got != want {
			t.Errorf("%s: got %v", grant, got)
		}
	}
}

// The advice is enough: with what is advised the rule is silent.
func TestAdviceIsEnough(t *testing.T) {
	t.Parallel()
	p := Plan{Threads: 300, Tables: 20, PerTable: 9, Other: 2}
	s := Server{Threads: 300, Facts: roomy(Facts{maxConns: 100, maxStmts: 100, tableCache: 100, instances: 8})}
	for _, f := range Check(p, []Server{s}, Client{}) {
		var name string
		var n int64
		if i := strings.Index(f.Fix, "SET GLOBAL "); i < 0 {
			t.Errorf("no statement in %q", f.Fix)
		} else if _, err := fmt.Sscanf(f.Fix[i:], "SET GLOBAL %s = %d", &name, &n); err != nil || name != f.Rule {
			t.Errorf("%q: %s, %v", f.Fix, name, err)
		}
		s.Facts[name] = n
	}
	if f := Check(p, []Server{s}, Client{}); len(f) != 0 {
		t.Errorf("with what was advised: %+v", f)
	}
}
