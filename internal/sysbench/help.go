package sysbench

import (
	"fmt"
	"slices"
	"strings"

	"deltabench/internal/option"
)

// notYet marks what is known by name only.
const notYet = " (not in this version)"

// appendHelp appends the help of all options (specification 1.5). Its sections are greppable interfaces.
func appendHelp(dst []byte, env Env, t optionTables) []byte {
	face, prog := env.Face, env.Face.program()
	dst = fmt.Appendf(dst, "Usage:\n  %s [options]... [testname] [command]\n\n", prog)
	dst = append(dst, "Commands implemented by most tests: prepare run cleanup help\n\n"...)
	dst = append(dst, "General options:\n"...)
	dst = option.AppendList(dst, t.general)
	dst = append(dst, "Pseudo-Random Numbers Generator options:\n"...)
	dst = option.AppendList(dst, t.random)
	dst = append(dst, "Log options:\n"...)
	dst = option.AppendList(dst, t.log)
	dst = option.AppendList(dst, t.logMore)
	dst = append(dst, "General database options:\n\n"...)
	dst = option.AppendList(dst, t.db)
	dst = append(dst, "\nCompiled-in database drivers:\n  mysql - MySQL driver\n  pgsql - PostgreSQL driver"...)
	if face == FaceDeltabench {
		dst = append(dst, notYet...)
	}
	dst = append(dst, "\n\n"...)
	dst = append(dst, "mysql options:\n"...)
	dst = option.AppendList(dst, t.mysql)
	dst = append(dst, "pgsql options:\n"...)
	dst = option.AppendList(dst, t.pgsql)
	if face == FaceDeltabench {
		dst = append(dst, "Deltabench options:\n"...)
		dst = option.AppendList(dst, t.ours)
	}
	dst = append(dst, "Compiled-in tests:\n"...)
	for _, b := range builtins {
		dst = fmt.Appendf(dst, "  %s - %s", b.name, b.desc)
		if face == FaceDeltabench && slices.Contains(missing, b.name) {
			dst = append(dst, notYet...)
		}
		dst = append(dst, '\n')
	}
	if face == FaceDeltabench {
		dst = append(dst, "\nBundled SQL tests:\n"...)
		for _, test := range env.Tests {
			if test.SQL() {
				dst = fmt.Appendf(dst, "  %s\n", test.Name())
			}
		}
		dst = fmt.Appendf(dst, "\nThe OLTP test of sysbench 0.4 is called by --test=oltp; see '%s --test=oltp help'.\n", prog)
		if len(env.Commands) > 0 {
			dst = fmt.Appendf(dst, "\nCommands of deltabench itself, as the first word: %s.\nSee 'deltabench help' for what they do.\n", strings.Join(env.Commands, ", "))
		}
	}
	return fmt.Appendf(dst, "\nSee '%s <testname> help' for a list of options for each test.\n\n", prog)
}

// appendTestHelp appends the options of one test.
func appendTestHelp(dst []byte, face Face, name string, specs []option.Spec) []byte {
	dst = append(dst, name...)
	dst = append(dst, " options:\n"...)
	if face == FaceDeltabench { // options of the development branch are no secret on our face
		shown := make([]option.Spec, len(specs))
		for i, s := range specs {
			s.Hidden = false
			shown[i] = s
		}
		specs = shown
	}
	return option.AppendList(dst, specs)
}
