package sysbench

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// withFiles executes a command line of our face with a file for all users and ~/.my.cnf.
func withFiles(t *testing.T, face Face, global, home string, env map[string]string, args ...string) result {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{"global.cnf": global, ".my.cnf": home} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	getenv := func(name string) string {
		if name == "HOME" {
			return dir
		}
		return env[name]
	}
	return call(t, Env{Face: face, Getenv: getenv, OptionFiles: []string{filepath.Join(dir, "global.cnf")}}, append([]string{"oltp_read_write", "run"}, args...)...)
}

func TestOptionsOfFiles(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, file string
		args       []string
		check      func(*Database) bool
	}{
		{"none", "", nil, func(d *Database) bool {
			return d.User == "sbtest" && d.DB == "sbtest" && slices.Equal(d.Hosts, []string{"localhost"}) && slices.Equal(d.Ports, []int{3306}) && d.LocalSocket == "" && d.TLS == "disabled"
		}},
		{"all", "user=u\npassword=p\nhost=h\nport=3307\nsocket=/s\ndatabase=d\n", nil, func(d *Database) bool {
			return d.User == "u" && d.Password == "p" && slices.Equal(d.Hosts, []string{"h"}) && slices.Equal(d.Ports, []int{3307}) && d.LocalSocket == "/s" && len(d.Sockets) == 0 && d.DB == "d"
		}},
		{"the command line wins", "user=u\npassword=p\nhost=h\nport=3307\nsocket=/s\ndatabase=d\n", []string{"--mysql-user=a", "--mysql-password=b", "--mysql-host=c", "--mysql-port=4", "--mysql-socket=/e", "--mysql-db=f"}, func(d *Database) bool {
			return d.User == "a" && d.Password == "b" && slices.Equal(d.Hosts, []string{"c"}) && slices.Equal(d.Ports, []int{4}) && slices.Equal(d.Sockets, []string{"/e"}) && d.DB == "f"
		}},
		{"other groups", "[mysqld]\nuser=u\n[mysql]\nuser=v\n[client-x]\nuser=w\n", nil, func(d *Database) bool { return d.User == "sbtest" }},
		{"our groups", "[client-server]\nuser=u\n[client-mariadb]\ndatabase=d\n[deltabench]\nhost=h\n", nil, func(d *Database) bool { return d.User == "u" && d.DB == "d" && d.Hosts[0] == "h" }},
		{"unknown options", "default-auth=x\nno-auto-rehash\nmax_allowed_packet=1G\n", nil, func(d *Database) bool { return d.User == "sbtest" }},
		{"port 0 is none", "port=0\n", nil, func(d *Database) bool { return d.Ports[0] == 3306 }},
		{"TCP", "protocol=tcp\n", nil, func(d *Database) bool { return d.Hosts[0] == "127.0.0.1" }},
		{"TCP, but a host", "protocol=tcp\n", []string{"--mysql-host=localhost"}, func(d *Database) bool { return d.Hosts[0] == "localhost" }},
		{"spellings", "loose-user=u\nssl_mode=VERIFY_CA\nssl_ca=/ca\n", nil, func(d *Database) bool { return d.User == "u" && d.TLS == "verify_ca" && d.TLSCA == "/ca" }},
		{"ssl", "ssl\n", nil, func(d *Database) bool { return d.TLS == "required" }},
		{"ssl=0", "ssl-ca=/ca\nssl=0\n", nil, func(d *Database) bool { return d.TLS == "disabled" && d.TLSCA == "" }},
		{"skip-ssl", "ssl-ca=/ca\nskip-ssl\n", nil, func(d *Database) bool { return d.TLS == "disabled" }},
		{"authorities", "ssl-ca=/ca\n", nil, func(d *Database) bool { return d.TLS == "verify_ca" }},
		{"certificate", "ssl-cert=/c\nssl-key=/k\nssl-cipher=x\n", nil, func(d *Database) bool {
			return d.TLS == "required" && d.TLSCert == "/c" && d.TLSKey == "/k" && d.TLSCipher == "x"
		}},
		{"host name", "ssl-verify-server-cert\n", nil, func(d *Database) bool { return d.TLS == "verify_identity" }},
		{"no host name", "ssl-ca=/ca\nssl-verify-server-cert=off\n", nil, func(d *Database) bool { return d.TLS == "verify_ca" }},
		{"the mode of the command line", "ssl-ca=/ca\n", []string{"--mysql-ssl=required"}, func(d *Database) bool { return d.TLS == "required" && d.TLSCA == "/ca" }},
		{"off on the command line", "ssl-ca=/ca\n", []string{"--mysql-ssl=off"}, func(d *Database) bool { return d.TLS == "disabled" && d.TLSCA == "" }},
	} {
		text := tc.file
		if !strings.HasPrefix(text, "[") {
			text = "[client]\n" + text
		}
		r := withFiles(t, FaceDeltabench, "", text, nil, tc.args...)
		if r.req == nil || !tc.check(r.req.Database) {
			t.Errorf("%s: %q %q: %+v", tc.name, r.stdout, r.stderr, r.req)
		}
	}
}

