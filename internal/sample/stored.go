package sample

import (
	"fmt"
	"strconv"

	"deltabench/internal/store"
)

// fromStored returns a recorded run from the columns of its table, without its seconds: for so many runs that reading
// their documents would take long.
func fromStored(s store.Run) *Run {
	r := &Run{
		Source: fmt.Sprintf("run %d", s.ID), ID: s.ID, Hash: s.Hash, Started: s.StartedAt, Workload: s.Workload, SQL: s.SQL, Threads: s.Threads,
		Rate: s.Rate, Seconds: s.ElapsedSeconds, Events: s.Events, facts: map[string]fact{}, partial: true,
	}
	r.Failed = failure(s.EndReason, s.EndError, s.ExitCode, s.Events)
	if s.ClientLimit != "" {
		r.Warnings = append(r.Warnings, "the client may have been the limit: "+s.ClientLimit)
	}
	r.set(TPS, s.TPS, 0)
	if s.SQL && s.Queries > 0 {
		r.set(QPS, s.QPS, 0)
	}
	if s.MeanNs > 0 {
		r.set(Latency, s.MeanNs/1e6, 0)
		for name, ns := range map[string]int64{"p50": s.P50Ns, "p95": s.P95Ns, "p99": s.P99Ns, "p99.9": s.P999Ns} {
			r.set(name, float64(ns)/1e6, 0)
		}
	}
	r.set(CPU, perQuery(s.ClientCPUSeconds, s.Queries, s.Events), 0)
	r.setErrors(s.Errors)

	text := func(name, value string) { r.facts[name] = fact{text: value} }
	text(factWorkload, s.Workload)
	text(factThreads, strconv.Itoa(s.Threads))
	text(factTool, "deltabench "+s.ToolVersion)
	text(factFace, s.CalledAs)
	text(factRate, rateText(s.Rate))
	text(factOptions, s.OptionsHash)
	r.facts[factLength] = lengthFact(s.ElapsedSeconds, s.Events)
	if s.Tables > 0 {
		text(factTables, strconv.FormatInt(s.Tables, 10))
	}
	if s.TableSize > 0 {
		text(factRows, strconv.FormatInt(s.TableSize, 10))
		text(factLayout, s.Layout)
	}
	if s.Transport != "" {
		text(factTransport, s.Transport)
		text(factServer, s.Server)
		text(factAddress, s.Address)
	}
	return r
}
