package cli

import (
	"fmt"

	"deltabench/internal/sysbench"
	"deltabench/internal/target"
)

// serverWord is the command that starts the embedded server in the foreground.
const serverWord = "server"

// server becomes the embedded server, a program of its own, with the arguments behind the command word.
func server(env Env) int {
	path, err := target.FindEmbedded()
	if err != nil {
		fmt.Fprintf(env.Stderr, "deltabench %s: %s\n", serverWord, err)
		return sysbench.ExitFailure
	}
	code, err := become(env, path, env.Args[2:])
	if err != nil {
		fmt.Fprintf(env.Stderr, "deltabench %s: start %s: %s\n", serverWord, path, err)
		return sysbench.ExitFailure
	}
	return code
}