func TestOptionFilesOfFaces(t *testing.T) {
	t.Parallel()
	const file = "[client]\nuser=u\npassword=p\n"
	if d := withFiles(t, FaceSysbench, file, file, nil).req.Database; d.User != "sbtest" || d.Password != "" {
		t.Errorf("as sysbench: user %q, a password %v", d.User, d.Password != "")
	}
	named := filepath.Join(t.TempDir(), "named")
	if err := os.WriteFile(named, []byte(file), 0o600); err != nil {
		t.Fatal(err)
	}
	if d := withFiles(t, FaceSysbench, "", "", nil, "--defaults-file="+named).req.Database; d.User != "u" || d.Password != "p" {
		t.Errorf("as sysbench with a named file: user %q, a password %v", d.User, d.Password != "")
	}
	if d := withFiles(t, FaceDeltabench, file, "[client]\nuser=v\n", nil).req.Database; d.User != "v" || d.Password != "p" {
		t.Errorf("the file of the user comes last: user %q, a password %v", d.User, d.Password != "")
	}
	if d := withFiles(t, FaceDeltabench, file, file, nil, "--no-defaults").req.Database; d.User != "sbtest" || d.Password != "" {
		t.Errorf("--no-defaults: user %q, a password %v", d.User, d.Password != "")
	}
}

// TestPasswordSources checks which source wins; cmd/deltabench compares with the client.
func TestPasswordSources(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "pw")
	if err := os.WriteFile(file, []byte("file\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	env := map[string]string{"MYSQL_PWD": "env"}
	const cnf = "[client]\npassword=cnf\n"
	for _, tc := range []struct {
		face Face
		cnf  string
		args []string
		want string
		ask  bool
	}{
		{FaceDeltabench, "", nil, "env", false},
		{FaceDeltabench, cnf, nil, "cnf", false},
		{FaceDeltabench, "[client]\npassword=\n", nil, "", false},
		{FaceDeltabench, cnf, []string{"--mysql-password=typed"}, "typed", false},
		{FaceDeltabench, cnf, []string{"--mysql-password="}, "", false},
		{FaceDeltabench, "", []string{"--mysql-password="}, "", false},
		{FaceDeltabench, cnf, []string{"--mysql-password=typed", "--mysql-password-file=" + file}, "file", false},
		{FaceDeltabench, "", []string{"--mysql-password"}, "", true},
		{FaceDeltabench, "[client]\npassword\n", nil, "", true},
		{FaceDeltabench, "[client]\npassword\n", []string{"--mysql-password=typed"}, "typed", false},
		{FaceSysbench, "", nil, "env", false},
		{FaceSysbench, "", []string{"--mysql-password="}, "env", false},
		{FaceSysbench, "", []string{"--mysql-password"}, "env", false},
		{FaceSysbench, "", []string{"--mysql-password=typed"}, "typed", false},
	} {
		r := withFiles(t, tc.face, "", tc.cnf, env, tc.args...)
		if tc.ask {
			if r.req != nil || r.code != ExitFailure || !strings.HasPrefix(r.stderr, "a password is to be asked for, and there is no terminal (") {
				t.Errorf("%v: want a refusal: code %d, %q", tc.args, r.code, r.stderr)
			}
			continue
		}
		if r.req == nil || r.req.Database.Password.Reveal() != tc.want {
			t.Errorf("face %d, %q, %v: %+v, want %q", tc.face, tc.cnf, tc.args, r, tc.want)
		}
	}
}

func TestOriginOfLogin(t *testing.T) {
	t.Parallel()
	d := withFiles(t, FaceDeltabench, "", "[client]\nuser=u\npassword=p\nsocket=/s\n", nil).req.Database
	if o := d.origin(); strings.Count(o, ".my.cnf line ") != 2 || !strings.Contains(o, "line 2") || !strings.Contains(o, "line 3") {
		t.Errorf("both from the file: %q", o)
	}
	d = withFiles(t, FaceDeltabench, "", "[client]\nuser=u\npassword=p\n", nil, "--mysql-user=a", "--mysql-password=b").req.Database
	if o := d.origin(); o != "" {
		t.Errorf("both typed: %q", o)
	}
}
