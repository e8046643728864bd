package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"deltabench/internal/mariadbtest"
)

// The commands of the README work as typed: in a shell, on a clone, with a server at the default socket. Only
// sudo is left out, and `mariadb` is told where this test's server is. The run is made shorter.
func TestCommandsOfTheReadme(t *testing.T) {
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	readme, err := os.ReadFile(filepath.Join(root, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	m := regexp.MustCompile("(?s)## From clone to a result.*?```sh\n(.*?)```").FindSubmatch(readme)
	if m == nil {
		t.Fatal("README.md has no block of commands under \"From clone to a result\"")
	}
	commands := strings.Split(strings.TrimSpace(string(m[1])), "\n")
	if len(commands) != 3 {
		t.Fatalf("README.md promises three commands and has %d", len(commands))
	}
	script := strings.Join(commands, "\n")
	short := strings.NewReplacer("--time=30", "--time=2", "--table-size=100000", "--table-size=1000").Replace(script)
	if short == script {
		t.Fatal("the commands of README.md changed: this test cannot shorten them")
	}

	s := mariadbtest.Start(t)
	shims := t.TempDir()
	for name, text := range map[string]string{
		"sudo":    "#!/bin/sh\nexec \"$@\"\n",
		"mariadb": "#!/bin/sh\nexec \"$REAL_MARIADB\" --no-defaults -uroot -S \"$MYSQL_UNIX_PORT\" \"$@\"\n",
	} {
		if err := os.WriteFile(filepath.Join(shims, name), []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	// As for the client, the socket of an option file counts more than that of the environment, and Debian has one.
	if err := os.WriteFile(filepath.Join(shims, "my.cnf"), []byte("[client-server]\nsocket="+s.Socket+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	client, err := exec.LookPath("mariadb")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "bash", "-e", "-c", short)
	cmd.Dir = root
	cmd.Env = append(os.Environ(), "PATH="+shims+":"+os.Getenv("PATH"), "MYSQL_HOME="+shims, "MYSQL_UNIX_PORT="+s.Socket, "REAL_MARIADB="+client, "CGO_ENABLED=0")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, want := range []string{"Inserting 1000 records into 'sbtest4'", "transactions:", "Result: ", "Dropping table 'sbtest4'..."} {
		if !strings.Contains(string(out), want) {
			t.Errorf("no %q in the output of the commands:\n%s", want, out)
		}
	}
}
