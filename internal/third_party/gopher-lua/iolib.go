package lua

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
)

const lFileClass = "FILE*"

type lFile struct {
	fp     *os.File
	cmd    *exec.Cmd
	std    bool // stdin, stdout or stderr: not to be closed
	w      *bufio.Writer
	r      *bufio.Reader
	pipe   io.Closer
	direct io.Writer // standard output and error: not buffered here
	line   bool
	closed bool
}

func OpenIo(L *LState) int {
	mt := L.NewTypeMetatable(lFileClass)
	mt.RawSetString("__index", mt)
	mt.RawSetString("__name", LString(lFileClass))
	L.SetFuncs(mt, fileMethods)
	mod := L.RegisterModule(IoLibName, ioFuncs).(*LTable)
	stdin := pushFile(L, &lFile{fp: os.Stdin, std: true, r: nil})
	stdout := pushFile(L, &lFile{fp: os.Stdout, std: true, direct: stdoutWriter{L.G}})
	stderr := pushFile(L, &lFile{fp: os.Stderr, std: true, direct: os.Stderr})
	L.SetTop(0)
	mod.RawSetString("stdin", stdin)
	mod.RawSetString("stdout", stdout)
	mod.RawSetString("stderr", stderr)
	L.G.Registry.RawSetString("_IO_input", stdin)
	L.G.Registry.RawSetString("_IO_output", stdout)
	L.Push(mod)
	return 1
}

type stdoutWriter struct{ g *Global }

func (w stdoutWriter) Write(b []byte) (int, error) { return w.g.stdout.Write(b) }

var ioFuncs = map[string]LGFunction{
	"close":   ioClose,
	"flush":   ioFlush,
	"input":   ioInput,
	"lines":   ioLines,
	"open":    ioOpen,
	"output":  ioOutput,
	"popen":   ioPopen,
	"read":    ioRead,
	"tmpfile": ioTmpFile,
	"type":    ioType,
	"write":   ioWrite,
}

var fileMethods = map[string]LGFunction{
	"__tostring": fileToString,
	"close":      fileClose,
	"flush":      fileFlush,
	"lines":      fileLines,
	"read":       fileRead,
	"seek":       fileSeek,
	"setvbuf":    fileSetVBuf,
	"write":      fileWrite,
}

func pushFile(L *LState, f *lFile) *LUserData {
	ud := &LUserData{Value: f, Env: L.Env, Metatable: L.GetTypeMetatable(lFileClass)}
	if !f.std {
		if L.G.files == nil {
			L.G.files = map[*lFile]struct{}{}
		}
		L.G.files[f] = struct{}{}
	}
	L.Push(ud)
	return ud
}

func toFile(L *LState, n int) *lFile {
	if ud, ok := L.Get(n).(*LUserData); ok {
		if f, ok := ud.Value.(*lFile); ok {
			return f
		}
	}
	L.typeError(n, lFileClass)
	return nil
}

func checkFile(L *LState) *lFile {
	f := toFile(L, 1)
	if f.closed {
		L.RaiseError("attempt to use a closed file")
	}
	return f
}

func defaultFile(L *LState, which string) *lFile {
	ud, _ := L.G.Registry.RawGetString("_IO_" + which).(*LUserData)
	if ud == nil {
		L.RaiseError("standard %s file is closed", which)
	}
	f := ud.Value.(*lFile)
	if f.closed {
		L.RaiseError("standard %s file is closed", which)
	}
	return f
}

func (f *lFile) reader() *bufio.Reader {
	if f.w != nil && f.fp != nil {
		_ = f.w.Flush()
	}
	if f.r == nil {
		f.r = bufio.NewReaderSize(f.fp, 4096)
	}
	return f.r
}

// settle writes what is buffered and puts the file where the script believes it to be.
func (f *lFile) settle() error {
	if f.w != nil {
		if err := f.w.Flush(); err != nil {
			return err
		}
	}
	if f.r != nil && f.fp != nil {
		if n := f.r.Buffered(); n > 0 {
			if _, err := f.fp.Seek(int64(-n), io.SeekCurrent); err == nil {
				f.r.Reset(f.fp)
			}
		}
	}
	return nil
}

