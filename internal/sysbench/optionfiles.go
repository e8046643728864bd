package sysbench

import (
	"strconv"
	"strings"

	"deltabench/internal/option"
	"deltabench/internal/optionfile"
	"deltabench/internal/workload"
)

// optionGroups are the groups of option files that are ours to read, besides those with the suffix.
var optionGroups = []string{"client", "client-server", "client-mariadb", "deltabench"}

// fileOptions are the options of the client's option files, the last of each name. It may be nil: none.
type fileOptions map[string]optionfile.Option

// get returns an option's value; ok is false when no file has the option.
func (f fileOptions) get(name string) (value string, ok bool) {
	o, ok := f[name]
	return o.Value, ok
}

// optionFiles reads the option files for a command that uses a server which it did not start itself.
func (s *session) optionFiles(t workload.Test) (fileOptions, error) {
	if _, known := s.ours.Lookup("target"); !mayUseDatabase(t) || known && s.ours.String("target") != "" {
		return nil, nil
	}
	return s.readOptionFiles()
}

// readOptionFiles reads the option files that a MySQL client would read. As sysbench, which reads none, only those that
// an option names.
func (s *session) readOptionFiles() (fileOptions, error) {
	files := optionfile.Files{Extra: s.ours.String("defaults-extra-file"), Only: s.ours.String("defaults-file")}
	if s.env.Face == FaceDeltabench {
		files.Global = s.env.OptionFiles
		files.User = optionfile.User(s.env.Getenv)
	}
	if s.ours.Bool("no-defaults") {
		if files.Only != "" || files.Extra != "" {
			return nil, usagef("--no-defaults reads no option files").hinted("leave it out, or --defaults-file and --defaults-extra-file")
		}
		return nil, nil
	}
	suffix := s.ours.String("defaults-group-suffix")
	for _, name := range []string{"MARIADB_GROUP_SUFFIX", "MYSQL_GROUP_SUFFIX"} {
		if suffix == "" {
			suffix = s.env.Getenv(name)
		}
	}
	files.Groups = optionGroups
	if suffix != "" {
		for _, g := range optionGroups {
			files.Groups = append(files.Groups[:len(files.Groups):len(files.Groups)], g+suffix)
		}
	}
	r, err := files.Read()
	for _, w := range r.Warnings {
		s.log.Warnf("%s", w)
	}
	if err != nil {
		return nil, usagef("option file: %s", err).hinted("--no-defaults reads no option files")
	}
	f := fileOptions{}
	for _, o := range r.Options {
		f[o.Name] = o
	}
	return f, nil
}

// applyFiles takes from option files what was not given on the command line (or in --config-file).
func (d *Database) applyFiles(set, ours *option.Set, f fileOptions) error {
	d.files = f
	text := func(to *string, name string, given bool) {
		if v, ok := f.get(name); ok && !given {
			*to = v
		}
	}
	if text(&d.User, "user", set.Given("mysql-user")); d.User != set.String("mysql-user") {
		d.userFrom = f["user"].Where
	}
	text(&d.DB, "database", set.Given("mysql-db"))
	if v, ok := f.get("port"); ok && !set.Given("mysql-port") {
		n, err := strconv.Atoi(v)
		if err != nil || n < 0 || n > 65535 {
			return usagef("%s: port: '%s' is no port", f["port"].Where, v).hinted("1 to 65535")
		}
		if n > 0 {
			d.Ports = []int{n}
		}
	}
	if v, ok := f.get("host"); ok && v != "" && !set.Given("mysql-host") {
		d.Hosts = []string{v}
	}
	// As for the client, a socket of a file is the one of the local host, and does not replace a host.
	text(&d.LocalSocket, "socket", false)
	if v, _ := f.get("protocol"); strings.EqualFold(v, "tcp") && len(d.Hosts) == 1 && d.Hosts[0] == "localhost" && !set.Given("mysql-host") {
		d.Hosts = []string{"127.0.0.1"}
	}
	return d.filesTLS(set, ours, f)
}

// filesTLS takes the TLS options of files, unless the command line has the mode.
func (d *Database) filesTLS(set, ours *option.Set, f fileOptions) error {
	if set.Given("mysql-ssl") && d.TLS == tlsDisabled {
		return nil
	}
	file := false
	for _, o := range []struct {
		name  string
		to    *string
		given bool
	}{
		{"ssl-ca", &d.TLSCA, ours.Given("mysql-ssl-ca")},
		{"ssl-cert", &d.TLSCert, ours.Given("mysql-ssl-cert")},
		{"ssl-key", &d.TLSKey, ours.Given("mysql-ssl-key")},
		{"ssl-cipher", &d.TLSCipher, set.Given("mysql-ssl-cipher")},
	} {
		if v, ok := f.get(o.name); ok && v != "" && !o.given {
			*o.to, file = v, true
		}
	}
	if set.Given("mysql-ssl") {
		return nil
	}
	if v, ok := f.get("ssl-mode"); ok {
		if d.TLS = tlsMode(v); !knownTLS(d.TLS) {
			return usagef("%s: ssl-mode: '%s' is no TLS mode", f["ssl-mode"].Where, v).hinted(tlsModes)
		}
		return nil
	}
	on, given := f.flag("ssl")
	verify, _ := f.flag("ssl-verify-server-cert")
	switch {
	case given && !on:
		d.TLS = tlsDisabled
		d.TLSCA, d.TLSCert, d.TLSKey = ours.String("mysql-ssl-ca"), ours.String("mysql-ssl-cert"), ours.String("mysql-ssl-key")
	case verify:
		d.TLS = "verify_identity"
	case d.TLSCA != "" && file: // a list of authorities is there to be used
		d.TLS = "verify_ca"
	case on, file:
		d.TLS = tlsRequired
	}
	return nil
}

// flag reads a boolean in the forms that option files have: name, name=1, skip-name.
func (f fileOptions) flag(name string) (on, given bool) {
	for _, prefix := range []string{"skip-", "disable-"} {
		if _, ok := f[prefix+name]; ok {
			return false, true
		}
	}
	for _, key := range []string{name, "enable-" + name} {
		if o, ok := f[key]; ok {
			switch strings.ToLower(o.Value) {
			case "0", "off", "false":
				return false, true
			}
			return true, true
		}
	}
	return false, false
}

// origin says which of user and password come from option files, for people who wonder; empty: none.
func (d *Database) origin() string {
	var parts []string
	if d.userFrom != "" {
		parts = append(parts, "the user comes from "+d.userFrom)
	}
	if o, ok := d.files["password"]; ok && o.Where == d.passwordFrom {
		parts = append(parts, "the password from "+o.Where)
	}
	return strings.Join(parts, ", ")
}
