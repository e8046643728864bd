package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"deltabench/internal/mariadbtest"
)

// server is what cells run against.
type server struct {
	port    int
	version string
	close   func() error
}

// openFiles is enough for 10,000 connections on either side.
const openFiles = 12000

// prepare starts the servers that the chosen cells need.
func (b *bench) prepare(ctx context.Context) error {
	if err := raiseFiles(openFiles); err != nil {
		return err
	}
	b.servers = map[string]server{}
	var err error
	if b.dir, err = os.MkdirTemp("", "bench"); err != nil {
		return err
	}
	for _, r := range b.results {
		if r.script == "" {
			continue
		}
		r.test = filepath.Join(b.dir, r.test)
		if err := os.WriteFile(r.test, []byte(r.script), 0o600); err != nil {
			return err
		}
	}
	starts := map[string]func(context.Context) (server, error){"null": b.startNull, "mariadb": b.startMariaDB}
	for _, r := range b.results {
		start := starts[r.server]
		if _, running := b.servers[r.server]; running || start == nil {
			continue
		}
		s, err := start(ctx)
		if err != nil {
			return err
		}
		b.servers[r.server] = s
	}
	return nil
}

// close stops the servers and removes their files.
func (b *bench) close() {
	var errs []error
	for _, s := range b.servers {
		errs = append(errs, s.close())
	}
	if b.dir != "" {
		errs = append(errs, os.RemoveAll(b.dir))
	}
	if err := errors.Join(errs...); err != nil {
		fmt.Fprintln(b.log, "stop the servers:", err)
	}
}

// startNull starts the null server and waits for its line "listening on ADDR".
func (b *bench) startNull(context.Context) (server, error) {
	cmd := exec.Command(b.nullserver, "-listen", "127.0.0.1:0")
	cmd.Stderr = b.log
	dieWithParent(cmd)
	out, err := cmd.StdoutPipe()
	if err != nil {
		return server{}, err
	}
	if err := cmd.Start(); err != nil {
		return server{}, fmt.Errorf("start the null server: %w", err)
	}
	stop := func() error {
		_ = cmd.Process.Kill() // fails only when it has ended
		_ = cmd.Wait()         // killed
		return nil
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	addr, ok := strings.CutPrefix(strings.TrimSpace(line), "listening on ")
	_, port, splitErr := net.SplitHostPort(addr)
	if err != nil || !ok || splitErr != nil {
		return server{}, errors.Join(fmt.Errorf("the null server says %q instead of its address", line), stop())
	}
	n, err := strconv.Atoi(port)
	if err != nil {
		return server{}, errors.Join(fmt.Errorf("port of the null server: %w", err), stop())
	}
	return server{n, "null server", stop}, nil
}

// startMariaDB starts a private server and fills it by the client to compare with.
func (b *bench) startMariaDB(ctx context.Context) (server, error) {
	data := filepath.Join(b.dir, "mariadb")
	if err := os.Mkdir(data, 0o700); err != nil {
		return server{}, err
	}
	s, err := mariadbtest.StartProcess(data, mariadbtest.WithArgs(
		"--max-connections=1200", "--max-prepared-stmt-count=1000000", "--table-open-cache=10000",
		"--back-log=1200", "--innodb-buffer-pool-size=512M", "--innodb-log-file-size=512M",
	))
	if err != nil {
		return server{}, err
	}
	if err := b.fill(ctx, s); err != nil {
		return server{}, errors.Join(err, s.Close())
	}
	return server{s.Port, s.Version, s.Close}, nil
}

// fill makes the tables, and reads them once so that the first round finds a warm server.
func (b *bench) fill(ctx context.Context, s *mariadbtest.Server) error {
	db, err := s.Open("")
	if err != nil {
		return err
	}
	defer db.Close()
	for _, name := range []string{database, loadSchema} {
		if _, err := db.ExecContext(ctx, "CREATE DATABASE "+name); err != nil {
			return fmt.Errorf("create the database %s: %w", name, err)
		}
	}
	fmt.Fprintf(b.log, "filling %d tables of %d rows\n", tables, tableSize)
	ctx, cancel := context.WithTimeout(ctx, 5*time.Minute)
	defer cancel()
	args := append([]string{"oltp_read_write"}, connection(s.Port)...)
	cmd := exec.CommandContext(ctx, b.theirs, append(args, "--threads=2", "prepare")...)
	dieWithParent(cmd)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("prepare the tables: %w:\n%s", err, out)
	}
	for i := range tables {
		if _, err := db.ExecContext(ctx, fmt.Sprintf("SELECT SUM(k), SUM(LENGTH(c)) FROM %s.sbtest%d", database, i+1)); err != nil {
			return fmt.Errorf("read the tables: %w", err)
		}
	}
	return nil
}
