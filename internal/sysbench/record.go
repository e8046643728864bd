package sysbench

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"deltabench/internal/engine"
	"deltabench/internal/option"
	"deltabench/internal/report"
	"deltabench/internal/store"
	"deltabench/internal/textlog"
)

// recordSpecs are the options of recording. sysbench's face has none of them: it never records, and an option without an
// effect would only take a script's.
func recordSpecs() []option.Spec {
	return []option.Spec{
		{Name: "store", Desc: "file of the store that the run is recorded in, or none; else DELTABENCH_STORE, or runs.db where this user's data is", Type: option.String, Default: ""},
		{Name: "no-record", Desc: "do not record the run", Type: option.Bool, Default: "off"},
		{Name: "tag", Desc: "mark the recorded run, as in --tag=scenario=new; several with commas, or several times", Type: option.List, Default: ""},
		{Name: "note", Desc: "remember a text with the recorded run", Type: option.String, Default: ""},
	}
}

// recordLimit is how long recording may take, waits for other processes included.
const recordLimit = time.Minute

// recording is whether and where a run is recorded.
type recording struct {
	path     string // empty: it is not
	explicit bool   // the command line names the store: a run that cannot be recorded there is not started
	missing  error  // why there is no path although nobody said that there should be none
	tags     map[string]string
	note     string
}

// wanted reports whether the run is to be recorded.
func (r recording) wanted() bool { return r.path != "" }

// recording reads the options of recording. Only runs of our face are recorded.
func (s *session) recording(command string) (recording, error) {
	var r recording
	if s.env.Face != FaceDeltabench {
		return r, nil
	}
	var err error
	if r.tags, err = store.ParseTags(s.ours.List("tag"), false); err != nil {
		return r, usagef("--tag: %s", err).hinted("KEY=VALUE, as in --tag=scenario=new")
	}
	r.note = s.ours.String("note")
	if command != "run" || s.ours.Bool("no-record") {
		return r, nil
	}
	if r.path = s.ours.String("store"); r.path != "" {
		r.explicit = true
	} else if r.path, r.missing = store.DefaultPath(s.env.Getenv); r.missing != nil {
		return r, nil
	}
	if r.path == store.None {
		r.path = ""
	}
	return r, nil
}

// collectTags makes tags of several --tag add up. The last one wins for other options.
func (s *session) collectTags(arg string) {
	name, _, _ := strings.Cut(arg[2:], "=")
	if s.env.Face != FaceDeltabench || option.Key(name) != "tag" {
		return
	}
	s.tags = append(s.tags, s.ours.List("tag")...)
	s.ours.SetText("tag", strings.Join(s.tags, ","))
}

// probe finds out before the run whether the store that the command line names can be used.
func (r recording) probe(ctx context.Context, stderr io.Writer) int {
	if !r.wanted() || !r.explicit {
		return ExitOK
	}
	s, err := store.Open(ctx, r.path, store.ReadWrite)
	if err != nil {
		fmt.Fprintf(stderr, "deltabench: %s\n", err)
		return ExitStore
	}
	s.Close()
	return ExitOK
}

// save records a document and tells its number. What goes wrong is one line on standard error, whatever has the report, and
// changes the exit code only when the command line names the store.
func (r recording) save(ctx context.Context, d *report.Document, g *General, log *textlog.Log, stderr io.Writer, code int) int {
	id, err := r.add(ctx, d)
	if err != nil {
		fmt.Fprintf(stderr, "deltabench: this run is not recorded: %s\n", err)
		if r.explicit && code == ExitOK {
			return ExitStore
		}
		return code
	}
	if g.ReportExtra {
		where := ""
		if r.explicit {
			where = " --store=" + r.path
		}
		log.Noticef("Recorded as run %d: deltabench runs show %d%s", id, id, where)
	}
	return code
}

func (r recording) add(ctx context.Context, d *report.Document) (int64, error) {
	// An interrupt has ended the run, which is recorded all the same.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), recordLimit)
	defer cancel()
	s, err := store.Open(ctx, r.path, store.ReadWrite)
	if err != nil {
		return 0, err
	}
	defer s.Close()
	return s.Record(ctx, store.Recorded{Document: d, Tags: r.tags, Note: r.note})
}

// record keeps a finished run in the store, if it is to be kept, and returns the code that the program ends with.
func (r *recorder) record(ctx context.Context, res *engine.Result, code int) int {
	rec := r.req.Record
	if rec.missing != nil {
		fmt.Fprintf(r.req.Stderr, "deltabench: this run is not recorded: %s\n", rec.missing)
	}
	if !rec.wanted() {
		return code
	}
	d, err := r.document(res, code)
	if err != nil {
		fmt.Fprintf(r.req.Stderr, "deltabench: this run is not recorded: %s\n", err)
		return code
	}
	return rec.save(ctx, d, r.req.General, r.log, r.req.Stderr, code)
}
