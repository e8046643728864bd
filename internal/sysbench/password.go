package sysbench

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/term"

	"deltabench/internal/option"
)

// askMark is the value of --mysql-password without a value on our face; no argument can contain it.
const askMark = "\x00"

// Where a password comes from, when that is no option file.
const (
	fromPasswordFile = "--mysql-password-file"
	fromOption       = "--mysql-password"
	fromEnvironment  = "MYSQL_PWD"
	fromTerminal     = "the terminal"
)

// takePassword decides which password is used. The first of these that is given wins: --mysql-password-file,
// --mysql-password, option files, MYSQL_PWD; as for MySQL's client, the environment comes last. An empty password is one
// that is given, except to sysbench, which takes it for none.
func (d *Database) takePassword(face Face, set, ours *option.Set, getenv func(string) string) {
	typed := set.String("mysql-password")
	given := set.Given("mysql-password") && (typed != "" || face == FaceDeltabench)
	o, inFile := d.files["password"]
	switch file := ours.String("mysql-password-file"); {
	case file != "":
		d.readPasswordFile(file)
		d.passwordFrom = fromPasswordFile
	case given && typed == askMark:
		d.ask = true
	case given:
		d.Password = option.Secret(typed)
		d.passwordFrom = fromOption
	case inFile && o.HasValue:
		d.Password = option.Secret(o.Value)
		d.passwordFrom = o.Where
	case inFile: // so does the client
		d.ask = true
	default:
		d.Password = option.Secret(getenv("MYSQL_PWD"))
		d.passwordFrom = fromEnvironment
	}
}

// whyNoPassword says why the password is empty, and what to do about that.
func (d *Database) whyNoPassword() string {
	switch d.passwordFrom {
	case fromPasswordFile:
		if d.passwordFileEmpty {
			return ": the file of --mysql-password-file is empty"
		}
		return ": the first line in the file of --mysql-password-file is empty"
	case fromOption:
		return ", since --mysql-password= is empty: leave it out (MYSQL_PWD counts then), or give the password with --mysql-password-file"
	case fromTerminal:
		return ": what was typed is empty"
	case fromEnvironment:
		return ": give it with --mysql-password-file or the environment variable MYSQL_PWD"
	}
	return ": it is empty in " + d.passwordFrom
}

// askPassword asks for the password at the terminal, without echo.
func (s *session) askPassword(ctx context.Context, d *Database) error {
	in, done := s.terminal()
	if in == nil {
		return usagef("a password is to be asked for, and there is no terminal").
			hinted("--mysql-password-file=FILE, the environment variable MYSQL_PWD, or password=... in ~/.my.cnf; --mysql-password= is none")
	}
	defer done()
	fd := int(in.Fd())
	state, err := term.GetState(fd)
	if err != nil {
		return usagef("ask for a password: %s", reason(err))
	}
	fmt.Fprintf(s.env.Stderr, "Password of %s: ", d.User)
	type answer struct {
		text []byte
		err  error
	}
	answered := make(chan answer, 1)
	go func() {
		text, err := readHidden(fd)
		answered <- answer{text, err}
	}()
	select {
	case a := <-answered:
		fmt.Fprintln(s.env.Stderr)
		switch {
		case errors.Is(a.err, io.EOF): // Ctrl-D
			return usagef("no password was given").hinted("an empty line is an empty password")
		case a.err != nil:
			return usagef("ask for a password: %s", reason(a.err))
		}
		d.Password, d.passwordFrom = option.Secret(a.text), fromTerminal
		return nil
	case <-ctx.Done():
		_ = term.Restore(fd, state) // the terminal of a process that ends
		fmt.Fprintln(s.env.Stderr)
		r := usagef("interrupted while the password was asked for")
		r.code = ExitInterrupted
		return r
	}
}

// terminal returns where to ask the user, nil if there is nobody.
func (s *session) terminal() (in *os.File, done func()) {
	stdin, ok := s.env.Stdin.(*os.File)
	if !ok {
		return nil, nil
	}
	if term.IsTerminal(int(stdin.Fd())) {
		return stdin, func() {}
	}
	tty, err := os.Open("/dev/tty")
	if err != nil {
		return nil, nil
	}
	return tty, func() { _ = tty.Close() }
}

// SecretPart returns where in an argument of a command line a password starts, and whether there is one. It errs
// towards passwords: options are mistyped, and other programs' are tried.
func SecretPart(arg string) (start int, ok bool) {
	name, value, hasValue := strings.Cut(arg, "=")
	lower := strings.ToLower(name)
	switch {
	case hasValue && value != "" && strings.Contains(lower, "pas") && !strings.HasSuffix(lower, "file"):
		return len(name) + 1, true
	case strings.HasPrefix(arg, "-p") && len(arg) > 2 && !hasValue:
		return 2, true
	}
	return 0, false
}
