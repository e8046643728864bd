package system

import "deltabench/internal/workload"

// Names of figures carry their units: they are read by programs.

// Figures are the speed in events.
func (r *cpuRun) Figures(t workload.Totals) map[string]float64 {
	return map[string]float64{"eventsPerSecond": t.PerSecond()}
}

// Figures are what was transferred.
func (r *memoryRun) Figures(t workload.Totals) map[string]float64 {
	f := map[string]float64{"operationsPerSecond": t.PerSecond()}
	if r.operation != "none" {
		f["transferredMiB"], f["transferredMiBPerSecond"] = r.mebibytes(float64(t.Events)), r.mebibytes(t.PerSecond())
	}
	return f
}
