package main

import (
	"crypto/rand"
	"fmt"
	"net"
	"runtime/debug"
	"strconv"
	"strings"

	"deltabench/internal/embedded"
	"deltabench/internal/sysbench"
	"deltabench/internal/target"
)

// engineModule is what executes the SQL.
const engineModule = "github.com/dolthub/go-mysql-server"

func randomPassword() string { return strings.ToLower(rand.Text()) }

func versionLine() string {
	version := "of unknown version"
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, m := range info.Deps {
			if m.Path == engineModule {
				version = m.Version
			}
		}
	}
	return fmt.Sprintf("%s %s (go-mysql-server %s)", target.EmbeddedProgram, sysbench.Version, version)
}

// facts are the lines printed at the start, one for each fact. The last one tells a parent process where the server is.
// A password that the user chose is not repeated; one that we made up has to be.
func facts(s *embedded.Server, o embedded.Options, child, chosen bool) []string {
	host, port := o.Host, strconv.Itoa(s.Port())
	lines := append([]string{versionLine()}, embedded.Facts()...)
	lines = append(lines, fmt.Sprintf("account: %s, from this machine only; database: %s", o.User, o.DB))
	if !child { // a parent knows the password
		login := ""
		switch {
		case chosen && o.Password != "":
			login = target.PasswordVariable + "=... "
		case o.Password != "":
			login = target.PasswordVariable + "=" + quoted(o.Password) + " "
		}
		at := "--mysql-host=" + host + " --mysql-port=" + port
		lines = append(lines,
			"load:    "+login+"deltabench oltp_read_write "+at+" --table-size=10000 prepare",
			"measure: "+login+"deltabench oltp_read_write "+at+" --table-size=10000 --threads=4 run",
			"look:    "+login+"mysql --protocol=tcp --host="+host+" --port="+port+" --user="+o.User+" "+o.DB,
			"end:     Ctrl-C",
		)
	}
	return append(lines, target.ReadyLine(net.JoinHostPort(host, port)))
}

// quoted is a word of a shell command.
func quoted(s string) string {
	plain := func(r rune) bool {
		return r == '-' || r == '_' || '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z'
	}
	if strings.IndexFunc(s, func(r rune) bool { return !plain(r) }) < 0 {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
