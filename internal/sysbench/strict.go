package sysbench

import (
	"io"
	"math"
	"os"
	"regexp"
	"strconv"
	"syscall"

	"deltabench/internal/option"
	"deltabench/internal/workload"
)

// Values that sysbench takes for something else, mostly for 0, are refused on our face: a benchmark that runs with other
// options than were typed is worse than none. What sysbench refuses is checked before, in its words.

// maxTableSize is the last id that the tables can have.
const maxTableSize = math.MaxInt32

// openFiles is how many files the process has open besides its connections, at most.
const openFiles = 32

// strict makes the checks of our face before a command is executed.
func (s *session) strict(req *Request) error {
	for _, set := range []*option.Set{s.set, s.ours} {
		if err := checkNumbers(set); err != nil {
			return err
		}
	}
	if err := s.checkLoad(req); err != nil {
		return err
	}
	if err := s.checkTarget(req); err != nil || !mayUseDatabase(req.Test) {
		return err
	}
	if scriptOf(req.Test) == nil { // a script's options mean what it likes
		if err := checkTables(req); err != nil {
			return err
		}
	} else if req.General.ByStatement {
		return fatalf("--latency-by=statement has no effect on '%s'", req.Name).hinted("the statements of scripts have no names")
	}
	if err := s.checkServer(req.Database); err != nil {
		return err
	}
	return s.checkOpenFiles(req)
}

// strictGeneral refuses limits below zero, which sysbench takes for none, and distributions that are none.
func (s *session) strictGeneral() error {
	for _, name := range []string{"events", "time", "rate", "report-interval"} {
		n, err := s.set.Int(name)
		if err != nil {
			return err
		}
		if n < 0 {
			return fatalf("Invalid value for --%s: %d", name, n).hinted("0 or more; 0 is none")
		}
	}
	for _, c := range []struct {
		name        string
		least, most int
	}{{"rand-spec-iter", 1, 1000}, {"rand-spec-pct", 0, 100}, {"rand-spec-res", 0, 99}} {
		n, err := s.set.Int(c.name)
		if err != nil {
			return err
		}
		if n < c.least || n > c.most {
			return fatalf("Invalid value for --%s: %d", c.name, n).hinted("%d to %d", c.least, c.most)
		}
	}
	if h := s.set.Double("rand-pareto-h"); !(h > 0 && h < 1) {
		return fatalf("Invalid value for --rand-pareto-h: '%s'", s.set.Raw("rand-pareto-h")).hinted("a number between 0 and 1, such as 0.2")
	}
	return nil
}

// sizes are what people write; sysbench reads no further than the first letter.
var sizes = regexp.MustCompile(`^[0-9]+([kKmMgGtT]([iI]?[bB])?)?$`)

// checkNumbers refuses numbers that are none, where sysbench reads a prefix or 0.
func checkNumbers(set *option.Set) error {
	for _, spec := range set.Specs() {
		text := set.Raw(spec.Name)
		if text == "" || !set.Given(spec.Name) {
			continue
		}
		switch spec.Type {
		case option.Double:
			if f, err := strconv.ParseFloat(text, 64); err != nil || math.IsNaN(f) || math.IsInf(f, 0) {
				return fatalf("Invalid value for --%s: '%s'", dashed(spec.Name), text).hinted("a number is needed")
			}
		case option.Size:
			if !sizes.MatchString(text) {
				return fatalf("Invalid value for --%s: '%s'", dashed(spec.Name), text).hinted("a number of bytes, or with a unit as in 64K, 16M, 2G")
			}
		}
	}
	return nil
}

