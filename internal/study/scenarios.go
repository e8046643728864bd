package study

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// targets makes the targets with their scenarios.
func (d *decoder) targets(f *file, p *Plan) {
	if len(f.Targets) == 0 {
		d.faultAt("targets", "targets is missing: the server, as in targets: [{name: mariadb, managed: {server: auto}}]")
	}
	scenarios := append(slices.Clone(f.Scenarios), d.matrix(f.Matrix, slices.ContainsFunc(f.Scenarios, func(s fileScenario) bool { return s.Baseline }))...)
	pathOf := func(k int) string {
		if k < len(f.Scenarios) {
			return fmt.Sprintf("scenarios[%d]", k)
		}
		return "matrix"
	}
	if len(scenarios) == 0 && f.Matrix == nil {
		d.faultAt("scenarios", "scenarios is missing: what is compared, the baseline among them")
	}
	d.scenarioNames(scenarios, pathOf)
	kinds := map[Kind]bool{}
	for i, x := range f.Targets {
		path := fmt.Sprintf("targets[%d]", i)
		t := Target{Name: x.Name, Labels: x.Labels}
		if t.Name == "" && len(f.Targets) == 1 {
			t.Name = "server"
		}
		d.name1(path, t.Name, path+": name is missing")
		if slices.ContainsFunc(p.Targets, func(y Target) bool { return y.Name == t.Name }) {
			d.faultAt(path, "%s: there is a target '%s' already", path, t.Name)
		}
		d.kind(path, x, &t)
		kinds[t.Kind] = true
		for k, s := range scenarios {
			if len(s.Targets) > 0 && !slices.Contains(s.Targets, t.Name) {
				continue
			}
			t.Scenarios = append(t.Scenarios, d.scenario(pathOf(k), s, &t))
		}
		d.baseline(path, &t, p.AA)
		p.Targets = append(p.Targets, t)
	}
	for k, s := range scenarios {
		for _, name := range s.Targets {
			if !slices.ContainsFunc(p.Targets, func(t Target) bool { return t.Name == name }) {
				d.faultAt(fmt.Sprintf("scenarios[%d].targets", k), "scenarios[%d]: there is no target '%s'", k, name)
			}
		}
	}
	p.State = State(f.State)
	if p.State == "" {
		p.State = Preserve
		if kinds[Managed] {
			p.State = Restore
		}
	}
	d.state(p)
}

// scenarioNames gives names to nobody: all must have one, and no two the same on a target.
func (d *decoder) scenarioNames(list []fileScenario, pathOf func(int) string) {
	for i, s := range list {
		path := pathOf(i)
		d.name1(path, s.Name, path+": name is missing")
		for _, y := range list[:i] {
			if y.Name == s.Name && (len(y.Targets) == 0 || len(s.Targets) == 0 || slices.ContainsFunc(y.Targets, func(t string) bool { return slices.Contains(s.Targets, t) })) {
				d.faultAt(path, "%s: there is a scenario '%s' already", path, s.Name)
				break
			}
		}
	}
}

// kind reads what a target is.
func (d *decoder) kind(path string, x fileTarget, t *Target) {
	n := 0
	if x.Managed != nil {
		n++
		t.Kind = Managed
		m := &ManagedServer{Server: x.Managed.Server, Options: d.serverOptions(path+".managed.options", x.Managed.Options), Init: x.Managed.Init, Replica: string(x.Managed.Replica)}
		if m.Server == "" {
			m.Server = "auto"
		}
		if m.Replica == "none" {
			m.Replica = ""
		}
		t.Managed = m
	}
	if x.External != nil {
		n++
		t.Kind = External
		e := &ExternalServer{DSN: d.dsn(path+".external.dsn", x.External.DSN, DSN{})}
		for name, h := range x.External.Hooks {
			if !slices.Contains([]string{"before", "after", "restart"}, name) {
				d.faultAt(join(path+".external.hooks", name), "%s.external.hooks: there is no hook '%s'; there are before, after, restart", path, name)
				continue
			}
			if strings.TrimSpace(h.Command) == "" {
				d.faultAt(join(path+".external.hooks", name), "%s.external.hooks.%s: the command is empty", path, name)
			}
			y := Hook{Command: h.Command, Timeout: time.Duration(h.Timeout)}
			if y.Timeout == 0 {
				y.Timeout = defaultHook
			}
			if e.Hooks == nil {
				e.Hooks = map[string]Hook{}
			}
			e.Hooks[name] = y
		}
		t.External = e
	}
	if x.Embedded != nil {
		n++
		t.Kind = Embedded
	}
	if n != 1 {
		d.faultAt(path, "%s: one of managed, external and embedded is needed", path)
	}
}

