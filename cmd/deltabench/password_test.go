package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"deltabench/internal/mariadbtest"
)

// longPassword is found wherever it is.
const longPassword = "Zecret-4711-pass'word"

// isolated gives a command a home of its own, and no password from the outside.
func isolated(c *exec.Cmd, home string, env ...string) {
	clean := c.Env[:0:0]
	for _, e := range c.Env {
		name, _, _ := strings.Cut(e, "=")
		switch name {
		case "HOME", "MYSQL_PWD", "MYSQL_HOME", "MARIADB_HOME", "MYSQL_GROUP_SUFFIX", "MARIADB_GROUP_SUFFIX", "MYSQL_UNIX_PORT":
		default:
			clean = append(clean, e)
		}
	}
	c.Env = append(append(clean, "HOME="+home), env...)
}

func writeFile(t *testing.T, path, text string) string {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// passwordSources are all ways to give a password, with what they need. dir is a directory of the case's own, which is
// its home as well.
var passwordSources = []struct {
	name string
	give func(t *testing.T, dir, password string) (args, env []string)
}{
	{"command line", func(_ *testing.T, _, pw string) ([]string, []string) { return []string{"--mysql-password=" + pw}, nil }},
	{"underscores", func(_ *testing.T, _, pw string) ([]string, []string) { return []string{"--mysql_password=" + pw}, nil }},
	{"password file", func(t *testing.T, dir, pw string) ([]string, []string) {
		return []string{"--mysql-password-file=" + writeFile(t, filepath.Join(dir, "pw"), pw+"\n")}, nil
	}},
	{"environment", func(_ *testing.T, _, pw string) ([]string, []string) { return nil, []string{"MYSQL_PWD=" + pw} }},
	{"config file", func(t *testing.T, dir, pw string) ([]string, []string) {
		return []string{"--config-file=" + writeFile(t, filepath.Join(dir, "cfg"), "mysql-password=\""+pw+"\"\n")}, nil
	}},
	{"defaults file", func(t *testing.T, dir, pw string) ([]string, []string) {
		return []string{"--defaults-file=" + writeFile(t, filepath.Join(dir, "cnf"), "[client]\npassword=\""+pw+"\"\n")}, nil
	}},
	{"home", func(t *testing.T, dir, pw string) ([]string, []string) {
		writeFile(t, filepath.Join(dir, ".my.cnf"), "[client]\npassword=\""+pw+"\"\n")
		return nil, nil
	}},
}

// TestPasswordIsNowhere runs with the password from each source, with the log of a debugger, and looks for it in all that
// others can see.
func TestPasswordIsNowhere(t *testing.T) {
	t.Parallel()
	s := mariadbtest.Start(t)
	s.Exec(t, "CREATE DATABASE db", "CREATE USER app@'%' IDENTIFIED BY '"+strings.ReplaceAll(longPassword, "'", "''")+"'", "GRANT ALL ON db.* TO app@'%'",
		"CREATE TABLE db.sbtest1 (id INT PRIMARY KEY, k INT, c CHAR(120), pad CHAR(60))")
	conn := []string{"--mysql-socket=" + s.Socket, "--mysql-user=app", "--mysql-db=db"}
	run := []string{"oltp_point_select", "run", "--threads=2", "--table-size=10", "--time=1", "--rate=5", "--mysql-debug", "--verbosity=5", "--debug", "--report-interval=1"}
	type started struct {
		name string
		*process
		report string
		want   int
	}
	var all []started
	begin := func(name string, want int, dir, report string, env []string, face string, args ...string) {
		p := startWith(t, time.Minute, func(c *exec.Cmd) { isolated(c, dir, env...) }, face, args...)
		all = append(all, started{name, p, report, want})
	}
	for _, source := range passwordSources {
		for _, face := range []string{"deltabench", "sysbench"} {
			if face == "sysbench" && source.name == "home" { // sysbench reads no option file
				continue
			}
			dir := t.TempDir()
			args, env := source.give(t, dir, longPassword)
			args = append(append(run[:len(run):len(run)], conn...), args...)
			report := ""
			if face == "deltabench" {
				report = filepath.Join(dir, "report.json")
				args = append(args, "--report=json", "--report-file="+report)
			}
			begin(source.name+" as "+face, 0, dir, report, env, face, args...)

			// Wrong, the error message and its hint say nothing of it either.
			dir = t.TempDir()
			args, env = source.give(t, dir, longPassword+"x")
			begin(source.name+", wrong, as "+face, 1, dir, "", env, face, append(append(run[:len(run):len(run)], conn...), args...)...)
		}
	}
	for _, args := range [][]string{ // refused command lines
		{"--mysql-password", longPassword, "oltp_point_select", "run"},
		{"--password=" + longPassword, "oltp_point_select", "run"},
		{"-p" + longPassword, "oltp_point_select", "run"},
		{"-mysql-password=" + longPassword, "oltp_point_select", "run"},
		{"\u2013\u2013mysql-password=" + longPassword, "oltp_point_select", "run"},
		{"--mysql-pasword=" + longPassword, "oltp_point_select", "run"},
		{"oltp_point_select", "run", "--mysql-password=" + longPassword, "--threads=x"},
		{"oltp_point_select", "run", "--mysql-password= ", longPassword},
		{"oltp_point_select", "run", "--mysql-password=", longPassword},
	} {
		begin(fmt.Sprint(args), 1, t.TempDir(), "", nil, "deltabench", args...)
	}
	if runtime.GOOS == "linux" {
		for _, p := range all {
			path := "/proc/" + strconv.Itoa(p.Process.Pid) + "/cmdline"
			text := ""
			// Programs that others start have the password for a moment: until their first instructions.
			for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); time.Sleep(time.Millisecond) {
				b, err := os.ReadFile(path)
				if err != nil {
					t.Fatal(err)
				}
				if text = string(b); !strings.Contains(text, longPassword) {
					break
				}
			}
			if strings.Contains(text, longPassword) {
				t.Errorf("%s: the password is in %s: %q", p.name, path, text)
			}
			if p.want == 0 && !strings.Contains(text, "--mysql-user=app\x00") {
				t.Errorf("%s: other arguments should stay: %q", p.name, text)
			}
		}
	}
	for _, p := range all {
		o := p.wait(t)
		if o.code != p.want {
			t.Errorf("%s: want exit code %d: %v", p.name, p.want, o)
		}
		places := map[string]string{"standard output": o.stdout, "standard error": o.stderr}
		if p.report != "" {
			b, err := os.ReadFile(p.report)
			if err != nil || len(b) == 0 {
				t.Errorf("%s: no report: %v", p.name, err)
			}
			places["the report"] = string(b)
		}
		for place, text := range places {
			if strings.Contains(text, longPassword) {
				t.Errorf("%s: the password is in %s:\n%s", p.name, place, text)
			}
		}
		if p.want == 0 && !strings.Contains(o.stdout, "mysql_real_connect(") {
			t.Errorf("%s: no debug log: %v", p.name, o)
		}
	}
}

