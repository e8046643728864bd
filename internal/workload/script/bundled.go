package script

// bundled returns the text of a script of ours, by the name that require knows or by a path.
func bundled(string) (string, bool) { return "", false }
