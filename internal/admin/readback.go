package admin

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/go-sql-driver/mysql"

	"deltabench/internal/evidence"
)

// Option is a setting of a server.
type Option struct{ Name, Value string }

// Mismatch is a setting that the server does not have as it was asked for.
type Mismatch struct {
	Option
	Got  string // what the server has; empty with an unknown variable
	Text string // for people, with both
}

// ReadBack compares settings with the global variables of the server. Secrets and options that no variable shows are not compared; for
// performance_schema's there is ReadMonitoring.
func (s *Server) ReadBack(ctx context.Context, list []Option) ([]Mismatch, error) {
	if len(list) == 0 {
		return nil, nil
	}
	have, err := s.Variables(ctx)
	if err != nil {
		return nil, err
	}
	var out []Mismatch
	for _, m := range readBack(list, have) {
		is, err := s.isNumberOf(ctx, m)
		if err != nil {
			return nil, err
		}
		if !is {
			out = append(out, m)
		}
	}
	return out, nil
}

// isNumberOf reports whether a setting was asked for by the number of the word that the server has: concurrent_insert=2 is ALWAYS. Only
// MariaDB tells its words.
func (s *Server) isNumberOf(ctx context.Context, m Mismatch) (bool, error) {
	i, err := strconv.Atoi(unquoted(m.Value))
	if err != nil || m.Got == "" {
		return false, nil
	}
	name, _ := variableName(m.Name)
	words, err := s.rows2(ctx, "SELECT VARIABLE_NAME, ENUM_VALUE_LIST FROM information_schema.SYSTEM_VARIABLES WHERE VARIABLE_NAME = ? AND VARIABLE_TYPE = 'ENUM'", name)
	var refused *mysql.MySQLError
	if errors.As(err, &refused) {
		return false, nil // MySQL has no such table
	} else if err != nil {
		return false, s.wrap("words of "+name, err)
	}
	for _, list := range words {
		if w := strings.Split(list, ","); i >= 0 && i < len(w) && strings.EqualFold(w[i], m.Got) {
			return true, nil
		}
	}
	return false, nil
}

// withoutVariable are options that no variable of their own shows.
var withoutVariable = []string{"plugin_load", "plugin_load_add", "early_plugin_load", "init_file", "user", "console", "symbolic_links", "skip_stack_trace", "core_file", "log_basename", "gtid_domain"}

// otherNames are options whose variables have another name, on some servers.
var otherNames = map[string]string{
	"transaction_isolation": "tx_isolation",
	"transaction_read_only": "tx_read_only",
	"default_time_zone":     "time_zone",
	"log_replica_updates":   "log_slave_updates",
	"memlock":               "locked_in_memory",
}

// variableName is the name of an option as variables have it, and whether the server may lack it.
func variableName(option string) (name string, loose bool) {
	name = strings.ToLower(strings.ReplaceAll(option, "-", "_"))
	return strings.CutPrefix(name, "loose_")
}

func readBack(list []Option, have evidence.Snapshot) []Mismatch {
	var out []Mismatch
	for _, o := range list {
		name, loose := variableName(o.Name)
		want := unquoted(o.Value)
		if monitors(o) || slices.Contains(withoutVariable, name) || secret(name) {
			continue
		}
		got, ok := have[name]
		if other := otherNames[name]; !ok && other != "" {
			got, ok = have[other]
		}
		if !ok {
			for _, p := range []struct{ prefix, value string }{{"skip_", "OFF"}, {"enable_", "ON"}, {"disable_", "OFF"}} {
				if rest, cut := strings.CutPrefix(name, p.prefix); cut && !ok {
					if got, ok = have[rest]; ok {
						want = p.value
					}
				}
			}
		}
		switch {
		case !ok && loose:
		case !ok:
			text := fmt.Sprintf("%s: the server has no such variable", o.Name)
			if near := nearest(name, slices.Collect(maps.Keys(have))); near != "" {
				text += fmt.Sprintf("; did you mean %s?", near)
			}
			out = append(out, Mismatch{o, "", text})
		case same(name, want, got) || name == "innodb_buffer_pool_size" && rounded(want, got, have):
		default:
			out = append(out, Mismatch{o, got, fmt.Sprintf("%s: %s was asked for, the server has %s", o.Name, o.Value, orEmpty(got))})
		}
	}
	return out
}

// rounded reports whether a size of the buffer pool is the one that was asked for but for the server's rounding: up to whole chunks
// times instances, or, where chunks are not fixed, down to MiB. It accepts less than one step, so that no pool passes for one of
// another size.
func rounded(want, got string, have evidence.Snapshot) bool {
	x, xIs := size(want)
	y, yIs := size(got)
	chunk, _ := size(have["innodb_buffer_pool_chunk_size"])
	instances, _ := size(have["innodb_buffer_pool_instances"])
	if step := chunk * max(instances, 1); step > 0 {
		return xIs && yIs && y >= x && y-x < step
	}
	return xIs && yIs && y <= x && x-y < 1<<20
}

