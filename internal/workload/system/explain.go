package system

import (
	"fmt"
	"strings"

	"deltabench/internal/workload"
)

// Describe completes the sentence that starts with "An event".
func (t *test) Describe(o workload.Values, threads int) string { return t.describe(o, threads) }

func describeCPU(o workload.Values, _ int) string {
	return fmt.Sprintf("counts the primes from 3 to below %d (--cpu-max-prime): it divides each number by all from 2 up to its square root, until one divides it.",
		o.Int("cpu_max_prime"))
}

func describeMemory(o workload.Values, threads int) string {
	size, total := o.Size("memory_block_size"), o.Size("memory_total_size")
	verb, order, whose := "writes", "one after the other", "all threads use the same block"
	switch o.String("memory_oper") {
	case "read":
		verb = "reads"
	case "none":
		return "does nothing (--memory-oper=none): what is measured is the cost of an event itself."
	}
	if o.String("memory_access_mode") == "rnd" {
		order = "at random places"
	}
	if o.String("memory_scope") == "local" {
		whose = "each thread has a block of its own"
	}
	text := fmt.Sprintf("%s as many words of %d bytes as a block of %d bytes has (--memory-block-size), %s; %s (--memory-scope).", verb, wordSize, size, order, whose)
	if size > 0 && total > 0 {
		text += fmt.Sprintf(" %s %d events, its share of the %s MiB of --memory-total-size.", eachThread(threads), total/size/int64(threads), mebibytes(total))
	}
	return text
}

func eachThread(threads int) string {
	if threads == 1 {
		return "The thread ends after"
	}
	return fmt.Sprintf("Each of %d threads ends after", threads)
}

// mebibytes is a size without an exponent, to a thousandth.
func mebibytes(n int64) string {
	return strings.TrimSuffix(strings.TrimRight(fmt.Sprintf("%.3f", float64(n)/(1<<20)), "0"), ".")
}

func describeThreads(o workload.Values, threads int) string {
	return fmt.Sprintf("%d times (--thread-yields): takes a lock, gives the CPU to others while it holds it, and releases it. There are %d locks (--thread-locks) for --threads=%d; the number of the event says which one it takes.",
		o.Int("thread_yields"), o.Int("thread_locks"), threads)
}

func describeMutex(o workload.Values, _ int) string {
	return fmt.Sprintf("%d times (--mutex-locks): runs %d empty iterations (--mutex-loops), takes a random one of %d locks (--mutex-num), adds 1 to a counter, and releases it. Each thread executes one event.",
		o.Int("mutex_locks"), o.Int("mutex_loops"), o.Int("mutex_num"))
}

// describeFileio is for a test that is known by name only.
func describeFileio(workload.Values, int) string { return "is not in this version yet." }
