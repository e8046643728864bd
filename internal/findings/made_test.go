package findings

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"deltabench/internal/evidence"
	"deltabench/internal/store"
	"deltabench/internal/study"
)

// world is a made-up study whose truth is known.
type world struct {
	plan    study.Plan
	study   store.Study
	seconds int // of every run
	// factor is the true throughput of a scenario against the baseline's in a cell; nil: 1.
	factor func(k study.Key) float64
	// change changes a run after it was made; false leaves it out.
	change func(r *store.StudyRun) bool
	sd     float64 // of the logarithm of a run's throughput
	snaps  map[string]evidence.Snapshot
}

// newWorld is a study of two scenarios, two workloads and three numbers of threads in eight rounds on one managed server.
func newWorld() *world {
	return &world{
		plan: study.Plan{
			Study: "pool", Question: "Does a larger buffer pool help?", Seed: 7, Metric: "qps", Margin: 2, TailMargin: 10, Rounds: 8, State: study.Restore,
			Threads: []int{1, 8, 32}, Headline: 32, Time: 20 * time.Second, WarmupAuto: true, After: study.Steady,
			Workloads: []study.Workload{{Name: "read_only", Test: "oltp_read_only"}, {Name: "write_only", Test: "oltp_write_only"}},
			Targets: []study.Target{{Name: "mariadb", Kind: study.Managed, Managed: &study.ManagedServer{Server: "auto"}, Scenarios: []study.Scenario{
				{Name: "128M", Baseline: true, Server: []study.Option{{Name: "innodb_buffer_pool_size", Value: "128M"}}},
				{Name: "512M", Server: []study.Option{{Name: "innodb_buffer_pool_size", Value: "512M"}}},
			}}},
		},
		study:   store.Study{ID: 1, Name: "pool", State: store.StudyFinished, ToolVersion: "1.0.0"},
		seconds: 20, sd: 0.004,
		snaps: map[string]evidence.Snapshot{
			"a": {"innodb_buffer_pool_size": "134217728", "port": "3310", "max_connections": "151"},
			"b": {"innodb_buffer_pool_size": "536870912", "port": "3311", "max_connections": "151"},
			"p": {"statement/sql/select": "YES,YES"},
		},
	}
}

// level is the true throughput of a baseline.
func level(k study.Key) float64 {
	return 20000 * float64(k.Threads) / (float64(k.Threads) + 8)
}

// runs makes the runs of all rounds.
func (w *world) runs() []store.StudyRun {
	random := rand.New(rand.NewPCG(w.plan.Seed, 1))
	begin := time.Date(2026, 12, 1, 9, 0, 0, 0, time.UTC)
	var runs []store.StudyRun
	add := func(k study.Key, s *study.Scenario, start string) {
		at := begin.Add(time.Duration(len(runs)) * time.Minute)
		qps := level(k) * math.Exp(random.NormFloat64()*w.sd)
		if w.factor != nil && !s.Baseline && !s.AA {
			qps *= w.factor(k)
		}
		if k.Share > 0 {
			qps *= k.Share
		}
		r := store.StudyRun{Key: k, Host: "2 CPUs, Linux"}
		r.ID = int64(len(runs) + 1)
		r.Workload, r.SQL, r.Threads, r.StartedAt, r.EndReason = k.Workload, true, k.Threads, at, "timeLimit"
		for i := range w.seconds {
			n := int64(math.Round(qps * math.Exp(random.NormFloat64()*0.01)))
			r.Series = append(r.Series, store.Second{End: float64(i + 1), Length: 1, Queries: n, Events: n / 20})
			r.Queries += n
			r.Events += n / 20
		}
		r.ElapsedSeconds = float64(w.seconds)
		r.QPS, r.TPS = float64(r.Queries)/r.ElapsedSeconds, float64(r.Events)/r.ElapsedSeconds
		r.MeanNs = 1e9 * float64(k.Threads) / r.TPS
		r.P50Ns, r.P95Ns, r.P99Ns = int64(r.MeanNs), int64(1.5*r.MeanNs), int64(2*r.MeanNs)
		r.ClientCPUSeconds = 10e-6 * float64(r.Queries)
		variables, reads := "a", 0.5
		if s.Name == "512M" {
			variables, reads = "b", 0.1
		}
		r.Evidence = &evidence.Run{
			Start: evidence.Start{ID: start, Version: "11.8.2-MariaDB"}, Variables: variables, Settings: "p",
			Status:    map[string]float64{"innodb_buffer_pool_reads": reads * float64(r.Queries)},
			Server:    &evidence.Process{UserSeconds: 1e-4 * level(k) / qps * float64(r.Queries), CPUs: 2, ReadBytes: -1, WriteBytes: 4096 * r.Queries, VoluntarySwitches: r.Queries, MemoryPeak: 300 << 20},
			Machine:   &evidence.Machine{CPUs: 2, BusyShare: 0.9},
			DataBytes: 1 << 30,
		}
		if w.change == nil || w.change(&r) {
			runs = append(runs, r)
		}
	}
	for round := 1; round <= w.plan.Rounds; round++ {
		for t := range w.plan.Targets {
			target := &w.plan.Targets[t]
			for i := range target.Scenarios {
				s := &target.Scenarios[i]
				start := fmt.Sprintf("%s/%s/%d", target.Name, s.Name, round)
				for _, x := range w.plan.Workloads {
					for _, n := range w.plan.Threads {
						add(study.Key{Target: target.Name, Scenario: s.Name, Workload: x.Name, Threads: n, Round: round}, s, start)
					}
					for _, share := range w.plan.EqualLoad {
						add(study.Key{Target: target.Name, Scenario: s.Name, Workload: x.Name, Threads: w.plan.Headline, Round: round, Share: share}, s, start)
					}
				}
			}
		}
	}
	return runs
}

func (w *world) snapshot(hash string) (evidence.Snapshot, error) {
	if s, ok := w.snaps[hash]; ok {
		return s, nil
	}
	return nil, errors.New("no such snapshot: " + hash)
}

func (w *world) analyse(t testing.TB, o Options) *Results {
	t.Helper()
	runs := w.runs()
	w.study.Planned = len(runs)
	r, err := Analyse(context.Background(), &w.plan, &w.study, runs, w.snapshot, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}
