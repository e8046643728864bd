package findings

import (
	"fmt"
	"slices"
	"strings"

	"deltabench/internal/evidence"
	"deltabench/internal/reference"
	"deltabench/internal/study"
)

type studyScenario = study.Scenario

// changing are variables that differ from start to start whatever the plan is: names, places, times, states of the server.
var changing = []string{
	"hostname", "port", "socket", "pid_file", "server_uuid", "timestamp", "datadir", "general_log_file", "slow_query_log_file", "log_error",
	"log_bin_basename", "log_bin_index", "relay_log", "relay_log_basename", "relay_log_index", "relay_log_info_file", "identity", "last_insert_id",
	"insert_id", "rand_seed1", "rand_seed2", "pseudo_thread_id", "last_gtid", "error_count", "warning_count", "in_transaction", "report_port",
	"innodb_undo_directory", "innodb_data_home_dir", "innodb_log_group_home_dir", "server_uid", "proxy_protocol_networks", "wsrep_node_name", "tmpdir",
	"slave_load_tmpdir", "replica_load_tmpdir", "aria_group_commit_interval", "innodb_buffer_pool_load_incremental", "core_file",
}

// mayDiffer reports whether a variable is none that matters.
func mayDiffer(name string) bool {
	return slices.Contains(changing, name) || strings.HasPrefix(name, "gtid_") || strings.HasPrefix(name, "ssl_") || strings.HasPrefix(name, "version") ||
		strings.HasSuffix(name, "_log_basename")
}

// planned are the variables that scenarios set, and those that follow from them.
func (p *part) planned() map[string]bool {
	set := map[string]bool{}
	for _, s := range p.t.Scenarios {
		for _, list := range [][]study.Option{s.Server, s.Globals} {
			for _, o := range list {
				name := strings.ToLower(strings.TrimPrefix(strings.TrimPrefix(o.Name, "loose_"), "skip_"))
				set[name] = true
				if name == "performance_schema" {
					set["performance_schema*"] = true // sizes that it chooses for itself
				}
				if name == "innodb_buffer_pool_size" {
					for _, follows := range []string{"innodb_buffer_pool_instances", "innodb_buffer_pool_chunk_size", "innodb_page_cleaners", "innodb_lru_scan_depth"} {
						set[follows] = true
					}
				}
				if name == "log_bin" {
					set["sql_log_bin"], set["log_bin"] = true, true
				}
			}
		}
		for _, q := range s.SQL {
			for _, word := range strings.FieldsFunc(strings.ToLower(q), func(r rune) bool {
				return r != '_' && (r < 'a' || r > 'z') && (r < '0' || r > '9')
			}) {
				set[word] = true
			}
		}
	}
	return set
}

// shownUnplanned is how many differences are told by themselves.
const shownUnplanned = 20

// unplanned are the variables and settings that differ between the scenarios of a target, or between the rounds of one, and are not in
// the plan.
func (p *part) unplanned() []string {
	variables, settings := newGroups(), newGroups() // hashes of each scenario
	versions := newGroups()
	for i := range p.runs {
		r := &p.runs[i]
		if r.Key.Target != p.t.Name || r.Evidence == nil {
			continue
		}
		e := r.Evidence
		for _, x := range []struct {
			of         *groups
			text, name string
		}{{variables, r.Key.Scenario, e.Variables}, {settings, r.Key.Scenario, e.Settings}, {versions, e.Start.Version, r.Key.Scenario}} {
			if x.text != "" && x.name != "" && !slices.Contains(x.of.names[x.text], x.name) {
				x.of.add(x.text, x.name)
			}
		}
	}
	var out []string
	if len(versions.order) > 1 && !slices.ContainsFunc(p.t.Scenarios, func(s studyScenario) bool { return s.Binary != "" || s.DSN != nil }) {
		var parts []string
		for _, v := range versions.order {
			parts = append(parts, v+" ("+strings.Join(versions.names[v], ", ")+")")
		}
		out = append(out, "version: "+strings.Join(parts, ", "))
	}
	set := p.planned()
	out = append(out, p.differences(variables, "variables", func(name string) bool {
		return set[name] || mayDiffer(name) || set["performance_schema*"] && strings.HasPrefix(name, "performance_schema")
	})...)
	for name := range set {
		if strings.HasPrefix(name, "performance_schema") || strings.HasPrefix(name, "setup_") {
			return out // what is watched is in the plan
		}
	}
	return append(out, p.differences(settings, "settings", func(string) bool { return false })...)
}

// differences are those of the snapshots of scenarios from the first one of the baseline, but for names that may differ.
func (p *part) differences(hashes *groups, what string, may func(string) bool) []string {
	base := p.t.Scenarios[0].Name
	if len(hashes.names[base]) == 0 {
		return nil
	}
	first := hashes.names[base][0]
	want, err := p.snapshot(first)
	if err != nil {
		return []string{fmt.Sprintf("%s of %s cannot be read: %v", what, base, err)}
	}
	diffs := newGroups()
	for _, s := range p.t.Scenarios {
		for _, hash := range hashes.names[s.Name] {
			if hash == first {
				continue
			}
			have, err := p.snapshot(hash)
			if err != nil {
				return []string{fmt.Sprintf("%s of %s cannot be read: %v", what, s.Name, err)}
			}
			for _, name := range namesOf(want, have) {
				if want[name] == have[name] || may(name) {
					continue
				}
				text := fmt.Sprintf("%s: %s, baseline %s", name, orNothing(have[name]), orNothing(want[name]))
				if s.Name == base {
					text = fmt.Sprintf("%s: %s in the first run, later %s", name, orNothing(want[name]), orNothing(have[name]))
				}
				if !slices.Contains(diffs.names[text], s.Name) {
					diffs.add(text, s.Name)
				}
			}
		}
	}
	var out []string
	for i, text := range diffs.order {
		if i == shownUnplanned {
			out = append(out, fmt.Sprintf("and %d more %s", len(diffs.order)-i, what))
			break
		}
		out = append(out, fmt.Sprintf("%s (%s)", text, strings.Join(diffs.names[text], ", ")))
	}
	return out
}

func namesOf(a, b evidence.Snapshot) []string {
	var names []string
	for name := range a {
		names = append(names, name)
	}
	for name := range b {
		if _, ok := a[name]; !ok {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

func orNothing(text string) string {
	if text == "" {
		return "nothing"
	}
	return text
}

// reference adds the published figures that the study names.
func (p *part) reference(t *Target) error {
	if p.plan.Reference == "" {
		p.warnings = append(p.warnings, "the study names no published figures (reference)")
		return nil
	}
	set, err := reference.Find(p.plan.Reference)
	if err != nil {
		return err
	}
	t.Reference, err = set.Comparisons(0)
	return err
}
