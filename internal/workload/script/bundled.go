package script

import "deltabench/internal/workload/script/lib"

// Bundled returns the text of a script of ours, by the name that require knows or by a path.
func Bundled(name string) (string, bool) { return lib.Find(name) }