// TestPrecedenceIsTheClients gives the right password in one place and wrong ones in others, to us and to MariaDB's client:
// both get in, or neither does.
func TestPrecedenceIsTheClients(t *testing.T) {
	t.Parallel()
	client, err := exec.LookPath("mariadb")
	if err != nil {
		t.Fatal(err)
	}
	s := mariadbtest.Start(t)
	s.Exec(t, "CREATE DATABASE db", "CREATE USER app@'%' IDENTIFIED BY 'right'", "GRANT ALL ON db.* TO app@'%'",
		"CREATE USER open@'%'", "GRANT ALL ON db.* TO open@'%'")
	extra := writeFile(t, filepath.Join(t.TempDir(), "extra"), "[client]\npassword=right\n")
	for _, tc := range []struct {
		name   string
		home   string   // text of ~/.my.cnf
		global string   // text of a file that is read before it
		env    []string // MYSQL_PWD
		ours   []string
		theirs []string
		in     bool
	}{
		{"nothing", "", "", nil, nil, nil, false},
		{"environment", "", "", []string{"MYSQL_PWD=right"}, nil, nil, true},
		{"file", "[client]\npassword=right\n", "", nil, nil, nil, true},
		{"file over environment", "[client]\npassword=right\n", "", []string{"MYSQL_PWD=wrong"}, nil, nil, true},
		{"wrong file over environment", "[client]\npassword=wrong\n", "", []string{"MYSQL_PWD=right"}, nil, nil, false},
		{"command line over all", "[client]\npassword=wrong\n", "", []string{"MYSQL_PWD=wrong"}, []string{"--mysql-password=right"}, []string{"--password=right"}, true},
		{"wrong command line over all", "[client]\npassword=right\n", "", []string{"MYSQL_PWD=right"}, []string{"--mysql-password=wrong"}, []string{"--password=wrong"}, false},
		{"empty command line over a file", "[client]\npassword=right\n", "", nil, []string{"--mysql-password="}, []string{"--password="}, false},
		{"home over global", "[client]\npassword=right\n", "[client]\npassword=wrong\n", nil, nil, nil, true},
		{"global over nothing", "[mysqld]\npassword=wrong\n", "[client]\npassword=right\n", nil, nil, nil, true},
		{"last in a file", "[client]\npassword=wrong\n[client-server]\npassword=right\n", "", nil, nil, nil, true},
		{"another group", "[client]\npassword=right\n[client-other]\npassword=wrong\n", "", nil, nil, nil, true},
		{"suffix", "[client]\npassword=wrong\n[client-other]\npassword=right\n", "", nil, []string{"--defaults-group-suffix=-other"}, []string{"--defaults-group-suffix=-other"}, true},
		{"suffix from the environment", "[client]\npassword=wrong\n[client-other]\npassword=right\n", "", []string{"MYSQL_GROUP_SUFFIX=-other"}, nil, nil, true},
		{"no defaults", "[client]\npassword=right\n", "", nil, []string{"--no-defaults"}, []string{"--no-defaults"}, false},
		{"extra before home", "[client]\npassword=wrong\n", "", nil, []string{"--defaults-extra-file=" + extra}, []string{"--defaults-extra-file=" + extra}, false},
		{"extra over global", "", "[client]\npassword=wrong\n", nil, []string{"--defaults-extra-file=" + extra}, []string{"--defaults-extra-file=" + extra}, true},
		{"only", "[client]\npassword=wrong\n", "[client]\npassword=wrong\n", nil, []string{"--defaults-file=" + extra}, []string{"--defaults-file=" + extra}, true},
		{"user of a file", "[client]\nuser=open\n", "", nil, nil, nil, true},
		{"socket of a file", "[client]\nuser=open\nsocket=/nowhere\n", "", nil, nil, nil, true}, // since the command line has one
	} {
		t.Run(tc.name, func(t *testing.T) {
			home := t.TempDir()
			if tc.home != "" {
				writeFile(t, filepath.Join(home, ".my.cnf"), tc.home)
			}
			global := filepath.Join(home, "global")
			if err := os.Mkdir(global, 0o755); err != nil {
				t.Fatal(err)
			}
			env := append(tc.env[:len(tc.env):len(tc.env)], "MYSQL_HOME="+global)
			if tc.global != "" {
				writeFile(t, filepath.Join(global, "my.cnf"), tc.global)
			}
			user := !strings.Contains(tc.home, "user=")
			args := append([]string{"oltp_insert", "cleanup", "--mysql-socket=" + s.Socket, "--mysql-db=db"}, tc.ours...)
			theirs := append(tc.theirs[:len(tc.theirs):len(tc.theirs)], "--socket="+s.Socket, "--database=db", "--execute=SELECT 1", "--skip-reconnect")
			if user {
				args, theirs = append(args, "--mysql-user=app"), append(theirs, "--user=app")
			}
			o := startWith(t, time.Minute, func(c *exec.Cmd) { isolated(c, home, env...) }, "deltabench", args...).wait(t)
			if o.code != 0 && !strings.Contains(o.stdout, "error 1045") {
				t.Fatalf("neither in nor refused: %v", o)
			}
			c := exec.Command(client, theirs...)
			c.Env = os.Environ()
			isolated(c, home, env...)
			out, err := c.CombinedOutput()
			if err != nil && !strings.Contains(string(out), "1045") {
				t.Fatalf("the client is neither in nor refused: %v %s", err, out)
			}
			if in := o.code == 0; in != tc.in || (err == nil) != tc.in {
				t.Errorf("we get in: %v, the client: %v, want %v\n%v\n%s", in, err == nil, tc.in, o, out)
			}
		})
	}
}

// TestEmptyPasswordOverEnvironment: an empty password is one that is given.
func TestEmptyPasswordOverEnvironment(t *testing.T) {
	t.Parallel()
	s := mariadbtest.Start(t)
	s.Exec(t, "CREATE DATABASE db", "CREATE USER open@'%'", "GRANT ALL ON db.* TO open@'%'")
	for _, tc := range []struct {
		face, arg string
		in        bool
	}{
		{"deltabench", "--mysql-password=", true},
		{"deltabench", "--verbosity=3", false},
	} {
		o := startWith(t, time.Minute, func(c *exec.Cmd) { isolated(c, t.TempDir(), "MYSQL_PWD=wrong") }, tc.face,
			"oltp_insert", "cleanup", "--mysql-socket="+s.Socket, "--mysql-db=db", "--mysql-user=open", tc.arg).wait(t)
		if (o.code == 0) != tc.in {
			t.Errorf("%s: want in %v: %v", tc.arg, tc.in, o)
		}
	}
}
