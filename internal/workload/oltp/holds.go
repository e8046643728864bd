package oltp

import "deltabench/internal/workload"

// Holds says what each thread keeps on the server.
func (r *run) Holds() workload.Holdings {
	h := workload.Holdings{Tables: times(r.config.tables)}
	if r.program.ranges != nil {
		return workload.Holdings{Tables: 1, Statements: 1}
	}
	for _, k := range r.program.prepare {
		switch k {
		case kindBegin:
			h.Statements++
			h.Optional++ // MySQL and older MariaDB servers do not prepare it
		case kindCommit:
			h.Statements++
		default:
			h.PerTable++
		}
	}
	return h
}

// Holds says that each thread has a table of its own.
func (bulkRun) Holds() workload.Holdings { return workload.Holdings{Tables: 1} }
