// Command deltabench measures what a change does to a MySQL server's performance. Called as `sysbench` it
// behaves as sysbench 1.0.20 does.
package main

import (
	"os"

	"deltabench/internal/cli"
)

func main() { os.Exit(cli.Main(cli.OSEnv())) }
