package target

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"deltabench/internal/admin"
	"deltabench/internal/study"
)

// Initialise makes the data directory, with our account and an empty schema, and leaves the server stopped.
func (m *ManagedServer) Initialise(ctx context.Context) error {
	data := m.path(dataDir)
	if err := os.RemoveAll(data); err != nil {
		return err
	}
	cmd, err := m.installer(ctx, data)
	if err == nil {
		err = os.MkdirAll(m.path(tmpDir), 0o700)
	}
	if err != nil {
		return err
	}
	release := keepThread()
	dieWithUs(cmd)
	cmd.Cancel = func() error { return killGroup(cmd.Process) }
	out, err := cmd.CombinedOutput()
	release()
	if err != nil {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		text, _ := os.ReadFile(m.path(logFile))
		return fmt.Errorf("initialise the data of %s: %s", m.config.Binary, orError(worstLine(string(out)+string(text)), err))
	}
	// Until the accounts are closed nobody comes in but through the socket, whose directory is ours.
	if err := m.startAlone(ctx, []study.Option{{Name: "skip_networking", Value: "ON"}}); err != nil {
		return err
	}
	err = m.makeAccount(ctx)
	return errors.Join(err, m.Stop(context.WithoutCancel(ctx)))
}

// installer is the command that makes a data directory.
func (m *ManagedServer) installer(ctx context.Context, data string) (*exec.Cmd, error) {
	b := m.config.Binary
	asRoot := []string(nil)
	if os.Geteuid() == 0 {
		asRoot = []string{"--user=root"}
	}
	if b.Flavour == "mysql" {
		args := append([]string{"--no-defaults", "--initialize-insecure", "--datadir=" + data, "--tmpdir=" + m.path(tmpDir), "--log-error=" + m.path(logFile)}, asRoot...)
		return exec.CommandContext(ctx, b.Path, append(args, m.config.Init...)...), nil
	}
	root := filepath.Dir(filepath.Dir(b.Path))
	for _, name := range []string{"mariadb-install-db", "mysql_install_db"} {
		for _, dir := range []string{filepath.Dir(b.Path), filepath.Join(root, "bin"), filepath.Join(root, "scripts"), ""} {
			path := filepath.Join(dir, name)
			if dir == "" {
				var err error
				if path, err = exec.LookPath(name); err != nil {
					continue
				}
			}
			if isFile(path) {
				args := append([]string{"--no-defaults", "--datadir=" + data, "--tmpdir=" + m.path(tmpDir), "--auth-root-authentication-method=normal", "--skip-test-db", "--basedir=" + root}, asRoot...)
				return exec.CommandContext(ctx, path, append(args, m.config.Init...)...), nil
			}
		}
	}
	return nil, fmt.Errorf("mariadb-install-db was not found beside %s or on the PATH; it makes data directories", b.Path)
}

// makeAccount makes our account with the rights of everything, and closes the others: root's password is thrown away, and the accounts
// without one that mariadb-install-db makes for TCP (root@127.0.0.1, root@::1, root@HOST) are dropped.
func (m *ManagedServer) makeAccount(ctx context.Context) error {
	s, err := admin.Open(ctx, admin.Address{User: "root", Socket: m.socket})
	if err != nil {
		return err
	}
	defer s.Close()
	statements := []string{"CREATE DATABASE " + m.account.DB}
	for _, host := range []string{"localhost", "127.0.0.1", "::1"} {
		who := fmt.Sprintf("'%s'@'%s'", m.account.User, host)
		statements = append(statements, "CREATE USER "+who+" IDENTIFIED BY '"+m.account.Password+"'", "GRANT ALL ON *.* TO "+who+" WITH GRANT OPTION")
	}
	open, err := s.Row(ctx, "SELECT GROUP_CONCAT(QUOTE(user), '@', QUOTE(host)) AS who FROM mysql.user WHERE user = '' OR user = 'root' AND host <> 'localhost'")
	if err != nil {
		return err
	}
	if open["who"] != "" {
		statements = append(statements, "DROP USER "+open["who"])
	}
	statements = append(statements, "ALTER USER 'root'@'localhost' IDENTIFIED BY '"+rand.Text()+"'")
	for _, q := range statements {
		if err := s.Exec(ctx, q); err != nil {
			return errors.New(strings.ReplaceAll(err.Error(), m.account.Password, "***"))
		}
	}
	return nil
}