// dsn reads an address; what it leaves out is that of base.
func (d *decoder) dsn(path string, x fileDSN, base DSN) DSN {
	if x.Password != "" {
		d.faultAt(path+".password", "%s: a password in the file would be kept with the results: use password_env or password_file", path)
	}
	y := base
	set := func(to *string, value string) {
		if value != "" {
			*to = value
		}
	}
	set(&y.User, x.User)
	set(&y.DB, x.DB)
	set(&y.TLS, x.TLS)
	if x.Host != "" || x.Socket != "" {
		y.Host, y.Socket = x.Host, x.Socket
	}
	if x.Port != 0 {
		y.Port = x.Port
	}
	switch {
	case x.PasswordEnv != "" && x.PasswordFile != "":
		d.faultAt(path, "%s: password_env and password_file exclude each other", path)
	case x.PasswordEnv != "":
		y.PasswordFrom = "env:" + x.PasswordEnv
	case x.PasswordFile != "":
		y.PasswordFrom = "file:" + x.PasswordFile
	}
	if y.DB == "" {
		y.DB = defaultSchema
	}
	switch {
	case y.Host != "" && y.Socket != "":
		d.faultAt(path, "%s: host and socket exclude each other", path)
	case y.Host == "" && y.Socket == "":
		d.faultAt(path, "%s: host (or socket) is missing", path)
	case y.Port < 0 || y.Port > 65535:
		d.faultAt(path+".port", "%s: port %d is not possible: 1 to 65535", path, y.Port)
	case y.User == "":
		d.faultAt(path, "%s: user is missing", path)
	}
	if y.Socket != "" {
		y.Port = 0
	} else if y.Port == 0 {
		y.Port = defaultPort
	}
	return y
}

// placesOfData are options that say where a server keeps what belongs to its data.
var placesOfData = []string{
	"innodb_data_home_dir", "innodb_data_file_path", "innodb_log_group_home_dir", "innodb_undo_directory", "innodb_temp_data_file_path", "innodb_temp_tablespaces_dir",
	"innodb_directories", "innodb_doublewrite_dir", "aria_log_dir_path", "log_bin", "log_bin_index", "relay_log", "relay_log_index", "rocksdb_datadir", "rocksdb_wal_dir",
}

