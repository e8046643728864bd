package admin

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"deltabench/internal/evidence"
)

// Prefixes of start options that no variable shows: they set consumers and instruments of performance_schema.
const (
	consumerOption   = "performance_schema_consumer_"
	instrumentOption = "performance_schema_instrument"
)

// ReadMonitoring compares start options for consumers and instruments with what performance_schema has, which is before any statement
// changed it; other options are left out.
func (s *Server) ReadMonitoring(ctx context.Context, list []Option) ([]Mismatch, error) {
	list = slices.DeleteFunc(slices.Clone(list), func(o Option) bool { return !monitors(o) })
	if len(list) == 0 {
		return nil, nil
	}
	have, err := s.Settings(ctx)
	if err != nil {
		return nil, err
	}
	return readMonitoring(list, have), nil
}

func monitors(o Option) bool {
	name, _ := variableName(o.Name)
	return strings.HasPrefix(name, consumerOption) || name == instrumentOption
}

// readMonitoring compares options with consumers and instruments; without any, performance_schema is off, or may not be read.
func readMonitoring(list []Option, have evidence.Snapshot) []Mismatch {
	var out []Mismatch
	wrong := func(o Option, got, format string, args ...any) {
		out = append(out, Mismatch{o, got, o.Name + ": " + fmt.Sprintf(format, args...)})
	}
	for _, o := range list {
		name, _ := variableName(o.Name)
		value := unquoted(o.Value)
		if consumer, ok := strings.CutPrefix(name, consumerOption); ok {
			on, known := truth(orOn(value))
			got := have["consumer/"+consumer]
			switch {
			case !known:
				wrong(o, got, "'%s' is neither ON nor OFF", o.Value)
			case len(have) == 0 && !on: // nothing is collected: as asked for
			case len(have) == 0:
				wrong(o, "", "%s was asked for, and performance_schema is off, or may not be read", orOn(value))
			case got == "":
				wrong(o, "", "the server has no such consumer")
			case got == "YES" != on:
				wrong(o, got, "%s was asked for, the server has %s", orOn(value), got)
			}
			continue
		}
		pattern, state, ok := strings.Cut(value, "=")
		want, known := instrumentState(state)
		switch {
		case !ok || !known:
			wrong(o, "", "'%s': an instrument and ON, COUNTED or OFF are needed, as in 'statement/%%=ON'", o.Value)
			continue
		case len(have) == 0 && want == "NO": // nothing is collected: as asked for
			continue
		case len(have) == 0:
			wrong(o, "", "%s was asked for, and performance_schema is off, or may not be read", o.Value)
			continue
		}
		found, differ, first := 0, 0, ""
		for _, key := range instruments(have) {
			instrument := strings.TrimPrefix(key, "instrument/")
			if !like(strings.ToLower(instrument), strings.ToLower(strings.TrimSpace(pattern))) {
				continue
			}
			found++
			if got := have[key]; !settled(instrument, got, want) {
				differ++
				if first == "" {
					first = instrument + " has " + got
				}
			}
		}
		switch {
		case found == 0:
			wrong(o, "", "the server has no instrument like '%s'", pattern)
		case differ > 0:
			wrong(o, first, "%s was asked for, and %d of %d instruments are otherwise: %s (enabled, timed)", o.Value, differ, found, first)
		}
	}
	return out
}

// orOn is a value of an option that may be without one.
func orOn(value string) string {
	if value == "" {
		return "ON"
	}
	return value
}

// instruments are the keys of instruments, sorted.
func instruments(have evidence.Snapshot) []string {
	var keys []string
	for key := range have {
		if strings.HasPrefix(key, "instrument/") {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	return keys
}

// instrumentState is what an instrument has, as enabled and timed, when an option sets it (MySQL manual, "Performance Schema Startup
// Configuration").
func instrumentState(word string) (state string, known bool) {
	switch strings.ToUpper(strings.TrimSpace(word)) {
	case "ON", "TRUE", "YES", "1":
		return "YES,YES", true
	case "COUNTED":
		return "YES,NO", true
	case "OFF", "FALSE", "NO", "0":
		return "NO", true
	}
	return "", false
}

// settled reports whether an instrument is as it was asked for. Those that are never timed have no second word, those of memory NO; those of
// performance_schema's own memory are on whatever is set.
func settled(instrument, got, want string) bool {
	if strings.HasPrefix(instrument, "memory/performance_schema/") {
		return true
	}
	enabled, timed, _ := strings.Cut(got, ",")
	switch want {
	case "NO":
		return enabled == "NO"
	case "YES,NO":
		return enabled == "YES" && timed != "YES"
	}
	return enabled == "YES" && (timed != "NO" || strings.HasPrefix(instrument, "memory/"))
}

// like reports whether a text matches a pattern of SQL's LIKE with %; _ stands for itself here as it does in names.
func like(text, pattern string) bool {
	parts := strings.Split(pattern, "%")
	if len(parts) == 1 {
		return text == pattern
	}
	text, ok := strings.CutPrefix(text, parts[0])
	if !ok {
		return false
	}
	for _, part := range parts[1 : len(parts)-1] {
		i := strings.Index(text, part)
		if i < 0 {
			return false
		}
		text = text[i+len(part):]
	}
	return strings.HasSuffix(text, parts[len(parts)-1])
}
