package sysbench

import (
	"strconv"

	"deltabench/internal/option"
	"deltabench/internal/workload"
	"deltabench/internal/workload/oltp04"
)

// The OLTP test of sysbench 0.4, `--test=oltp`. No later version has it: the name oltp alone means nothing, so that scripts
// which find out what there is are not misled. A script of that name wins, as it does in 1.0.

// legacyTest is the test.
var legacyTest = oltp04.Test()

// legacyVerbosity is 0.4's verbosity when none is given.
const legacyVerbosity = "4"

// legacy returns what the name oltp means on this command line; nil: nothing.
func (s *session) legacy() workload.Test {
	if len(s.words) > 0 && s.words[0] == oltp04.Name && (s.testSpelled > 0 || s.peekCompat() == compat04) {
		return legacyTest
	}
	return nil
}

// isLegacy reports whether the command line is for 0.4's test.
func (s *session) isLegacy() bool {
	return s.legacy() != nil && s.resolver().resolve(s.words[0]).test == legacyTest
}

// unseeded is the seed for --init-rng=off: the same random numbers in each run. In 0.4 that was the default. But the second
// of two such runs writes in part what is there already, so that before and after a change are not the same work: here
// it must be asked for.
const unseeded = 1

// legacyDefaults gives general options the defaults that 0.4 has: so many events and no time limit.
func (s *session) legacyDefaults() error {
	own := option.NewSet(legacyTest.Options()...)
	for _, arg := range s.deferred {
		own.ParseArg(arg)
	}
	seed, err := own.Int("seed-rng")
	if err != nil {
		return err
	}
	if seed == 0 && own.Given("init-rng") && !own.Bool("init-rng") {
		seed = unseeded
	}
	s.setDefault("rand-seed", strconv.Itoa(seed))
	s.setDefault("verbosity", legacyVerbosity)
	for _, o := range []struct{ name, old, def string }{
		{"threads", "num-threads", "1"},
		{"events", "max-requests", strconv.Itoa(oltp04.DefaultEvents)},
		{"time", "max-time", "0"},
	} {
		def := o.def
		if s.set.Given(o.old) {
			def = s.set.Raw(o.old) // 0 as well: no limit
		}
		s.setDefault(o.name, def)
	}
	if own.Bool("batch") {
		s.setDefault("report-interval", own.Raw("batch-delay"))
	}
	return nil
}

// setDefault changes the default of an option.
func (s *session) setDefault(name, text string) { setDefault(s.set, name, text) }

func setDefault(set *option.Set, name, text string) {
	if set.Given(name) {
		return
	}
	spec, _ := set.Lookup(name)
	spec.Default = text
	set.Declare(spec)
}

// typed is how a test is called on a command line.
func typed(req *Request) string {
	if req.Test == legacyTest {
		return "--test=" + req.Name
	}
	if c := scriptOf(req.Test); c != nil {
		return c.Typed()
	}
	return req.Name
}

// compiled reports whether errors of a test are told without the name of a script's function.
func compiled(t workload.Test) bool {
	c, ok := t.(interface{ Compiled() bool })
	return !t.SQL() || ok && c.Compiled()
}