func orEmpty(text string) string {
	if text == "" {
		return "nothing"
	}
	return text
}

// same reports whether a value that was asked for is the one that the server shows.
func same(name, want, got string) bool {
	if strings.EqualFold(want, got) {
		return true
	}
	if want == "" { // an option without a value
		want = "ON"
	}
	a, aIs := truth(want)
	b, bIs := truth(got)
	if aIs && bIs {
		return a == b
	}
	x, xIs := size(want)
	y, yIs := size(got)
	if xIs && yIs {
		return x == y
	}
	switch {
	case strings.HasSuffix(want, "/") || strings.HasSuffix(got, "/"):
		return strings.TrimSuffix(want, "/") == strings.TrimSuffix(got, "/")
	case name == "log_bin" || name == "slow_query_log" || name == "general_log" || name == "log_slave_updates": // a path switches it on
		return strings.EqualFold(got, "ON") && want != ""
	case name == "optimizer_switch" || strings.Contains(got, ",") || strings.Contains(want, ","):
		have := strings.Split(strings.ToLower(got), ",")
		asked := strings.Split(strings.ToLower(want), ",")
		for _, part := range asked {
			if !slices.Contains(have, strings.TrimSpace(part)) {
				return false
			}
		}
		return name == "optimizer_switch" || len(have) == len(asked) || name == "sql_mode" && slices.ContainsFunc(asked, isModes)
	}
	return false
}

// isModes reports whether a word of sql_mode stands for several, which the server shows beside it.
func isModes(word string) bool {
	return slices.Contains([]string{"ansi", "traditional", "db2", "maxdb", "mssql", "mysql323", "mysql40", "oracle", "postgresql"}, strings.TrimSpace(word))
}

// truth is a value as a switch, if it is one.
func truth(text string) (on, is bool) {
	switch strings.ToUpper(text) {
	case "ON", "1", "TRUE", "YES":
		return true, true
	case "OFF", "0", "FALSE", "NO":
		return false, true
	}
	return false, false
}

// size reads a number with a binary suffix.
func size(text string) (float64, bool) {
	text = strings.TrimSpace(text)
	factor := 1.0
	if n := len(text); n > 1 {
		if i := strings.IndexByte("KMGTPE", text[n-1]&^0x20); i >= 0 {
			factor = float64(uint64(1) << (10 * (i + 1)))
			text = text[:n-1]
		}
	}
	v, err := strconv.ParseFloat(text, 64)
	return v * factor, err == nil && !math.IsInf(v, 0) && !math.IsNaN(v)
}

// nearest is the name that is most like another, empty when none is.
func nearest(name string, names []string) string {
	slices.Sort(names)
	best, most := "", 0.6
	for _, n := range names {
		if s := likeness(name, n); s > most {
			best, most = n, s
		}
	}
	return best
}

// likeness is the share of pairs of letters that two names have in common (Dice's coefficient).
func likeness(a, b string) float64 {
	pairs := map[string]int{}
	for i := range len(a) - 1 {
		pairs[a[i:i+2]]++
	}
	n := 0
	for i := range len(b) - 1 {
		if pairs[b[i:i+2]] > 0 {
			pairs[b[i:i+2]]--
			n++
		}
	}
	return 2 * float64(n) / float64(max(len(a)+len(b)-2, 1))
}

// SetGlobals sets global variables, one by one.
func (s *Server) SetGlobals(ctx context.Context, list []Option) error {
	for _, o := range list {
		name := strings.ReplaceAll(o.Name, "-", "_")
		if err := s.Exec(ctx, "SET GLOBAL "+quoted(name)+" = "+literal(o.Value)); err != nil {
			return err
		}
	}
	return nil
}

// unquoted is a value without the quotes around it.
func unquoted(value string) string {
	if n := len(value); n > 1 && value[0] == value[n-1] && (value[0] == '\'' || value[0] == '"') {
		return value[1 : n-1]
	}
	return value
}

// literal is a value as SQL takes it: numbers, with suffixes worked out, and words bare, all else in quotes.
func literal(value string) string {
	if v, ok := size(value); ok {
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	if strings.EqualFold(value, "DEFAULT") || strings.EqualFold(value, "ON") || strings.EqualFold(value, "OFF") {
		return value
	}
	return "'" + strings.NewReplacer(`\`, `\\`, `'`, `''`).Replace(unquoted(value)) + "'"
}
