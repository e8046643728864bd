package sysbench

import (
	"context"

	"deltabench/internal/workload"
)

// bundledTests are the tests of this program in the order of help.
func bundledTests() []workload.Test { return nil }

// runEngine is the Runner that executes tests with the engine.
func runEngine(_ context.Context, req *Request) int {
	req.Log.Fatalf("the engine is not connected")
	return ExitUnsupported
}
