package study

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

const initialHead = `# A study of deltabench. Every key is explained in docs/studies.md; 'deltabench study plan FILE' says what it would do.
study: my-study
question: Does a larger buffer pool make reads faster?
`

const initialTail = `data: {workload: oltp_read_only, tables: 4, table_size: 100000}
workloads: [oltp_read_only]
threads: [1, 8, 32]
time: 30s
rounds: 8          # a verdict needs 5; 8 is what two scenarios should have
`

var initials = map[string]string{
	"managed": initialHead + `targets:
  - name: server
    managed:
      server: auto # the mysqld or mariadbd on the PATH; or a path
` + initialTail + `scenarios:
  - {name: small, baseline: true, server: {innodb_buffer_pool_size: 128M}}
  - {name: large, server: {innodb_buffer_pool_size: 512M}}
`,
	"external": initialHead + `targets:
  - name: server
    external:
      dsn: {host: 127.0.0.1, user: sbtest, db: sbtest, password_env: MYSQL_PWD}
      # hooks: {restart: "systemctl restart mysql"}   # allows server options, and state: restart
` + initialTail + `scenarios:
  - {name: before, baseline: true}
  - {name: after, globals: {innodb_adaptive_hash_index: "ON"}}   # put back after every scenario
`,
	"embedded": strings.Replace(initialHead, "Does a larger buffer pool make reads faster?", "Are prepared statements faster than text ones?", 1) + `targets:
  - name: server
    embedded: {} # for seeing how studies work; not a MySQL
` + strings.Replace(strings.Replace(strings.Replace(initialTail, "30s", "3s", 1), "tables: 4, table_size: 100000", "table_size: 1000", 1), "[1, 8, 32]", "[1, 4]", 1) + `scenarios:
  - {name: prepared, baseline: true}
  - {name: text, options: {db-ps-mode: disable}}
`,
}

// Initial is the text of a study file to start from: managed, external or embedded.
func Initial(kind string) (string, error) {
	text, ok := initials[kind]
	if !ok {
		return "", fmt.Errorf("there is no target '%s'; there are managed, external, embedded", kind)
	}
	return text, nil
}

// RunOptions are the options that a recorded run was given, by their names with underscores.
type RunOptions struct {
	Source  string // for people
	Test    string
	Threads int
	SQL     bool
	Options map[string]string
}

// address are the options that say where a run went.
var address = []string{"mysql_host", "mysql_port", "mysql_socket", "mysql_user", "mysql_db"}

// FromRuns is the text of a study file that repeats runs: those of the same options are one scenario, the first one's is the
// baseline. They must be of one workload on one server, and differ in options only.
func FromRuns(runs []RunOptions) (string, error) {
	if len(runs) == 0 {
		return "", errors.New("no run is named")
	}
	first := runs[0]
	var threads []int
	type group struct{ options map[string]string }
	var groups []group
	for _, r := range runs {
		switch {
		case !r.SQL:
			return "", fmt.Errorf("%s is of the test %s, which uses no server", r.Source, r.Test)
		case r.Test != first.Test:
			return "", fmt.Errorf("%s is of %s and %s of %s: a study made from runs has one workload", first.Source, first.Test, r.Source, r.Test)
		}
		for _, name := range address {
			if r.Options[name] != first.Options[name] {
				return "", fmt.Errorf("%s and %s went to different servers (--%s=%s, %s): write the file by hand", first.Source, r.Source, strings.ReplaceAll(name, "_", "-"), first.Options[name], r.Options[name])
			}
		}
		if !slices.Contains(threads, r.Threads) {
			threads = append(threads, r.Threads)
		}
		options := map[string]string{}
		for name, value := range r.Options {
			_, ownKey := ours[strings.ReplaceAll(name, "_", "-")]
			if !ownKey && !slices.Contains([]string{"tables", "table_size", "target", "db_driver", "html"}, name) && !strings.HasPrefix(name, "report") {
				options[name] = value
			}
		}
		if !slices.ContainsFunc(groups, func(g group) bool { return maps.Equal(g.options, options) }) {
			groups = append(groups, group{options})
		}
	}
	slices.Sort(threads)
	common := map[string]string{}
	for name, value := range groups[0].options {
		if !slices.ContainsFunc(groups, func(g group) bool { return g.options[name] != value }) {
			common[name] = value
		}
	}
	var b strings.Builder
	say := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	var sources []string
	for _, r := range runs {
		sources = append(sources, r.Source)
	}
	say("# Made from %s.", strings.Join(sources, ", "))
	say("study: from-runs")
	say("question: What do the options of these runs change?")
	say("targets:")
	if first.Options["target"] == "embedded" {
		say("  - {name: server, embedded: {}}")
	} else {
		dsn := []string{"user: " + quoted(orElse(first.Options["mysql_user"], "sbtest")), "db: " + quoted(orElse(first.Options["mysql_db"], defaultSchema)), "password_env: MYSQL_PWD"}
		if s := first.Options["mysql_socket"]; s != "" {
			dsn = append(dsn, "socket: "+quoted(s))
		} else {
			dsn = append(dsn, "host: "+quoted(orElse(first.Options["mysql_host"], "localhost")), "port: "+orElse(first.Options["mysql_port"], "3306"))
		}
		say("  - name: server")
		say("    external: {dsn: {%s}}", strings.Join(dsn, ", "))
	}
	data := ""
	if slices.Contains(bundled, first.Test) {
		data = "workload: " + first.Test + ", "
	} else {
		data = "script: " + quoted(first.Test) + ", "
	}
	say("data: {%stables: %s, table_size: %s}", data, orElse(first.Options["tables"], "1"), orElse(first.Options["table_size"], strconv.Itoa(defaultTableSize)))
	workload := "test: " + first.Test
	if !slices.Contains(bundled, first.Test) {
		workload = "script: " + quoted(first.Test)
	}
	say("workloads:")
	say("  - {%s%s}", workload, optionsText(common, nil))
	say("threads: [%s]", numbers(threads))
	say("time: %ss", orElse(first.Options["time"], "10"))
	say("scenarios:")
	for i, g := range groups {
		name, mark := "baseline", ", baseline: true"
		if i > 0 {
			name, mark = fmt.Sprintf("variant-%d", i), ""
		}
		say("  - {name: %s%s%s}", name, mark, optionsText(g.options, common))
	}
	if len(groups) == 1 {
		say("  - {name: candidate}   # say here what is different")
	}
	return b.String(), nil
}

func orElse(text, other string) string {
	if text == "" {
		return other
	}
	return text
}

// quoted is a text as YAML takes it, whatever it has.
func quoted(text string) string { return strconv.Quote(text) }

// optionsText is a key with the options that others lack.
func optionsText(all, without map[string]string) string {
	var words []string
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if v, ok := without[name]; !ok || v != all[name] {
			words = append(words, strings.ReplaceAll(name, "_", "-")+": "+quoted(all[name]))
		}
	}
	if len(words) == 0 {
		return ""
	}
	return ", options: {" + strings.Join(words, ", ") + "}"
}
