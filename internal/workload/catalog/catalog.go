// Package catalog lists the tests that the program has.
package catalog

import (
	"deltabench/internal/workload"
	"deltabench/internal/workload/oltp"
	"deltabench/internal/workload/system"
)

// BuiltIn returns the tests that sysbench has built in: their names win over files (specification 1.3).
func BuiltIn() []workload.Test { return system.Tests() }

// Bundled returns the tests that sysbench ships as scripts: a file of the same name wins over them.
func Bundled() []workload.Test { return oltp.Tests() }

// All returns all tests.
func All() []workload.Test { return append(BuiltIn(), Bundled()...) }

// Lookup returns the test of that name.
func Lookup(name string) (workload.Test, bool) {
	for _, t := range All() {
		if t.Name() == name {
			return t, true
		}
	}
	return nil, false
}
