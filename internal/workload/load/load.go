// Package load creates tables and fills them as fast as the server takes them: by LOAD DATA LOCAL INFILE streamed from
// memory, or by large INSERT statements; in parallel within a table when there are more threads than tables; and so that
// an interrupted load can be continued.
//
// Rows are made in blocks of BlockRows. A block's rows depend on the seed, the table and the block's number alone, so
// any thread may make any block (but see Config.Sequence). A transaction adds whole blocks. What is loaded can
// therefore be read off the tables: nothing is kept beside them, in files or in the database.
//
// No setting of the server is changed, not even of a session. It does not know what the tables are for: a Plan
// says what they look like.
package load

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"deltabench/internal/random"
	"deltabench/internal/sqldb"
	"deltabench/internal/textlog"
)

// BlockRows is the number of rows of a block. A change makes other rows of the same seed.
const BlockRows = 10_000

// Method is how rows get to the server.
type Method string

// Methods.
const (
	Auto   Method = "auto" // Infile where the server allows it, else Insert
	Infile Method = "infile"
	Insert Method = "insert"
)

// leastConnections is what one thread uses as well: while the server ends a transaction or makes an index for one of them, the other
// goes on with what comes next.
const leastConnections = 2

// Format is how a row is written.
type Format uint8

// Formats.
const (
	Lines  Format = iota // of LOAD DATA: columns separated by tabs, a line feed at the end
	Values               // of INSERT: (1,2,'x')
)

// Plan says what to load.
type Plan struct {
	Tables  []Table
	Columns string // of rows, "id, k, c, pad"; the first is a whole number, counted from 1
	// Whole is a condition that rows which were not cut off fulfil, such as "CHAR_LENGTH(pad) = 59".
	Whole string
	// AppendRow appends a row, whose draws it takes from src. Values must need no quoting. It is called by several
	// goroutines. A row has at most MaxRow bytes in either format.
	AppendRow func(dst []byte, f Format, src *random.Source, id int64) []byte
	MaxRow    int
	DiskRow   int64 // bytes that a row takes on disk with all its indexes, roughly
	LeastRow  int64 // bytes that it takes in any case
}

// Table is a table of a plan.
type Table struct {
	Name      string
	Create    string // statement
	Rows      int64
	IndexName string // secondary index; empty: none
	Index     string // statement that makes it
}

// Config says how to load.
type Config struct {
	Driver  sqldb.Driver
	Log     *textlog.Log
	Plan    Plan
	Threads int // connections, but see leastConnections
	Method  Method
	// IndexBefore makes secondary indexes with the tables, not after the rows.
	IndexBefore bool
	// Resume goes on with tables that exist, after checking that they are of this plan and seed.
	Resume bool
	Seed   uint64
	// Sequence, when not nil, is where one thread draws all rows from, table after table, instead of using Seed: the rows
	// are then those of sysbench. With more threads it only helps Resume to go on with what one thread began.
	Sequence *random.Source
	// Terminal, when not nil, gets a line of progress that is rewritten, in place of lines in the log.
	Terminal io.Writer

	// Hints for messages.
	CleanupHint, ResumeHint string

	free func(dir string) (bytes uint64, known bool) // stands in for freeSpace in tests
}

// Report is what a load did.
type Report struct {
	Started    bool // tables were created or changed: something may be left after an error
	Tables     int
	Rows       int64 // added
	Kept       int64 // that were there
	Took       time.Duration
	Method     Method
	Threads    int  // connections
	Sequential bool // rows of Config.Sequence
}

// Refusal is the reason why a load was not begun.
type Refusal struct {
	Lines []string
	Hint  string // what to do about all of them; may be empty
}

func (r *Refusal) Error() string {
	text := ""
	for i, l := range r.Lines {
		if i > 0 {
			text += "\n"
		}
		text += l
	}
	return text
}

func refuse(format string, args ...any) error {
	return &Refusal{Lines: []string{fmt.Sprintf(format, args...)}}
}

// loader is a load in progress.
type loader struct {
	Config
	report   Report
	facts    facts
	tables   []*table
	schedule *schedule
	progress *progress
	piece    int // bytes of a piece of data, see generator
}

// Run loads. An error is a *Refusal, has a *sqldb.Error in its chain, or is sqldb.ErrInterrupted when ctx has ended.
func Run(ctx context.Context, cfg Config) (Report, error) {
	l := &loader{Config: cfg}
	if l.free == nil {
		l.free = freeSpace
	}
	start := time.Now()
	err := l.run(ctx)
	l.report.Took = time.Since(start)
	return l.report, err
}

func (l *loader) run(ctx context.Context) error {
	if err := l.check(ctx); err != nil {
		return err
	}
	threads, largest := max(leastConnections, l.Threads), int64(maxSpan)
	if l.report.Sequential {
		threads, largest = leastConnections, sequenceSpan
	}
	l.schedule = newSchedule(l.tables, threads, largest)
	threads = min(threads, max(1, l.schedule.size()))
	l.report.Threads, l.report.Tables = threads, len(l.tables)
	l.progress = startProgress(l.Terminal, l.left(), threads)
	defer l.progress.stop()
	return l.work(ctx, threads)
}

// left is the number of rows to load.
func (l *loader) left() (n int64) {
	for _, t := range l.tables {
		n += t.left()
	}
	return n
}

// work runs the workers; the first that fails stops the others.
func (l *loader) work(ctx context.Context, threads int) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var gen *generator
	var (
		wg    sync.WaitGroup
		mu    sync.Mutex
		first error
	)
	for range threads {
		if gen == nil || gen.seq == nil {
			gen = l.newGenerator(ctx)
			wg.Go(gen.run)
		}
		w := &worker{loader: l, ctx: ctx, gen: gen}
		wg.Go(func() {
			err := w.run()
			mu.Lock()
			defer mu.Unlock()
			if err != nil && (first == nil || errors.Is(first, sqldb.ErrInterrupted)) {
				first = err
			}
			if err != nil {
				cancel()
			}
			l.report.Rows += w.rows
			l.report.Started = l.report.Started || w.started
		})
	}
	wg.Wait()
	return first
}

// say writes a line of progress as sysbench does, unless a terminal shows another one.
func (l *loader) say(format string, args ...any) {
	if l.Terminal == nil {
		l.Log.Direct(fmt.Sprintf(format, args...) + "\n")
	}
}
