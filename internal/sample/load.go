package sample

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"deltabench/internal/report"
	"deltabench/internal/store"
)

// maxDocuments is up to how many recorded runs their documents are read, with seconds and all options; beyond, the columns of the
// runs are enough: a document takes a millisecond.
const maxDocuments = 500

// Source is where recorded runs are.
type Source interface {
	Runs(context.Context, store.Filter) ([]store.Run, error)
	Document(context.Context, int64) (*report.Document, error)
}

// Loader finds runs by what users type.
type Loader struct {
	// Open opens the store; it is called when a word names recorded runs, once.
	Open func() (Source, error)

	store Source
}

var (
	rangeWord = regexp.MustCompile(`^(\d+)(?:(?:-|\.\.)(\d+))?$`)
	listWord  = regexp.MustCompile(`^\d[\d.-]*(?:,\d[\d.-]*)+$`) // 1,3-5
)

// Load returns the runs of words: a run's number, a range of numbers (17-24), a tag (scenario=new), or a file, JSON or
// text. A run that two words name is there once, also where one of them names a copy (Run.Also). Every word names at least one run, else the error says which does not.
func (l *Loader) Load(ctx context.Context, words []string) ([]*Run, error) {
	var runs []*Run
	var stored []store.Run
	seen := map[int64]bool{}
	files := map[string]bool{}
	for _, word := range words {
		filter, recorded, err := filterOf(word)
		if err != nil {
			return nil, err
		}
		if !recorded {
			if !files[word] {
				files[word] = true
				more, err := ReadFile(word)
				if err != nil {
					return nil, err
				}
				runs = append(runs, more...)
			}
			continue
		}
		found, err := l.find(ctx, word, filter)
		if err != nil {
			return nil, err
		}
		for _, r := range found {
			if !seen[r.ID] {
				seen[r.ID] = true
				stored = append(stored, r)
			}
		}
	}
	for _, s := range stored {
		run := fromStored(s)
		if len(stored) <= maxDocuments {
			d, err := l.store.Document(ctx, s.ID)
			if err != nil {
				return nil, err
			}
			run = FromDocument(run.Source, d)
			run.ID, run.Hash = s.ID, s.Hash
		}
		runs = append(runs, run)
	}
	return once(runs), nil
}

// once leaves out runs that are there already, from elsewhere: they would count twice.
func once(runs []*Run) []*Run {
	byHash := map[string]*Run{}
	return slices.DeleteFunc(runs, func(r *Run) bool {
		first := byHash[r.Hash]
		if first != nil {
			first.Also = append(first.Also, r.Source)
			return true
		}
		if r.Hash != "" {
			byHash[r.Hash] = r
		}
		return false
	})
}

// Numbers reads a run's number or a range of numbers (17-24, 17..24); ok is false for words that are neither.
func Numbers(word string) (ids []int64, ok bool, err error) {
	m := rangeWord.FindStringSubmatch(word)
	if m == nil {
		if listWord.MatchString(word) {
			err = fmt.Errorf("%s: numbers of runs are separated by blanks: %s", word, strings.ReplaceAll(word, ",", " "))
		}
		return nil, false, err
	}
	first, err := strconv.ParseInt(m[1], 10, 64)
	last := first
	if err == nil && m[2] != "" {
		last, err = strconv.ParseInt(m[2], 10, 64)
	}
	switch {
	case err != nil:
		return nil, false, fmt.Errorf("%s: no run has so large a number; see 'deltabench runs list'", word)
	case last < first:
		return nil, false, fmt.Errorf("%s: the range ends before it starts; write %d-%d", word, last, first)
	case last-first >= 1e6:
		return nil, false, fmt.Errorf("%s: a range of more than a million runs", word)
	}
	for id := first; id <= last; id++ {
		ids = append(ids, id)
	}
	return ids, true, nil
}

