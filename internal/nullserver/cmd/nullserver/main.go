// Command nullserver is a MySQL server that answers sysbench's statements at once, for benchmarks of clients. It
// prints "listening on ADDRESS" when it is ready and ends on SIGINT or SIGTERM.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"syscall"

	"deltabench/internal/nullserver"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// run serves until ctx ends. It returns the exit code: 2 for bad arguments, 1 for other errors.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	var o nullserver.Options
	fs := flag.NewFlagSet("nullserver", flag.ContinueOnError)
	fs.SetOutput(stderr)
	fs.StringVar(&o.Listen, "listen", "127.0.0.1:0", "`ADDRESS` to listen on: host:port, or the path of a unix socket (with a slash)")
	fs.DurationVar(&o.Delay, "delay", 0, "time from a statement's arrival to its reply")
	fs.DurationVar(&o.Jitter, "jitter", 0, "random addition to the delay, even between 0 and this")
	fs.IntVar(&o.Loops, "loops", 1, "event loops, each a thread")
	fs.Func("cpus", "`LIST` of CPUs such as 0,1: loop i runs on the i-th, over and over", func(s string) error {
		for f := range strings.SplitSeq(s, ",") {
			n, err := strconv.ParseUint(f, 10, 16)
			if err != nil {
				return fmt.Errorf("%q is not a CPU number", f)
			}
			o.CPUs = append(o.CPUs, int(n))
		}
		return nil
	})
	fs.BoolVar(&o.MySQL, "mysql", false, "speak as MySQL 8 does, without MariaDB's extensions")
	fs.BoolVar(&o.NoMetadataCache, "no-metadata-cache", false, "send column definitions with every result set")
	fs.BoolVar(&o.NoDeprecateEOF, "no-deprecate-eof", false, "do not offer CLIENT_DEPRECATE_EOF")
	fs.IntVar(&o.Answers.RangeRows, "range-rows", 100, "rows of range selects")
	stats := fs.Bool("stats", false, "print counts of connections and queries at the end")
	if err := fs.Parse(args); err != nil {
		return 2
	}
	if fs.NArg() > 0 {
		fmt.Fprintf(stderr, "nullserver: unexpected argument %q\n", fs.Arg(0))
		return 2
	}
	f, err := nullserver.ListenFast(o)
	if err != nil {
		fmt.Fprintln(stderr, "nullserver:", err)
		return 1
	}
	fmt.Fprintln(stdout, "listening on", f.Addr())
	<-ctx.Done()
	if *stats {
		s := f.Stats()
		fmt.Fprintf(stdout, "connections: %d\nqueries: %d\n", s.Connections, s.Queries)
	}
	if err := f.Close(); err != nil {
		fmt.Fprintln(stderr, "nullserver:", err)
		return 1
	}
	return 0
}
