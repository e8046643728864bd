package workloadtest

import (
	"fmt"
	"strings"

	"deltabench/internal/option"
	"deltabench/internal/random"
	"deltabench/internal/workload"
)

// General are the general options that Setup understands.
var General = []option.Spec{
	{Name: "threads", Type: option.Int, Default: "1"},
	{Name: "events", Type: option.Int, Default: "0"},
	{Name: "percentile", Type: option.Int, Default: "95"},
	{Name: "rand-seed", Type: option.Int, Default: "1"},
	{Name: "rand-type", Type: option.String, Default: random.DefaultType},
}

// Setup returns the setup for a test under options as they are typed, such as "--tables=3", and the set of all of
// them. It has no driver and no log.
func Setup(t workload.Test, args ...string) (workload.Setup, *option.Set, error) {
	set := option.NewSet(General...)
	set.Declare(t.Options()...)
	for _, arg := range args {
		if set.ParseArg(arg) != option.Stored {
			return workload.Setup{}, nil, fmt.Errorf("bad option %s", arg)
		}
	}
	values, err := workload.ValuesOf(set, t.Options())
	if err != nil {
		return workload.Setup{}, nil, err
	}
	cfg := random.DefaultConfig()
	cfg.Type = set.String("rand-type")
	dist, err := random.New(cfg)
	if err != nil {
		return workload.Setup{}, nil, err
	}
	threads, _ := set.Int("threads")
	events, _ := set.Int("events")
	return workload.Setup{
		Options: values, Threads: threads, EventsLimit: int64(events),
		Random: random.NewProcess(), Dist: dist,
	}, set, nil
}

// Command runs a command of a test as a single thread.
func Command(t workload.Test, name string, s workload.Setup) error {
	for _, c := range t.Commands() {
		if c.Name == name {
			return c.Do(s, workload.ThreadContext{Threads: 1, Rand: s.Random.Main(), Env: Env()})
		}
	}
	names := make([]string, 0, 4)
	for _, c := range t.Commands() {
		names = append(names, c.Name)
	}
	return fmt.Errorf("no command %s, only %s", name, strings.Join(names, ", "))
}