func (f *lFile) close() error {
	f.closed = true
	var err error
	if f.w != nil {
		err = f.w.Flush()
	}
	if f.cmd != nil {
		_ = f.pipe.Close()
		return f.cmd.Wait()
	}
	if e := f.fp.Close(); err == nil {
		err = e
	}
	return err
}

func fileToString(L *LState) int {
	f := toFile(L, 1)
	if f.closed {
		L.Push(LString("file (closed)"))
	} else {
		L.Push(LString(fmt.Sprintf("file (%p)", f)))
	}
	return 1
}

func closeFile(L *LState, f *lFile) int {
	if f.std {
		_ = f.settle()
		f.closed = true
		L.Push(LTrue)
		return 1
	}
	delete(L.G.files, f)
	err := f.close()
	if f.cmd != nil {
		L.runHook()
		L.PushNumber(LNumber(waitStatus(err)))
		return 1
	}
	return pushResult(L, err, "")
}

func fileClose(L *LState) int { return closeFile(L, checkFile(L)) }

func ioClose(L *LState) int {
	if L.GetTop() == 0 {
		return closeFile(L, defaultFile(L, "output"))
	}
	return fileClose(L)
}

func flush(L *LState, f *lFile) int { return pushResult(L, f.settle(), "") }

func fileFlush(L *LState) int { return flush(L, checkFile(L)) }
func ioFlush(L *LState) int   { return flush(L, defaultFile(L, "output")) }

func writeArgs(L *LState, f *lFile, first int) int {
	buf := L.G.scratch[:0]
	for i, n := first, L.GetTop(); i <= n; i++ {
		v := L.Get(i)
		if !LVCanConvToString(v) {
			L.TypeError(i, LTString)
		}
		buf = appendConcat(buf, v)
	}
	if cap(buf) <= maxScratch {
		L.G.scratch = buf
	}
	var err error
	switch {
	case f.direct != nil:
		_, err = f.direct.Write(buf)
	case f.w == nil:
		err = syscall.EBADF
	default:
		if f.r != nil {
			_ = f.settle()
		}
		_, err = f.w.Write(buf)
		if f.cmd != nil {
			L.runHook()
		}
		if err == nil && f.line && strings.Contains(string(buf), "\n") {
			err = f.w.Flush()
		}
	}
	return pushResult(L, err, "")
}

func fileWrite(L *LState) int {
	return writeArgs(L, checkFile(L), 2)
}

func ioWrite(L *LState) int { return writeArgs(L, defaultFile(L, "output"), 1) }

// readOne pushes what one format asks for; false at the end of the file.
func readOne(L *LState, r *bufio.Reader, format LValue, arg int) (bool, error) {
	if n, ok := format.(LNumber); ok {
		size := toInt(n)
		if size <= 0 {
			_, err := r.Peek(1)
			if err != nil {
				return false, nil
			}
			L.Push(emptyString)
			return true, nil
		}
		if size > maxString {
			L.RaiseError("not enough memory")
		}
		var b strings.Builder
		_, err := io.CopyN(&b, r, int64(size))
		if b.Len() == 0 {
			return false, err
		}
		L.Push(LString(b.String()))
		return true, nil
	}
	s := LVAsString(format)
	s = strings.TrimPrefix(s, "*")
	if s == "" {
		L.ArgError(arg, "invalid format")
	}
	switch s[0] {
	case 'n':
		n, ok := readNumber(r)
		if !ok {
			return false, nil
		}
		L.PushNumber(n)
		return true, nil
	case 'l', 'L':
		line, err := r.ReadString('\n')
		if line == "" {
			return false, err
		}
		if s[0] == 'l' {
			line = strings.TrimSuffix(line, "\n")
		}
		L.Push(LString(line))
		return true, nil
	case 'a':
		b, err := io.ReadAll(r)
		L.Push(LString(b))
		return err == nil, err
	}
	L.ArgError(arg, "invalid format")
	return false, nil
}

