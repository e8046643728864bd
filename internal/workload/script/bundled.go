package script

// Bundled returns the text of a script of ours, by the name that require knows or by a path.
func Bundled(string) (string, bool) { return "", false }
