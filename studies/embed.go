// Package studies has the study files that come with deltabench.
package studies

import (
	"embed"
	"fmt"
	"strings"
)

//go:embed *.yaml
var files embed.FS

// Names are the names of the files, without .yaml, sorted.
func Names() []string {
	entries, err := files.ReadDir(".")
	if err != nil {
		return nil // it is embedded: there is one
	}
	var names []string
	for _, e := range entries {
		names = append(names, strings.TrimSuffix(e.Name(), ".yaml"))
	}
	return names
}

// Text is the file of a name.
func Text(name string) (string, error) {
	text, err := files.ReadFile(name + ".yaml")
	if err != nil {
		return "", fmt.Errorf("there is no study '%s'; there are %s", name, strings.Join(Names(), ", "))
	}
	return string(text), nil
}
