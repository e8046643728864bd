package admin

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

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

// ReadBack compares settings with the global variables of the server.
func (s *Server) ReadBack(ctx context.Context, list []Option) ([]Mismatch, error) {
	if len(list) == 0 {
		return nil, nil
	}
	have, err := s.Variables(ctx)
	if err != nil {
		return nil, err
	}
	return readBack(list, have), nil
}

// withoutVariable are options that no variable of their own shows.
var withoutVariable = []string{"plugin_load", "plugin_load_add", "early_plugin_load", "init_file", "user", "console", "symbolic_links", "default_time_zone", "skip_stack_trace", "core_file", "log_basename", "gtid_domain"}

func readBack(list []Option, have evidence.Snapshot) []Mismatch {
	var out []Mismatch
	for _, o := range list {
		name := strings.ToLower(strings.ReplaceAll(strings.TrimPrefix(o.Name, "loose_"), "-", "_"))
		want := strings.Trim(o.Value, `"'`)
		if strings.HasPrefix(name, "performance_schema_instrument") || strings.HasPrefix(name, "performance_schema_consumer") || slices.Contains(withoutVariable, name) {
			continue
		}
		got, ok := have[name]
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
		case !ok && strings.HasPrefix(o.Name, "loose_"):
		case !ok:
			text := fmt.Sprintf("%s: the server has no such variable", o.Name)
			if near := nearest(name, slices.Collect(maps.Keys(have))); near != "" {
				text += fmt.Sprintf("; did you mean %s?", near)
			}
			out = append(out, Mismatch{o, "", text})
		case !same(name, want, got):
			out = append(out, Mismatch{o, got, fmt.Sprintf("%s: %s was asked for, the server has %s", o.Name, o.Value, orEmpty(got))})
		}
	}
	return out
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
	a, aIs := truth(want)
	b, bIs := truth(got)
	if aIs && bIs {
		return a == b
	}
	x, xIs := size(want)
	y, yIs := size(got)
	if xIs && yIs {
		if name == "innodb_buffer_pool_size" && y > x && y-x < poolRounding {
			return true // the server rounds it up to whole chunks
		}
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
		return name == "optimizer_switch" || len(have) == len(asked)
	}
	return false
}

// poolRounding is the largest chunk of the buffer pool times instances that servers have by default.
const poolRounding = 128 << 20 * 8

func truth(text string) (on, is bool) {
	switch strings.ToUpper(text) {
	case "ON", "1", "TRUE", "YES", "":
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
	return v * factor, err == nil
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
		if err := s.Exec(ctx, "SET GLOBAL "+quoted(o.Name)+" = "+literal(o.Value)); err != nil {
			return err
		}
	}
	return nil
}

// literal is a value as SQL takes it: numbers, with suffixes worked out, and words bare, all else in quotes.
func literal(value string) string {
	if v, ok := size(value); ok {
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	if strings.EqualFold(value, "DEFAULT") || strings.EqualFold(value, "ON") || strings.EqualFold(value, "OFF") {
		return value
	}
	return "'" + strings.NewReplacer(`\`, `\\`, `'`, `''`).Replace(strings.Trim(value, `"'`)) + "'"
}
