package target

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

// Binary is the program of a MySQL or MariaDB server.
type Binary struct {
	Path    string
	Flavour string // mariadb, mysql
	Version string // such as 10.11.14-MariaDB, 8.4.3
}

// String names it for people.
func (b Binary) String() string { return fmt.Sprintf("%s (%s)", b.Path, b.Version) }

// serverNames are the names of servers' programs; the first one that is found counts.
var serverNames = []string{"mariadbd", "mysqld"}

// usualPlaces are where servers are besides the PATH.
var usualPlaces = []string{"/usr/sbin", "/usr/local/sbin", "/usr/libexec", "/usr/local/mysql/bin", "/usr/local/bin", "/opt/homebrew/bin"}

var versionPattern = regexp.MustCompile(`Ver (\d+\.\d+\.\d+[^ ]*)`)

// FindServer finds a server's program: auto is the first one on the PATH and in the usual places; else the program's path, or a directory
// that has it, itself or in bin, sbin or libexec.
func FindServer(spec string) (Binary, error) {
	var looked []string
	try := func(dir string) string {
		looked = append(looked, dir)
		for _, name := range serverNames {
			if path := filepath.Join(dir, name); isFile(path) {
				return path
			}
		}
		return ""
	}
	switch info, err := os.Stat(spec); {
	case spec == "auto" || spec == "":
		for _, name := range serverNames {
			if path, err := exec.LookPath(name); err == nil {
				return binaryAt(path)
			}
		}
		places := usualPlaces
		for _, pattern := range []string{"/opt/*/bin", "/opt/*/*/bin"} {
			more, _ := filepath.Glob(pattern) // fails only for bad patterns
			places = append(slices.Clone(places), more...)
		}
		for _, dir := range places {
			if path := try(dir); path != "" {
				return binaryAt(path)
			}
		}
		return Binary{}, fmt.Errorf("no mariadbd or mysqld on the PATH or in %s: install a server (Debian: apt-get install mariadb-server), or name its path with server", strings.Join(looked, ", "))
	case err != nil:
		return Binary{}, fmt.Errorf("server %s: there is no such program or directory", spec)
	case info.IsDir():
		for _, dir := range []string{spec, filepath.Join(spec, "bin"), filepath.Join(spec, "sbin"), filepath.Join(spec, "libexec")} {
			if path := try(dir); path != "" {
				return binaryAt(path)
			}
		}
		return Binary{}, fmt.Errorf("server %s: no mariadbd or mysqld in %s", spec, strings.Join(looked, ", "))
	}
	return binaryAt(spec)
}

// versionLimit is how long a program may take to tell its version.
const versionLimit = time.Minute

// binaryAt asks a program what it is.
func binaryAt(path string) (Binary, error) {
	ctx, cancel := context.WithTimeout(context.Background(), versionLimit)
	defer cancel()
	out, err := exec.CommandContext(ctx, path, "--no-defaults", "--version").CombinedOutput()
	m := versionPattern.FindSubmatch(out)
	switch {
	case m != nil:
	case errors.Is(err, fs.ErrPermission):
		return Binary{}, fmt.Errorf("server %s: it may not be executed: chmod +x, or name another program", path)
	case err != nil:
		return Binary{}, fmt.Errorf("server %s: %s", path, orError(firstLine(string(out)), err))
	default:
		return Binary{}, fmt.Errorf("server %s: it is no MySQL or MariaDB server: --version says %q", path, firstLine(string(out)))
	}
	b := Binary{Path: path, Flavour: "mysql", Version: string(m[1])}
	if strings.Contains(string(out), "MariaDB") {
		b.Flavour = "mariadb"
	}
	return b, nil
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return line
}

// orError is a text, or an error's where it is empty.
func orError(text string, err error) string {
	if text == "" {
		return err.Error()
	}
	return text
}
