package reference

import (
	"fmt"
	"strconv"
	"strings"

	"deltabench/internal/table"
)

func performanceSchema(s *Set, _ int) (*table.Comparisons, error) {
	records, err := read("performance_schema.csv")
	if err != nil {
		return nil, err
	}
	c := &table.Comparisons{
		Title:    "Published: " + s.Question,
		Source:   "a public study of Performance Schema on two managed MySQL services, rds (general-purpose, 4 cores, 16 GB) and polardb (dedicated, 4 cores, 16 GB); sysbench, 10 tables; mean QPS after the CPU was saturated",
		Baseline: "pfsoff",
		Scenarios: []table.Scenario{
			{Name: "pfsoff", Description: "performance_schema off: no monitoring"},
			{Name: "pfson_conoff_insoff", Description: "on, consumers and instruments off: nothing is collected"},
			{Name: "pfson_conon_insoff", Description: "on, consumers on, instruments off: the pipeline without points that feed it"},
			{Name: "pfson_conon_ins_sqlon", Description: "on, consumers and instruments of statements: statement-level statistics"},
			{Name: "pfson_conoff_inson", Description: "on, consumers off, instruments on and timed: tracked, then dropped"},
			{Name: "pfson_conon_inson", Description: "on, everything on and timed: full monitoring"},
		},
		Notes: []string{unrepeated},
	}
	type cell struct{ database, workload, threads string }
	baselines := map[cell]*float64{}
	for _, r := range records {
		if r["scenario"] == c.Baseline {
			if baselines[cell{r["database"], r["workload"], r["threads"]}], err = r.number("qps"); err != nil {
				return nil, err
			}
		}
	}
	for i, r := range records {
		if r["scenario"] == c.Baseline {
			continue
		}
		l := table.Line{Metric: qps, Target: r["database"], Workload: r["workload"], Scenario: r["scenario"]}
		l.Metric.Places = -1
		l.Baseline = baselines[cell{r["database"], r["workload"], r["threads"]}]
		var errs [3]error
		l.Threads, errs[0] = strconv.Atoi(r["threads"])
		l.Value, errs[1] = r.number("qps")
		l.Published, errs[2] = r.number("published_delta_percent")
		for _, err := range errs {
			if err != nil {
				return nil, fmt.Errorf("row %d: %w", i+2, err)
			}
		}
		c.Lines = append(c.Lines, l)
	}
	return c, nil
}

// queriesPerTransaction are those of sysbench's tests with its defaults: reads, writes, BEGIN and COMMIT.
var queriesPerTransaction = map[string]float64{"oltp_read_only": 16, "oltp_read_write": 20}

func confidential(s *Set, _ int) (*table.Comparisons, error) {
	records, err := read("confidential.csv")
	if err != nil {
		return nil, err
	}
	c := &table.Comparisons{
		Title:    "Published: " + s.Question,
		Source:   "a public report on a database with always-encrypted results; sysbench, 250 tables of 25,000 rows, MySQL 5.7 and 8.0; response times are means per transaction",
		Baseline: "plaintext",
		Scenarios: []table.Scenario{
			{Name: "plaintext", Description: "no rules"},
			{Name: "ciphertext", Description: "every column of every test table is encrypted in results"},
		},
		Notes: []string{
			unrepeated,
			"Little's law: threads x queries per transaction (16 read-only, 20 read-write) / response time is the QPS of a closed loop; shown is how far it is from the published QPS.",
		},
	}
	response := table.Metric{Name: "response time", Unit: "ms", LowerIsBetter: true, Places: 2}
	rate := qps
	rate.Places = 2
	little := table.Metric{Name: "Little's law", Unit: "% off", Uncompared: true, Places: 2}
	type cell struct{ version, workload, threads string }
	plain := map[cell]record{}
	for i, r := range records {
		k := cell{r["mysql_version"], r["workload"], r["threads"]}
		if r["scenario"] == c.Baseline {
			plain[k] = r
			continue
		}
		threads, err := strconv.Atoi(r["threads"])
		if err != nil {
			return nil, fmt.Errorf("row %d: %w", i+2, err)
		}
		lines := [3]table.Line{}
		for j, m := range []table.Metric{rate, response, little} {
			lines[j] = table.Line{Metric: m, Target: "MySQL " + k.version, Workload: k.workload, Threads: threads, Scenario: r["scenario"]}
		}
		for side, r := range []record{plain[k], r} {
			q, err := r.number("qps")
			if err != nil {
				return nil, fmt.Errorf("row %d: %w", i+2, err)
			}
			ms, err := r.number("response_time_ms")
			if err != nil {
				return nil, fmt.Errorf("row %d: %w", i+2, err)
			}
			off := Little(threads, queriesPerTransaction[k.workload], *ms/1000, *q)
			for j, v := range []*float64{q, ms, &off} {
				if side == 0 {
					lines[j].Baseline = v
				} else {
					lines[j].Value = v
				}
			}
		}
		c.Lines = append(c.Lines, lines[:]...)
	}
	return c, nil
}