func readNumber(r *bufio.Reader) (LNumber, bool) {
	for {
		c, err := r.ReadByte()
		if err != nil {
			return 0, false
		}
		if !isSpace(c) {
			_ = r.UnreadByte()
			break
		}
	}
	var b []byte
	for len(b) < 200 {
		c, err := r.ReadByte()
		if err != nil {
			break
		}
		if !isNumberByte(c, b) {
			_ = r.UnreadByte()
			break
		}
		b = append(b, c)
	}
	return parseNumber(string(b))
}

func isNumberByte(c byte, before []byte) bool {
	if c >= '0' && c <= '9' || c == '.' {
		return true
	}
	n := len(before)
	hex := strings.HasPrefix(strings.ToLower(strings.TrimLeft(string(before), "+-")), "0x")
	if c == '+' || c == '-' {
		return n == 0 || !hex && before[n-1]|0x20 == 'e' || hex && before[n-1]|0x20 == 'p'
	}
	if c|0x20 == 'x' {
		return n > 0 && before[n-1] == '0'
	}
	if hex {
		return hexDigit(c) >= 0 || c|0x20 == 'p'
	}
	return c|0x20 == 'e' && n > 0
}

func readArgs(L *LState, f *lFile, first int) int {
	if f.cmd == nil && f.fp == nil || f.direct != nil || f.cmd != nil && f.r == nil {
		return pushResult(L, syscall.EBADF, "")
	}
	r := f.reader()
	top := L.GetTop()
	if top < first {
		L.Push(LString("*l"))
		top = first
		n := readFormats(L, r, first, top)
		return n
	}
	return readFormats(L, r, first, top)
}

func readFormats(L *LState, r *bufio.Reader, first, top int) int {
	n := 0
	wait := r.Buffered() == 0
	for i := first; i <= top; i++ {
		format := L.Get(i)
		if !LVCanConvToString(format) {
			L.ArgError(i, "invalid format")
		}
		n++
		ok, err := readOne(L, r, format, i)
		if !ok {
			if err != nil && err != io.EOF {
				L.SetTop(top)
				return pushResult(L, err, "")
			}
			L.Push(LNil)
			break
		}
	}
	if wait {
		L.runHook()
	}
	return n
}

func fileRead(L *LState) int { return readArgs(L, checkFile(L), 2) }
func ioRead(L *LState) int   { return readArgs(L, defaultFile(L, "input"), 1) }

// linesIter makes the iterator of lines; whole tells that the file closes at its end.
func linesIter(L *LState, f *lFile, whole bool, formats []LValue) int {
	L.Push(L.NewFunction(func(L *LState) int {
		if f.closed {
			L.RaiseError("file is already closed")
		}
		L.SetTop(0)
		if len(formats) == 0 {
			L.Push(LString("*l"))
		}
		for _, v := range formats {
			L.Push(v)
		}
		n := readFormats(L, f.reader(), 1, L.GetTop())
		if whole && isNil(L.Get(L.GetTop()-n+1)) {
			delete(L.G.files, f)
			_ = f.close()
		}
		return n
	}))
	return 1
}

func argsFrom(L *LState, first int) []LValue {
	return append([]LValue(nil), coArgs(L, first)...)
}

func fileLines(L *LState) int { return linesIter(L, checkFile(L), false, argsFrom(L, 2)) }

func ioLines(L *LState) int {
	if isNil(L.Get(1)) {
		return linesIter(L, defaultFile(L, "input"), false, nil)
	}
	name := L.CheckString(1)
	fp, err := os.Open(name)
	if err != nil {
		L.ArgError(1, name+": "+sysError(err))
	}
	f := &lFile{fp: fp}
	pushFile(L, f)
	L.reg.Pop()
	return linesIter(L, f, true, argsFrom(L, 2))
}

var seekWhence = []string{"set", "cur", "end"}

func fileSeek(L *LState) int {
	f := checkFile(L)
	whence := 1
	if !isNil(L.Get(2)) {
		whence = L.CheckOption(2, seekWhence)
	}
	offset := L.OptNumber(3, 0)
	if f.fp == nil {
		return pushResult(L, syscall.ESPIPE, "")
	}
	if err := f.settle(); err != nil {
		return pushResult(L, err, "")
	}
	pos, err := f.fp.Seek(int64(offset), whence)
	if err != nil {
		return pushResult(L, err, "")
	}
	if f.r != nil {
		f.r.Reset(f.fp)
	}
	L.PushNumber(LNumber(pos))
	return 1
}

