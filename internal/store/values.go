package store

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"

	"deltabench/internal/report"
)

// Values calls do with every JSON value of an input, one after the other, and returns how many there were. Errors, those of do included, name
// the line: where the value starts or, in a value that is no JSON, where it ceases to be. The slice that do gets is its own.
func Values(in io.Reader, do func(json.RawMessage) error) (int, error) {
	r := bufio.NewReader(in)
	if mark, _ := r.Peek(3); bytes.Equal(mark, []byte("\xef\xbb\xbf")) { // of byte order; a failure is met again below
		_, _ = r.Discard(len(mark))
	}
	lines := &lineCounter{in: r, before: 1}
	dec := json.NewDecoder(lines)
	for n := 0; ; n++ {
		var text json.RawMessage
		err := dec.Decode(&text)
		var syntax *json.SyntaxError
		switch {
		case errors.Is(err, io.EOF):
			return n, nil
		case errors.Is(err, io.ErrUnexpectedEOF):
			_, start := waiting(dec)
			return n, fmt.Errorf("line %d: the document that starts there is cut off", lines.at(start))
		case errors.As(err, &syntax):
			if first, start := waiting(dec); first == '{' {
				return n, fmt.Errorf("line %d: the document is damaged there (it starts in line %d)", lines.at(syntax.Offset-1), lines.at(start))
			}
			return n, &notJSON{lines.at(syntax.Offset - 1)}
		case err != nil:
			return n, &inputError{err}
		}
		line := lines.at(dec.InputOffset() - int64(len(text)))
		lines.forget(dec.InputOffset())
		if err := do(text); err != nil {
			return n, fmt.Errorf("line %d: %w", line, err)
		}
	}
}

// waiting is the first byte of the value that could not be read, and its offset.
func waiting(dec *json.Decoder) (first byte, offset int64) {
	rest, _ := io.ReadAll(dec.Buffered()) // memory has no errors
	value := bytes.TrimLeft(rest, " \t\r\n")
	if len(value) > 0 {
		first = value[0]
	}
	return first, dec.InputOffset() + int64(len(rest)-len(value))
}

// notJSON is the error of an input that is something else.
type notJSON struct{ line int }

func (e *notJSON) Error() string { return fmt.Sprintf("line %d: it is no JSON", e.line) }

// inputError is an error of reading, in the system's words. It has no chain: it is nothing that is wrong with the store.
type inputError struct{ err error }

func (e *inputError) Error() string {
	var p *fs.PathError
	if errors.As(e.err, &p) {
		return p.Err.Error()
	}
	return e.err.Error()
}

// lineCounter knows in which line bytes of an input are.
type lineCounter struct {
	in     io.Reader
	read   int64
	ends   []int64 // offsets of newlines that are not forgotten
	before int     // number of the line that the first of them ends
}

func (l *lineCounter) Read(p []byte) (int, error) {
	n, err := l.in.Read(p)
	for i, c := range p[:n] {
		if c == '\n' {
			l.ends = append(l.ends, l.read+int64(i))
		}
	}
	l.read += int64(n)
	return n, err
}

// at is the line of the byte at an offset.
func (l *lineCounter) at(offset int64) int {
	i, _ := slices.BinarySearch(l.ends, offset)
	return l.before + i
}

// forget drops what is known of the bytes before an offset.
func (l *lineCounter) forget(offset int64) {
	i, _ := slices.BinarySearch(l.ends, offset)
	l.before += i
	l.ends = slices.Delete(l.ends, 0, i)
}

// ReadDocument reads a value: the report of a run, or that in a line of an export. hash is the one by which stores know it.
func ReadDocument(text json.RawMessage) (d *report.Document, hash string, err error) {
	l, err := readLine(text)
	if err == nil {
		d, err = readReport(l.Document)
	}
	if err == nil {
		hash, err = hashOf(l.Document)
	}
	return d, hash, err
}

// readLine reads a value of an import: a line of an export or, as the document of an empty one, a report.
func readLine(text json.RawMessage) (*line, error) {
	l := &line{}
	err := json.Unmarshal(text, l)
	switch {
	case l.Schema == report.Kind:
		return &line{Document: text}, nil
	case l.Schema != LineKind:
		return nil, errors.New("it is neither a run ('deltabench runs export') nor a report (--report=json)")
	case err != nil:
		return nil, fmt.Errorf("it is a %s, but %w", LineKind, jsonFault(err))
	}
	if err := knownVersion(l.SchemaVersion, LineVersion); err != nil {
		return nil, fmt.Errorf("it is a %s %w", LineKind, err)
	}
	if l.Document == nil {
		return nil, fmt.Errorf("it is a %s without document", LineKind)
	}
	return l, nil
}

// readReport reads the document of a run.
func readReport(text json.RawMessage) (*report.Document, error) {
	d := &report.Document{}
	err := json.Unmarshal(text, d)
	if d.Schema != report.Kind {
		return nil, fmt.Errorf("its document is no %s", report.Kind)
	}
	if err := knownVersion(d.SchemaVersion, report.SchemaVersion); err != nil {
		return nil, fmt.Errorf("its document is a %s %w", report.Kind, err)
	}
	if err != nil {
		return nil, fmt.Errorf("its document is damaged: %w", jsonFault(err))
	}
	return d, nil
}

// knownVersion is an error for versions that this program does not know.
func knownVersion(version, known int) error {
	switch {
	case version > known:
		return fmt.Errorf("of version %d, and this deltabench knows versions up to %d: use a newer one", version, known)
	case version < 1:
		return fmt.Errorf("of version %d, and versions start at 1", version)
	}
	return nil
}

// jsonFault words why JSON is not what it should be.
func jsonFault(err error) error {
	var t *json.UnmarshalTypeError
	if errors.As(err, &t) {
		return fmt.Errorf("%s has a value of the wrong kind (%s)", t.Field, t.Value)
	}
	return err
}