// checkTables refuses tables that cannot exist.
func checkTables(req *Request) error {
	least := map[string]float64{"tables": 1, "table_size": 1}
	if req.Command != "run" { // tables without rows can be prepared
		least["table_size"] = 0
	}
	for _, name := range []string{"tables", "table_size"} {
		if !req.Options.Has(name) {
			continue
		}
		if n := req.Options.Float(name); n < least[name] || n > maxTableSize {
			return fatalf("Invalid value for --%s: %s", dashed(name), req.Options.String(name)).hinted("%.0f to %d", least[name], maxTableSize)
		}
	}
	return checkCounts(req)
}

// checkCounts refuses numbers of statements or rows below zero, where loops run not at all or ranges are empty.
func checkCounts(req *Request) error {
	if _, bundled := req.Test.(planner); !bundled {
		return nil // a script may mean something else by these names
	}
	for _, name := range bundledCounts {
		least := 0.0
		if name == "range_size" {
			least = 1
		}
		if req.Options.Has(name) && req.Options.Float(name) < least {
			return fatalf("Invalid value for --%s: %s", dashed(name), req.Options.String(name)).hinted("%.0f or more", least)
		}
	}
	return nil
}

// bundledCounts are options of the bundled tests that count statements or rows.
var bundledCounts = []string{
	"range_size", "point_selects", "simple_ranges", "sum_ranges", "order_ranges", "distinct_ranges", "index_updates",
	"non_index_updates", "delete_inserts", "reconnect", "random_points", "number_of_ranges", "delta",
}

// checkServer refuses what cannot be a server or a way to reach one.
func (s *session) checkServer(d *Database) error {
	if err := d.Check(); err != nil {
		return err
	}
	for _, text := range s.set.List("mysql-port") {
		if n, err := strconv.Atoi(text); err != nil || n < 1 || n > math.MaxUint16 {
			return fatalf("Invalid value for --mysql-port: '%s'", text).hinted("1 to %d, or several separated by commas", math.MaxUint16)
		}
	}
	for _, text := range d.IgnoreErrors {
		if n, err := strconv.Atoi(text); text != "all" && (err != nil || n < 1) {
			return fatalf("Invalid value for --mysql-ignore-errors: '%s'", text).hinted("error numbers such as 1213,1205, or all")
		}
	}
	for _, name := range []string{"mysql-ssl-ca", "mysql-ssl-cert", "mysql-ssl-key"} {
		file := s.ours.String(name)
		switch {
		case file == "":
		case d.TLS == tlsDisabled:
			return fatalf("--%s has no effect without TLS", name).hinted("--mysql-ssl=required, verify_ca or verify_identity")
		default:
			if err := tryRead(file); err != nil {
				return fatalf("Invalid value for --%s: %s: %s", name, file, reason(err)).hinted("a PEM file that can be read")
			}
		}
	}
	if (s.ours.String("mysql-ssl-cert") == "") != (s.ours.String("mysql-ssl-key") == "") {
		return fatalf("--mysql-ssl-cert and --mysql-ssl-key belong together").hinted("give both, or none")
	}
	return nil
}

// tryRead reports why a file cannot be read. Only plain files are opened: reading from a pipe would take what is in it.
func tryRead(path string) error {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return err
	case info.IsDir():
		return syscall.EISDIR
	case !info.Mode().IsRegular():
		return nil
	}
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	if _, err := f.Read(make([]byte, 1)); err != io.EOF {
		return err
	}
	return nil
}

// checkOpenFiles refuses more connections than the process may have.
func (s *session) checkOpenFiles(req *Request) error {
	limit, known := fileLimit()
	if !known || req.Database.DryRun || !parallel(req.Test, req.Command) { // runs have the pre-flight check
		return nil
	}
	if n := req.General.Threads; uint64(n)+openFiles > limit {
		return fatalf("Invalid value for --threads: %d", n).hinted("each thread needs a connection, and this process may open %d files; raise that with ulimit -n", limit)
	}
	return nil
}

// parallel reports whether a command uses all threads.
func parallel(t workload.Test, command string) bool {
	for _, c := range t.Commands() {
		if c.Name == command {
			return c.Parallel
		}
	}
	return false
}
