package cli

import (
	"fmt"

	"github.com/spf13/cobra"
)

func newCompletion(env Env) *cobra.Command {
	return &cobra.Command{
		Use:   "completion {bash|zsh|fish}",
		Short: "Print a script that completes command lines in a shell",
		Long: `Print a script that completes commands, tests, options and their values in a shell:

  bash   source <(deltabench completion bash)       needs the package bash-completion
  zsh    deltabench completion zsh > "${fpath[1]}/_deltabench"
  fish   deltabench completion fish > ~/.config/fish/completions/deltabench.fish`,
		Args:      oneArgument("the shell (bash, zsh or fish)"),
		ValidArgs: []string{"bash", "zsh", "fish"},
		RunE: func(cmd *cobra.Command, args []string) error {
			root := cmd.Root()
			switch args[0] {
			case "bash":
				return root.GenBashCompletionV2(env.Stdout, true)
			case "zsh":
				return root.GenZshCompletion(env.Stdout)
			case "fish":
				return root.GenFishCompletion(env.Stdout, true)
			}
			return fmt.Errorf("unknown shell '%s' (bash, zsh or fish)", args[0])
		},
	}
}