// filterOf says which recorded runs a word names; recorded is false for files.
func filterOf(word string) (f store.Filter, recorded bool, err error) {
	if f.IDs, recorded, err = Numbers(word); recorded {
		return f, true, nil
	}
	if err != nil {
		if _, missing := os.Stat(word); missing == nil {
			return f, false, nil // a file of that very name
		}
		return f, false, err
	}
	key, value, isTag := strings.Cut(word, "=")
	if isTag && !strings.ContainsAny(key, `/\.`) {
		if _, err := os.Stat(word); err == nil { // a file of that very name; ./x=y says so without doubt
			return f, false, nil
		}
		if key == "" || value == "" {
			return f, false, fmt.Errorf("%s: a tag is written key=value, as in scenario=new", word)
		}
		return store.Filter{Tags: map[string]string{key: value}}, true, nil
	}
	return f, false, nil
}

func (l *Loader) find(ctx context.Context, word string, f store.Filter) ([]store.Run, error) {
	if l.store == nil {
		s, err := l.Open()
		if err != nil {
			return nil, err
		}
		l.store = s
	}
	found, err := l.store.Runs(ctx, f)
	switch {
	case err != nil:
		return nil, err
	case len(found) > 0:
		return found, nil
	case f.Tags != nil:
		return nil, fmt.Errorf("%s: no recorded run has this tag; see 'deltabench runs list'; tags are given with --tag=%s", word, word)
	case len(f.IDs) > 1:
		return nil, fmt.Errorf("%s: there are no recorded runs with these numbers; see 'deltabench runs list'", word)
	}
	return nil, fmt.Errorf("%s: there is no recorded run with this number; see 'deltabench runs list'", word)
}

// ReadFile returns the runs of a file: a JSON report, lines of 'deltabench runs export', or the text of sysbench's reports.
func ReadFile(path string) ([]*Run, error) {
	f, err := os.Open(path)
	if err != nil {
		switch {
		case errors.Is(err, fs.ErrNotExist) && path == "-":
			return nil, errors.New("-: standard input is not read; give a file")
		case errors.Is(err, fs.ErrNotExist):
			return nil, fmt.Errorf("%s: there is no such file, and it is no run's number, range (17-24) or tag (key=value)", path)
		}
		return nil, plain(path, err)
	}
	defer f.Close()
	in := bufio.NewReader(f)
	if info, err := f.Stat(); err == nil && info.IsDir() {
		return nil, fmt.Errorf("%s: it is a directory; name the files in it", path)
	}
	head, err := in.Peek(512)
	if err != nil && err != io.EOF && len(head) == 0 {
		return nil, plain(path, err)
	}
	head = bytes.TrimLeft(bytes.TrimPrefix(head, []byte("\ufeff")), " \t\r\n")
	if len(head) > 0 && (head[0] == '{' || head[0] == '[' && !bytes.HasPrefix(head, []byte("[ "))) {
		return readJSON(path, in)
	}
	sum := sha256.New()
	runs, err := ReadText(path, io.TeeReader(in, sum))
	if err != nil {
		return nil, plain(path, err)
	}
	for i, run := range runs {
		run.Hash = fmt.Sprintf("text %x, report %d", sum.Sum(nil), i+1)
	}
	if len(runs) == 0 {
		return nil, fmt.Errorf("%s: there is no report of sysbench or deltabench in it", path)
	}
	return runs, nil
}

// plain is an error of a file without Go's words around it.
func plain(path string, err error) error {
	var inner *fs.PathError
	if errors.As(err, &inner) {
		err = inner.Err
	}
	return fmt.Errorf("%s: %w", path, err)
}

func readJSON(path string, in io.Reader) ([]*Run, error) {
	var runs []*Run
	_, err := store.Values(in, func(text json.RawMessage) error {
		d, hash, err := store.ReadDocument(text)
		if err != nil {
			return err
		}
		run := FromDocument(fmt.Sprintf("%s, report %d", path, len(runs)+1), d)
		run.Hash = hash
		runs = append(runs, run)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if len(runs) == 1 {
		runs[0].Source = path
	}
	return slices.Clip(runs), nil
}
