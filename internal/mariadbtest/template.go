package mariadbtest

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
)

// binaries are the programs of one MariaDB installation.
type binaries struct {
	mariadbd, installDB string
	version             string
}

// findBinaries looks in PATH and where distributions keep the server.
var findBinaries = sync.OnceValues(func() (binaries, error) {
	var b binaries
	var err error
	if b.mariadbd, err = findProgram("mariadbd"); err != nil {
		return b, err
	}
	if b.installDB, err = findProgram("mariadb-install-db"); err != nil {
		return b, err
	}
	out, err := exec.Command(b.mariadbd, "--no-defaults", "--version").Output()
	if err != nil {
		return b, fmt.Errorf("ask %s for its version: %w", b.mariadbd, err)
	}
	m := regexp.MustCompile(`Ver (\d+\.\d+\.\d+-MariaDB)`).FindSubmatch(out)
	if m == nil {
		return b, fmt.Errorf("%s --version says %q, which is not MariaDB", b.mariadbd, out)
	}
	b.version = string(m[1])
	return b, nil
})

func findProgram(name string) (string, error) {
	if p, err := exec.LookPath(name); err == nil {
		return p, nil
	}
	for _, dir := range []string{"/usr/sbin", "/usr/local/sbin", "/usr/libexec"} {
		if p, err := exec.LookPath(filepath.Join(dir, name)); err == nil {
			return p, nil
		}
	}
	return "", fmt.Errorf("%s is not installed; run `make deps`", name)
}

func osUser() string {
	if u, err := user.Current(); err == nil {
		return u.Username
	}
	return "root"
}

// accounts are the statements that turn a fresh data directory into the template.
func accounts() []string {
	osName := strings.ReplaceAll(osUser(), "'", "''")
	list := []string{
		"DELETE FROM mysql.global_priv WHERE User=''", // would shadow sbtest@% over the socket
		"FLUSH PRIVILEGES",
		"INSTALL SONAME 'auth_ed25519'",
		"CREATE USER sbtest@'%' IDENTIFIED VIA mysql_native_password USING PASSWORD('pw')",
		"GRANT ALL ON *.* TO sbtest@'%' WITH GRANT OPTION",
		"CREATE USER ed@'%' IDENTIFIED VIA ed25519 USING PASSWORD('pw')",
		"GRANT ALL ON *.* TO ed@'%'",
	}
	if osName == "root" {
		return append(list, "ALTER USER root@localhost IDENTIFIED VIA unix_socket OR mysql_native_password USING PASSWORD('')")
	}
	return append(list,
		"CREATE USER '"+osName+"'@localhost IDENTIFIED VIA unix_socket",
		"GRANT ALL ON *.* TO '"+osName+"'@localhost")
}

// template returns the path of a data directory to copy, making it when it does not exist yet.
func (b binaries) template() (string, error) {
	recipe := fmt.Sprint(b, accounts(), os.Geteuid())
	cache, err := os.UserCacheDir()
	if err != nil { // no HOME, as in some containers
		cache = filepath.Join(os.TempDir(), "cache-"+strconv.Itoa(os.Geteuid()))
	}
	dir := filepath.Join(cache, "deltabench")
	path := filepath.Join(dir, fmt.Sprintf("mariadb-%s-%.8x", b.version, sha256.Sum256([]byte(recipe))))
	if _, err := os.Stat(path); err == nil {
		return path, nil
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", fmt.Errorf("make the cache directory: %w", err)
	}
	tmp, err := os.MkdirTemp(dir, "new-")
	if err != nil {
		return "", fmt.Errorf("make the cache directory: %w", err)
	}
	defer os.RemoveAll(tmp)
	if err := b.install(tmp); err != nil {
		return "", err
	}
	// Several test processes may come here at once: the first rename wins, and all are alike.
	if err := os.Rename(filepath.Join(tmp, "data"), path); err != nil {
		if _, statErr := os.Stat(path); statErr != nil {
			return "", fmt.Errorf("keep the data directory template: %w", err)
		}
	}
	return path, nil
}

// install makes a data directory with the accounts in dir/data.
func (b binaries) install(dir string) error {
	data := filepath.Join(dir, "data")
	args := append([]string{
		"--no-defaults", "--datadir=" + data, "--auth-root-authentication-method=normal",
		"--skip-test-db", "--innodb-log-file-size=64M",
	}, asRoot()...)
	p := exec.Command(b.installDB, args...)
	var out bytes.Buffer
	p.Stdout, p.Stderr = &out, &out
	if err := p.Run(); err != nil {
		return fmt.Errorf("mariadb-install-db: %w:\n%s", err, out.Bytes())
	}
	rundir, err := os.MkdirTemp("", "mdb")
	if err != nil {
		return err
	}
	defer os.RemoveAll(rundir)
	s := &Server{
		DataDir: data, Log: filepath.Join(dir, "error.log"), Socket: filepath.Join(rundir, "s.sock"), rundir: rundir,
		cfg: config{timeout: defaultStartTimeout, args: []string{"--skip-networking"}},
	}
	if err := s.start(); err != nil {
		return err
	}
	defer s.proc.kill()
	db, err := s.Open("")
	if err != nil {
		return err
	}
	defer db.Close()
	for _, q := range accounts() {
		if _, err := db.Exec(q); err != nil {
			return fmt.Errorf("prepare the data directory template: %s: %w", q, err)
		}
	}
	return s.terminate()
}

// copyTree copies the directory src to dst, which must not exist.
func copyTree(dst, src string) error {
	if _, err := os.Stat(dst); !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s exists", dst)
	}
	return os.CopyFS(dst, os.DirFS(src))
}

// tail returns the last n lines of a file, or why it cannot.
func tail(path string, n int) string {
	b, err := os.ReadFile(path)
	if err != nil {
		return err.Error()
	}
	lines := strings.Split(strings.TrimRight(string(b), "\n"), "\n")
	return strings.Join(lines[max(0, len(lines)-n):], "\n")
}

func logContains(path, text string) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	b, err := io.ReadAll(f)
	return err == nil && bytes.Contains(b, []byte(text))
}
