package sample

import (
	"fmt"

	"deltabench/internal/report"
	"deltabench/internal/store"
)

// FromStudyRun returns the run of a study, with its seconds and warnings.
func FromStudyRun(s *store.StudyRun) *Run {
	r := fromStored(s.Run)
	r.Source = fmt.Sprintf("%s, %d threads, round %d", s.Key.Scenario, s.Key.Threads, s.Key.Round)
	r.Workload, r.Threads, r.Warnings = s.Key.Workload, s.Key.Threads, s.Texts
	if s.Failure != "" {
		r.Failed = s.Failure
	}
	intervals := make([]report.Interval, len(s.Series))
	for i, x := range s.Series {
		intervals[i].Warmup, intervals[i].LengthSeconds = x.Warmup, x.Length
		intervals[i].Events, intervals[i].Queries = x.Events, x.Queries
	}
	r.Series = seconds(intervals)
	return r
}
