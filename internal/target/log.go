package target

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strings"
)

// said is what the error log says since a start, at most its first megabyte and its last one.
func (m *ManagedServer) said(from int64) string {
	f, err := os.Open(m.path(logFile))
	if err != nil {
		return ""
	}
	defer f.Close()
	const most = 1 << 20
	text := make([]byte, most)
	n, _ := f.ReadAt(text, from)
	text = text[:n]
	if info, err := f.Stat(); err == nil && info.Size() > from+most {
		end := make([]byte, most)
		n, _ = f.ReadAt(end, max(info.Size()-most, from+most))
		text = append(text, end[:n]...)
	}
	return string(text)
}

// logHead is what lines of error logs begin with, of MariaDB and MySQL, before their text.
var logHead = regexp.MustCompile(`^\S+[ T]\S+ +(\d+ )?\[\w+\] (\[\S+\] )*|^\d{6} +\d+:\d\d:\d\d \[\w+\] |^\S+ \S+ +0x[0-9a-f]+ +`)

// causes are what lines of error logs mean, with what to do; the first that is there counts.
var causes = []struct{ has, text string }{
	{"unknown variable", "check the name of this server option"},
	{"unknown option", "check the name of this server option"},
	{"unknown suffix", "check the value of this server option"},
	{"Unknown suffix", "check the value of this server option"},
	{"Error while setting value", "check the value of this server option"},
	{"requires an argument", "give this server option a value"},
	{"is not a compiled character set", "check the name of the character set"},
	{"No space left", "the disk is full: free space, or name another directory with --work-dir"},
	{"Errcode: 28", "the disk is full: free space, or name another directory with --work-dir"},
	{"error number 28", "the disk is full: free space, or name another directory with --work-dir"},
	{"Unable to lock", "another server uses this data directory"},
	{"Can't lock aria control file", "another server uses this data directory"},
	{"Address already in use", "the port is in use"},
	{"Cannot allocate memory", "the machine has too little memory for these options"},
	{"Out of memory", "the machine has too little memory for these options"},
	{"Permission denied", "the directory cannot be used by this user"},
}

// worstLine is the line of a server's log that says why it did not start, with what to do.
func worstLine(text string) string {
	first, last := "", ""
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		plain := !strings.Contains(line, "[")
		isError := strings.Contains(line, "[ERROR]") && !strings.Contains(line, "Aborting") || strings.Contains(line, "got signal") || strings.HasPrefix(line, "ERROR")
		for _, c := range causes {
			if strings.Contains(line, c.has) && (isError || plain) {
				return logHead.ReplaceAllString(line, "") + " (" + c.text + ")"
			}
		}
		if isError && first == "" {
			first = line
		}
		if line != "" && !strings.Contains(line, "Aborting") {
			last = line
		}
	}
	if first == "" {
		first = last
	}
	return logHead.ReplaceAllString(first, "")
}

// lastWords is the line of a server's log that says why it ended after it had worked. A server that was killed says nothing.
func lastWords(text string) string {
	signal, failed, worst := "", "", ""
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		switch {
		case strings.Contains(line, "ssertion"):
			failed = line
		case strings.Contains(line, "[FATAL]"):
			failed = line
		case strings.Contains(line, "got signal"):
			signal = line
		case strings.Contains(line, "[ERROR]"):
			worst = line
		}
	}
	for _, line := range []string{failed, signal, worst} {
		if line != "" {
			return logHead.ReplaceAllString(line, "")
		}
	}
	return "its log has no error: somebody killed it, or the system when memory was short (dmesg tells)"
}

var unknownOption = regexp.MustCompile(`unknown (?:variable|option) '(?:--)?([\w-]+)`)

// explained adds what an unknown option may have meant.
func (m *ManagedServer) explained(ctx context.Context, why string) string {
	found := unknownOption.FindStringSubmatch(why)
	if found == nil {
		return why
	}
	args := []string{"--no-defaults", "--verbose", "--help"}
	if os.Geteuid() == 0 {
		args = append(args, "--user=root")
	}
	limited, cancel := context.WithTimeout(ctx, versionLimit)
	defer cancel()
	out, err := exec.CommandContext(limited, m.config.Binary.Path, args...).Output()
	if err != nil {
		return why // without the names there is no near one
	}
	name := underscored(found[1])
	best, least := "", max(2, len(name)/6)+1
	_, list, _ := strings.Cut(string(out), "\nVariables (--variable-name=value)")
	for line := range strings.Lines(list) {
		known, _, _ := strings.Cut(line, " ")
		known = underscored(strings.TrimSpace(known))
		if n := edits(name, known, least); known != "" && n < least {
			best, least = known, n
		}
	}
	if best == "" {
		return why
	}
	return fmt.Sprintf("%s; did you mean %s?", why, best)
}

func underscored(name string) string { return strings.ReplaceAll(name, "-", "_") }

// edits is how many letters must be changed, added or removed to make b of a; most where it is at least that.
func edits(a, b string, most int) int {
	if len(a)-len(b) >= most || len(b)-len(a) >= most {
		return most
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		before := row[0]
		row[0]++
		for j := range len(b) {
			n := before
			if a[i] != b[j] {
				n = 1 + min(before, row[j], row[j+1])
			}
			before, row[j+1] = row[j+1], n
		}
	}
	return min(row[len(b)], most)
}
