package hostcost

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// Neighbours registers this process as one that measures on this host, and returns what others of this user measure at the same
// time, a text for each. release must be called at the end. Registration that fails is no error: it only warns. Processes of other
// users are not seen, nor are any on systems that do not name processes for good.
func Neighbours(purpose string) (others []string, release func()) {
	return neighbours(filepath.Join(os.TempDir(), fmt.Sprintf("deltabench-%d", os.Getuid())), purpose)
}

func neighbours(dir, purpose string) (others []string, release func()) {
	release = func() {}
	if err := os.Mkdir(dir, 0o700); err != nil && !os.IsExist(err) {
		return nil, release
	}
	// Everybody may make a directory of that name first, and links in it: what is not ours alone is not used.
	info, err := os.Lstat(dir)
	if err != nil || !info.IsDir() || !private(info) {
		return nil, release
	}
	token, err := StartToken(os.Getpid())
	if err != nil {
		return nil, release
	}
	mine := filepath.Join(dir, strconv.Itoa(os.Getpid()))
	// Another one that starts at the same time sees all of the file or none: a part would look like that of a dead process.
	text := token + "\n" + purpose + "\n" + time.Now().Format("15:04") + "\n"
	if os.WriteFile(mine+".part", []byte(text), 0o600) == nil && os.Rename(mine+".part", mine) == nil {
		release = func() { _ = os.Remove(mine) }
	}
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil || pid == os.Getpid() {
			continue
		}
		path := filepath.Join(dir, e.Name())
		text, err := os.ReadFile(path)
		if err != nil {
			continue // it has just ended
		}
		token, what, _ := strings.Cut(strings.TrimSpace(string(text)), "\n")
		if now, err := StartToken(pid); err != nil || now != token {
			_ = os.Remove(path) // it was killed
			continue
		}
		what, since, known := strings.Cut(what, "\n")
		if known {
			since = ", since " + since
		}
		others = append(others, fmt.Sprintf("%s (pid %d%s)", what, pid, since))
	}
	return others, release
}