var vbufModes = []string{"no", "full", "line"}

func fileSetVBuf(L *LState) int {
	f := checkFile(L)
	mode := L.CheckOption(2, vbufModes)
	f.line = mode != 1
	L.Push(LTrue)
	return 1
}

func openFile(name, mode string) (*lFile, error) {
	flag := 0
	plus := strings.Contains(mode, "+")
	switch mode[0] {
	case 'r':
		if plus {
			flag = os.O_RDWR
		}
	case 'w':
		flag = os.O_WRONLY | os.O_CREATE | os.O_TRUNC
	case 'a':
		flag = os.O_WRONLY | os.O_CREATE | os.O_APPEND
	}
	if plus && mode[0] != 'r' {
		flag = flag&^os.O_WRONLY | os.O_RDWR
	}
	fp, err := os.OpenFile(name, flag, 0o666)
	if err != nil {
		return nil, err
	}
	f := &lFile{fp: fp}
	if mode[0] != 'r' || plus {
		f.w = bufio.NewWriterSize(fp, 4096)
	}
	return f, nil
}

func ioOpen(L *LState) int {
	name := L.CheckString(1)
	mode := L.OptString(2, "r")
	m := strings.Replace(strings.Replace(mode, "b", "", 1), "+", "", 1)
	if m != "r" && m != "w" && m != "a" {
		return pushResult(L, syscall.EINVAL, name)
	}
	f, err := openFile(name, mode)
	if err != nil {
		return pushResult(L, err, name)
	}
	pushFile(L, f)
	return 1
}

func ioTmpFile(L *LState) int {
	fp, err := os.CreateTemp("", "lua_")
	if err != nil {
		return pushResult(L, err, "")
	}
	_ = os.Remove(fp.Name())
	pushFile(L, &lFile{fp: fp, w: bufio.NewWriterSize(fp, 4096)})
	return 1
}

func ioPopen(L *LState) int {
	name, args := popenArgs(L.CheckString(1))
	mode := L.OptString(2, "r")
	cmd := exec.Command(name, args...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, L.G.stdout, os.Stderr
	f := &lFile{cmd: cmd}
	switch {
	case strings.HasPrefix(mode, "r"):
		cmd.Stdout = nil
		p, err := cmd.StdoutPipe()
		if err != nil {
			return pushResult(L, err, "")
		}
		f.pipe, f.r = p, bufio.NewReaderSize(p, 4096)
	case strings.HasPrefix(mode, "w"):
		cmd.Stdin = nil
		p, err := cmd.StdinPipe()
		if err != nil {
			return pushResult(L, err, "")
		}
		f.pipe, f.w = p, bufio.NewWriterSize(p, 4096)
	default:
		return pushResult(L, syscall.EINVAL, "")
	}
	if err := cmd.Start(); err != nil {
		return pushResult(L, err, "")
	}
	pushFile(L, f)
	return 1
}

// redirect is io.input and io.output.
func redirect(L *LState, which, mode string) int {
	switch v := L.Get(1).(type) {
	case *LNilType:
	case LString, LNumber:
		name := LVAsString(v)
		f, err := openFile(name, mode)
		if err != nil {
			L.ArgError(1, name+": "+sysError(err))
		}
		L.G.Registry.RawSetString("_IO_"+which, pushFile(L, f))
	default:
		toFile(L, 1)
		L.G.Registry.RawSetString("_IO_"+which, v)
	}
	L.Push(L.G.Registry.RawGetString("_IO_" + which))
	return 1
}

func ioInput(L *LState) int  { return redirect(L, "input", "r") }
func ioOutput(L *LState) int { return redirect(L, "output", "w") }

func ioType(L *LState) int {
	v := LNil
	if ud, ok := L.CheckAny(1).(*LUserData); ok {
		if f, ok := ud.Value.(*lFile); ok {
			v = LString("file")
			if f.closed {
				v = LString("closed file")
			}
		}
	}
	L.Push(v)
	return 1
}
