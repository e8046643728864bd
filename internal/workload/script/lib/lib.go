// Package lib has the Lua modules and scripts that sysbench installs, written anew: scripts of users build on them.
package lib

import (
	"embed"
	"path"
	"strings"
)

//go:embed *.lua oltp_legacy/*.lua
var files embed.FS

// legacyDirs are where scripts of sysbench 0.5 lie: copies in 1.0, and those of 0.5 itself.
var legacyDirs = []string{"oltp_legacy", "tests/db"}

// Find returns the text of a module by the name that require knows ("oltp_common"), or of a script by a path at which
// sysbench installs it ("/usr/share/sysbench/tests/include/oltp_legacy/oltp.lua"). The modules oltp_common and common are
// also found as files of any other directory ("./common.lua"), for scripts that expect them beside themselves.
func Find(name string) (text string, ok bool) {
	dir, base := path.Split(path.Clean(name))
	dir = strings.TrimSuffix(dir, "/")
	base, isFile := strings.CutSuffix(base, ".lua")
	if dir != "" && !isFile {
		return "", false
	}
	legacy := base == "common"
	for _, d := range legacyDirs {
		legacy = legacy || dir == d || strings.HasSuffix(dir, "/"+d)
	}
	anywhere := base == "common" || base == "oltp_common"
	installed := !isFile || legacy || strings.HasSuffix(dir, "share/sysbench")
	if !anywhere && !installed {
		return "", false
	}
	if legacy {
		base = "oltp_legacy/" + base
	}
	b, err := files.ReadFile(base + ".lua")
	return string(b), err == nil
}