// Little returns by how many percent the throughput that Little's law gives for a closed loop, threads x queries / seconds per
// transaction, is off the one that was published.
func Little(threads int, queries, seconds, qps float64) float64 {
	return 100 * (float64(threads)*queries/seconds/qps - 1)
}

func hotspot(s *Set, _ int) (*table.Comparisons, error) {
	records, err := read("hotspot.csv")
	if err != nil {
		return nil, err
	}
	c := &table.Comparisons{
		Title:  "Published: " + s.Question,
		Source: "a public description of a managed database's optimisation for single-row updates; a sysbench 0.5 script, one table of 100 rows; the enterprise instance had 90 cores",
		Scenarios: []table.Scenario{
			{Name: "high_availability", Description: "High-availability Edition; only a rounded TPS was published"},
			{Name: "enterprise", Description: "Enterprise Edition; counts of a sysbench 0.5 report, 30,822.67 per second there"},
		},
		Notes: []string{
			"Published figures of two products on different machines, one run each: nothing is compared.",
			"The counts fit each other: 2 other statements (BEGIN, COMMIT) and 1 write for each transaction.",
		},
	}
	for _, m := range []table.Metric{
		{Name: "TPS", Unit: "transactions/s", Places: -1, Uncompared: true},
		{Name: "read", Unit: "queries", Places: -1, Uncompared: true},
		{Name: "write", Unit: "queries", Places: -1, Uncompared: true},
		{Name: "other", Unit: "queries", Places: -1, Uncompared: true},
		{Name: "total", Unit: "queries", Places: -1, Uncompared: true},
		{Name: "transactions", Places: -1, Uncompared: true},
	} {
		for _, r := range records {
			v, err := r.number(strings.ToLower(m.Name))
			if err != nil {
				return nil, err
			}
			if m.Name == "TPS" && r["edition"] == "high_availability" && v != nil {
				c.Lines = append(c.Lines, table.Line{Metric: m, Scenario: r["edition"], Value: v, Footnotes: []string{"a rounded figure"}})
				continue
			}
			c.Lines = append(c.Lines, table.Line{Metric: m, Scenario: r["edition"], Value: v})
		}
	}
	return c, nil
}

func network(s *Set, _ int) (*table.Comparisons, error) {
	return &table.Comparisons{
		Title:  "Published: " + s.Question,
		Source: "a public comparison of a managed MySQL's old and new network architecture; sysbench 1.0.20 from a client of 8 cores, 10 tables of 10,000,000 rows, 300 s a run, 2 to 3,000 threads",
		Notes: []string{
			"Lines over threads were published, no figures: there is nothing to compute. What they were said to show:",
			"The new architecture is above the old one at every number of threads, by 20 % and more on average.",
			"Write-only: highest at 256 threads, +20 % at 512.",
			"Read-only (--skip-trx=1): +22 % at 16 threads, flat from 64 on.",
			"Read-write: highest at 512 threads, +18 % there.",
			"No interval, number of runs or spread was published.",
		},
	}, nil
}

func bufferPool(s *Set, _ int) (*table.Comparisons, error) {
	records, err := read("tutorial.csv")
	if err != nil {
		return nil, err
	}
	c := &table.Comparisons{
		Title:     "Published: " + s.Question,
		Source:    "a public tutorial; MariaDB 5.5, sysbench 0.4.12, --test=oltp with its defaults: 1 thread, 10,000 transactions, 10,000 rows, one run each",
		Baseline:  "128M",
		Scenarios: []table.Scenario{{Name: "128M", Description: "innodb_buffer_pool_size before"}, {Name: "512M", Description: "after, with a restart"}},
		Notes: []string{
			unrepeated,
			"The author noted +2.5 % and that this is almost within error. One run a side cannot tell: 5 runs a side are the least for a verdict.",
		},
	}
	if len(records) != 2 {
		return nil, fmt.Errorf("%d rows in place of 2", len(records))
	}
	for _, m := range []struct {
		column string
		metric table.Metric
	}{
		{"tps", table.Metric{Name: "TPS", Unit: "transactions/s", Places: 2}},
		{"seconds", table.Metric{Name: "total time", Unit: "s", Places: 2, LowerIsBetter: true}},
		{"avg_ms", table.Metric{Name: "mean response time", Unit: "ms", Places: 2, LowerIsBetter: true}},
		{"p95_ms", table.Metric{Name: "p95", Unit: "ms", Places: 2, LowerIsBetter: true}},
	} {
		l := table.Line{Metric: m.metric, Workload: "oltp", Threads: 1, Scenario: records[1]["innodb_buffer_pool_size"]}
		if l.Baseline, err = records[0].number(m.column); err != nil {
			return nil, err
		}
		if l.Value, err = records[1].number(m.column); err != nil {
			return nil, err
		}
		c.Lines = append(c.Lines, l)
	}
	return c, nil
}
