package lua

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"
)

var startedAt = time.Now()

func OpenOs(L *LState) int {
	L.Push(L.RegisterModule(OsLibName, osFuncs))
	return 1
}

var osFuncs = map[string]LGFunction{
	"clock":     osClock,
	"date":      osDate,
	"difftime":  osDiffTime,
	"execute":   osExecute,
	"exit":      osExit,
	"getenv":    osGetEnv,
	"remove":    osRemove,
	"rename":    osRename,
	"setlocale": osSetLocale,
	"time":      osTime,
	"tmpname":   osTmpname,
}

// Exit is called by os.exit. The host may set it once, before any state exists, to end the process its own way.
var Exit = os.Exit

func osClock(L *LState) int {
	L.Push(LNumber(processTime()))
	return 1
}

func osDiffTime(L *LState) int {
	L.Push(L.CheckNumber(1) - L.OptNumber(2, 0))
	return 1
}

func osExecute(L *LState) int {
	if isNil(L.Get(1)) {
		L.Push(preloads[1])
		return 1
	}
	name, args := popenArgs(L.CheckString(1))
	cmd := exec.Command(name, args...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, L.G.stdout, os.Stderr
	err := cmd.Run()
	L.runHook()
	L.PushNumber(LNumber(waitStatus(err)))
	return 1
}

// waitStatus gives what wait(2) says: the exit code above eight bits, or the signal.
func waitStatus(err error) int {
	if err == nil {
		return 0
	}
	e, ok := err.(*exec.ExitError)
	if !ok {
		return -1
	}
	if code := e.ExitCode(); code >= 0 {
		return code << 8
	}
	return exitSignal(e)
}

func osExit(L *LState) int {
	code := 0
	switch v := L.Get(1).(type) {
	case *LNilType:
	case LBool:
		if !v {
			code = 1
		}
	default:
		code = L.CheckInt(1)
	}
	Exit(code & 255)
	return 0
}

func osGetEnv(L *LState) int {
	if v, ok := os.LookupEnv(L.CheckString(1)); ok {
		L.Push(LString(v))
	} else {
		L.Push(LNil)
	}
	return 1
}

// pushResult pushes true, or nil with the error's text and number as C's io and os functions do.
func pushResult(L *LState, err error, file string) int {
	if err == nil {
		L.Push(LTrue)
		return 1
	}
	L.Push(LNil)
	msg := sysError(err)
	if file != "" {
		msg = file + ": " + msg
	}
	L.Push(LString(msg))
	L.PushNumber(LNumber(errorNumber(err)))
	return 3
}

func osRemove(L *LState) int {
	name := L.CheckString(1)
	return pushResult(L, os.Remove(name), name)
}

func osRename(L *LState) int {
	from, to := L.CheckString(1), L.CheckString(2)
	return pushResult(L, os.Rename(from, to), from)
}

func osSetLocale(L *LState) int {
	if l := L.OptString(1, ""); l == "" || l == "C" || l == "POSIX" {
		L.Push(LString("C"))
	} else {
		L.Push(LNil)
	}
	return 1
}

func osTmpname(L *LState) int {
	f, err := os.CreateTemp("", "lua_")
	if err != nil {
		L.RaiseError("unable to generate a unique filename")
	}
	f.Close()
	L.Push(LString(f.Name()))
	return 1
}

func osTime(L *LState) int {
	if isNil(L.Get(1)) {
		L.Push(LNumber(time.Now().Unix()))
		return 1
	}
	tb := L.CheckTable(1)
	field := func(key string, def int) int {
		v := L.getFieldString(tb, key)
		if n, ok := toNumber(v); ok {
			return toInt(n)
		}
		if def < 0 {
			L.RaiseError("field '%s' missing in date table", key)
		}
		return def
	}
	sec, minute, hour := field("sec", 0), field("min", 0), field("hour", 12)
	day, month, year := field("day", -1), field("month", -1), field("year", -1)
	t := time.Date(year, time.Month(month), day, hour, minute, sec, 0, time.Local)
	if dst, ok := tb.RawGetString("isdst").(LBool); ok && bool(dst) != t.IsDST() {
		if dst {
			t = t.Add(-time.Hour)
		} else {
			t = t.Add(time.Hour)
		}
	}
	L.Push(LNumber(t.Unix()))
	return 1
}

func osDate(L *LState) int {
	format := L.OptString(1, "%c")
	t := time.Now()
	if !isNil(L.Get(2)) {
		t = time.Unix(L.CheckInt64(2), 0)
	}
	if strings.HasPrefix(format, "!") {
		format = format[1:]
		t = t.UTC()
	}
	if !strings.HasPrefix(format, "*t") {
		L.PushBytes(strftime(L, t, format))
		return 1
	}
	tb := L.NewTable()
	set := func(key string, v int) { tb.RawSetString(key, LNumber(v)) }
	set("sec", t.Second())
	set("min", t.Minute())
	set("hour", t.Hour())
	set("day", t.Day())
	set("month", int(t.Month()))
	set("year", t.Year())
	set("wday", int(t.Weekday())+1)
	set("yday", t.YearDay())
	tb.RawSetString("isdst", LBool(t.IsDST()))
	L.Push(tb)
	return 1
}

// strftime is C's, for the C locale.
func strftime(L *LState, t time.Time, format string) []byte {
	var b []byte
	for i := 0; i < len(format); i++ {
		c := format[i]
		if c != '%' || i+1 == len(format) {
			b = append(b, c)
			continue
		}
		i++
		if (format[i] == 'E' || format[i] == 'O') && i+1 < len(format) {
			i++
		}
		add := func(layout string) { b = t.AppendFormat(b, layout) }
		num := func(f string, n int) { b = fmt.Appendf(b, f, n) }
		hour12 := (t.Hour()+11)%12 + 1
		year, week := t.ISOWeek()
		switch format[i] {
		case 'a':
			add("Mon")
		case 'A':
			add("Monday")
		case 'b', 'h':
			add("Jan")
		case 'B':
			add("January")
		case 'c':
			add("Mon Jan _2 15:04:05 2006")
		case 'C':
			num("%02d", t.Year()/100)
		case 'd':
			add("02")
		case 'D', 'x':
			add("01/02/06")
		case 'e':
			add("_2")
		case 'F':
			add("2006-01-02")
		case 'g':
			num("%02d", year%100)
		case 'G':
			num("%d", year)
		case 'H':
			add("15")
		case 'I':
			num("%02d", hour12)
		case 'j':
			num("%03d", t.YearDay())
		case 'k':
			num("%2d", t.Hour())
		case 'l':
			num("%2d", hour12)
		case 'm':
			add("01")
		case 'M':
			add("04")
		case 'n':
			b = append(b, '\n')
		case 'p':
			add("PM")
		case 'P':
			add("pm")
		case 'r':
			add("03:04:05 PM")
		case 'R':
			add("15:04")
		case 's':
			b = fmt.Appendf(b, "%d", t.Unix())
		case 'S':
			add("05")
		case 't':
			b = append(b, '\t')
		case 'T', 'X':
			add("15:04:05")
		case 'u':
			num("%d", (int(t.Weekday())+6)%7+1)
		case 'U':
			num("%02d", (t.YearDay()+6-int(t.Weekday()))/7)
		case 'V':
			num("%02d", week)
		case 'w':
			num("%d", int(t.Weekday()))
		case 'W':
			num("%02d", (t.YearDay()+6-(int(t.Weekday())+6)%7)/7)
		case 'y':
			add("06")
		case 'Y':
			num("%d", t.Year())
		case 'z':
			add("-0700")
		case 'Z':
			if t.Location() == time.UTC {
				b = append(b, "GMT"...)
			} else {
				add("MST")
			}
		case '%':
			b = append(b, '%')
		default:
			b = append(b, '%', format[i])
		}
		if len(b) > maxString {
			L.RaiseError("not enough memory")
		}
	}
	return b
}
