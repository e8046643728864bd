package sysbench

import (
	"context"
	"io"

	"deltabench/internal/option"
	"deltabench/internal/random"
	"deltabench/internal/target"
	"deltabench/internal/textlog"
	"deltabench/internal/workload"
)

// targetEmbedded is the value of --target for a server that is started for the command and ends with it.
const targetEmbedded = "embedded"

// ownServer are the options that say what --target=embedded says itself.
var ownServer = []string{"mysql-host", "mysql-port", "mysql-socket", "mysql-user", "mysql-password", "mysql-db", "mysql-ssl"}

// checkTarget refuses a target together with options that name another server.
func (s *session) checkTarget(req *Request) error {
	if req.General.Target == "" {
		return nil
	}
	if !mayUseDatabase(req.Test) {
		return fatalf("--target=%s has no effect on '%s'", req.General.Target, req.Name).hinted("the test uses no database")
	}
	for _, name := range ownServer {
		if s.set.Given(name) {
			return fatalf("--target=%s starts its own server: --%s does not go with it", req.General.Target, name).hinted("leave one of the two out")
		}
	}
	return nil
}

// startTarget starts the server that --target asks for and makes it the one that the command uses. stop ends it.
func startTarget(ctx context.Context, req *Request) (stop func(), err error) {
	if req.General.Target != targetEmbedded || req.Database.DryRun {
		return func() {}, nil
	}
	e, err := target.StartEmbedded(ctx)
	switch {
	case ctx.Err() != nil:
		if err == nil {
			e.Close()
		}
		r := fatalf("Interrupted while the server of --target=%s was started", targetEmbedded)
		r.code = ExitInterrupted
		return nil, r
	case err != nil:
		return nil, err
	}
	d := req.Database
	d.Hosts, d.Ports, d.Sockets = []string{e.Host}, []int{e.Port}, nil
	d.User, d.Password, d.DB, d.TLS = e.User, option.Secret(e.Password), e.DB, tlsDisabled
	req.Log.Noticef("Target: %s, started on %s:%d", target.EmbeddedNote, e.Host, e.Port)
	if req.Command != "run" {
		req.Log.Noticef("It ends with this command, and with it all tables. `deltabench server` starts one that stays.\n")
	}
	return e.Close, nil
}

// refused tells why a command cannot start, and returns the exit code.
func refused(req *Request, err error) int {
	r := asRefusal(err)
	req.Log.Fatalf("%s", r.as(req.Face, r.hint))
	return r.code
}

// fillTarget prepares the test's tables for a run on a server that has just been started for it.
func fillTarget(ctx context.Context, req *Request, setup workload.Setup) int {
	if req.General.Target != targetEmbedded || req.Database.DryRun {
		return ExitOK
	}
	const command = "prepare"
	if !hasCommand(req.Test, command) {
		return ExitOK
	}
	req.Log.Noticef("Preparing its tables first, with the options of the test\n")
	// What prepare says is in the line above; its errors are not. Its rows are those of a prepare of its own.
	prepare := *req
	prepare.Command, prepare.Log = command, textlog.New(req.Stdout, textlog.Warning)
	setup.Random, setup.Log = random.NewProcess(), textlog.New(io.Discard, textlog.Fatal)
	return runCommand(ctx, &prepare, setup)
}

// targetText is what the report says of a server that was started for the run; empty when there was none.
func targetText(g *General) string {
	if g.Target == targetEmbedded {
		return target.EmbeddedNote
	}
	return ""
}