// outside reports whether a value names a place that is not below the data directory.
func outside(value string) bool {
	return slices.ContainsFunc(strings.FieldsFunc(value, func(r rune) bool { return r == ';' || r == ':' }), func(path string) bool {
		path = strings.Trim(path, `'" `)
		return strings.HasPrefix(path, "/") || strings.HasPrefix(path, `\`) || path == ".." || strings.HasPrefix(path, "../") || strings.Contains(path, "/../")
	})
}

// serverOptions checks server options and writes their names with underscores.
func (d *decoder) serverOptions(path string, list options) []Option {
	ours := []string{"datadir", "socket", "port", "pid_file", "log_error", "basedir", "user", "bind_address"}
	for i, o := range list {
		if strings.HasPrefix(o.Name, "-") {
			d.faultAt(join(path, o.Name), "%s: write %s without dashes", path, strings.TrimLeft(o.Name, "-"))
		}
		list[i].Name = strings.ReplaceAll(o.Name, "-", "_")
		if slices.Contains(ours, list[i].Name) {
			d.faultAt(join(path, o.Name), "%s: %s is the study's own", path, o.Name)
		}
		if slices.Contains(placesOfData, list[i].Name) && outside(o.Value) {
			d.faultAt(join(path, o.Name), "%s: %s: %s is outside of the data directory, which is all that a study copies and restores: name a place below it, as in %s: dir", path, o.Name, o.Value, o.Name)
		}
		if strings.ContainsAny(o.Value, "\n\r") || strings.ContainsAny(o.Name, " =[]#\n") {
			d.faultAt(join(path, o.Name), "%s: %s is no server option", path, o.Name)
		}
	}
	return list
}

// scenario makes a scenario for a target.
func (d *decoder) scenario(path string, s fileScenario, t *Target) Scenario {
	x := Scenario{
		Name: s.Name, Baseline: s.Baseline, Monitoring: s.Monitoring, Note: s.Note, Server: d.serverOptions(path+".server", slices.Clone(s.Server)),
		Globals: d.serverOptions(path+".globals", slices.Clone(s.Globals)), SQL: s.SQL, Session: s.Session, Options: slices.Clone(s.Options), Connect: string(s.Connect), Binary: s.Binary,
	}
	d.options(path+".options", x.Options)
	if s.DSN != nil {
		base := DSN{}
		if t.External != nil {
			base = t.External.DSN
		}
		y := d.dsn(path+".dsn", *s.DSN, base)
		x.DSN = &y
	}
	only := func(given bool, key, why string) {
		if given {
			d.faultAt(path+"."+key, "%s: %s is not possible on target '%s': %s", path, key, t.Name, why)
		}
	}
	switch t.Kind {
	case External:
		_, can := t.External.Hooks["restart"]
		only(len(x.Server) > 0 && !can, "server", "the study cannot restart an external server: add hooks: {restart: COMMAND}, or use globals")
		only(x.Binary != "", "binary", "the server is not ours to start")
		only(x.Connect != "", "connect", "use dsn")
	case Embedded:
		const why = "the embedded server has no such settings: session and options are possible"
		only(len(x.Server) > 0, "server", why)
		only(len(x.Globals) > 0, "globals", why)
		only(len(x.SQL) > 0, "sql", why)
		only(x.Binary != "", "binary", why)
		only(x.Connect != "", "connect", why)
		only(x.DSN != nil, "dsn", why)
	case Managed:
		only(x.DSN != nil, "dsn", "the study starts the server itself; connect: tcp or socket chooses the way")
	}
	return x
}

// baseline puts the baseline first, and its copy second.
func (d *decoder) baseline(path string, t *Target, aa bool) {
	var at []int
	for i, s := range t.Scenarios {
		if s.Baseline {
			at = append(at, i)
		}
	}
	switch {
	case len(t.Scenarios) == 0:
		d.faultAt(path, "%s: no scenario is for target '%s'", path, t.Name)
		return
	case len(at) == 0:
		d.faultAt("scenarios", "no scenario of target '%s' is the baseline: write baseline: true in the one that the others are compared with", t.Name)
		return
	case len(at) > 1:
		d.faultAt("scenarios", "target '%s' has two baselines, '%s' and '%s': one is possible", t.Name, t.Scenarios[at[0]].Name, t.Scenarios[at[1]].Name)
		return
	case len(t.Scenarios) == 1 && !aa:
		d.faultAt("scenarios", "target '%s' has the baseline only: add a scenario, or aa: true to see how large the noise is", t.Name)
	}
	base := t.Scenarios[at[0]]
	t.Scenarios = slices.Insert(slices.Delete(t.Scenarios, at[0], at[0]+1), 0, base)
	if aa {
		again := base
		again.Name, again.Baseline, again.AA = base.Name+" again", false, true
		t.Scenarios = slices.Insert(t.Scenarios, 1, again)
	}
}

// matrix expands to all combinations. The first is the baseline unless the file names another, or a scenario of its own is.
func (d *decoder) matrix(m *fileMatrix, hasBaseline bool) []fileScenario {
	if m == nil {
		return nil
	}
	list := []fileScenario{{}}
	for _, part := range []struct {
		of  choices
		add func(*fileScenario, Option)
	}{
		{m.Server, func(s *fileScenario, o Option) { s.Server = append(slices.Clone(s.Server), o) }},
		{m.Globals, func(s *fileScenario, o Option) { s.Globals = append(slices.Clone(s.Globals), o) }},
		{m.Options, func(s *fileScenario, o Option) { s.Options = append(slices.Clone(s.Options), o) }},
	} {
		for _, c := range part.of {
			if len(c.values) == 0 {
				d.faultAt(c.path, "%s has no values: write [a, b]", c.path)
			}
			var values []string
			for i, value := range c.values {
				if slices.Contains(values, value) {
					d.faultAt(fmt.Sprintf("%s[%d]", c.path, i), "%s: the value '%s' is there twice", c.path, value)
					continue
				}
				values = append(values, value)
			}
			var more []fileScenario
			for _, s := range list {
				for _, value := range values {
					x := s
					x.Name = strings.TrimPrefix(s.Name+","+c.name+"="+filepath.Base(value), ",")
					part.add(&x, Option{c.name, value})
					more = append(more, x)
				}
			}
			list = more
		}
	}
	if len(list) == 1 && list[0].Name == "" {
		d.faultAt("matrix", "matrix: server, globals or options with lists of values are missing, as in server: {innodb_buffer_pool_size: [128M, 512M]}")
		return nil
	}
	var names []string
	for i := range list {
		list[i].Baseline = list[i].Name == m.Baseline || m.Baseline == "" && i == 0 && !hasBaseline
		names = append(names, list[i].Name)
	}
	if len(list) > 0 && m.Baseline != "" && m.Baseline != "none" && !slices.Contains(names, m.Baseline) {
		d.faultAt("matrix.baseline", "matrix.baseline: there is no combination '%s'%s", m.Baseline, suggestion(m.Baseline, names))
		list[0].Baseline = true
	}
	return list
}

// state checks the state policy against the targets.
func (d *decoder) state(p *Plan) {
	for _, t := range p.Targets {
		if t.Kind == External {
			_, can := t.External.Hooks["restart"]
			switch {
			case p.State == Restore:
				d.faultAt("state", "state: restore needs a data image, which external target '%s' has not: preserve, reset, or restart with a hook", t.Name)
			case p.State == Restart && !can:
				d.faultAt("state", "state: restart needs hooks: {restart: COMMAND} of external target '%s'", t.Name)
			}
		}
		if t.Kind == Embedded && p.State == Restart {
			d.faultAt("state", "state: a restart of the embedded server is without its data: use restore (a fresh server with fresh data) or preserve")
		}
	}
	if p.State == Reset && p.Data.Workload == "" && len(p.Data.SQL) == 0 {
		d.faultAt("state", "state: reset prepares the data again, and data says nothing")
	}
}
