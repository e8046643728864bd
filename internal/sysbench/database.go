package sysbench

import (
	"io"
	"os"
	"strings"

	"deltabench/internal/option"
)

// TLS modes as the MySQL client names them.
const (
	tlsDisabled  = "disabled"
	tlsPreferred = "preferred"
	tlsRequired  = "required"
)

// Files that 1.0.20 uses with --mysql-ssl=on, in the current directory.
const (
	legacyKey  = "client-key.pem"
	legacyCert = "client-cert.pem"
	legacyCA   = "cacert.pem"
)

// Database is what the database options say. It is not checked before a driver is created: see Check.
type Database struct {
	Driver       string // "mysql", "pgsql", anything typed
	PSMode       string // "auto" or "disable", anything typed
	Hosts        []string
	Ports        []int
	Sockets      []string // when there are any, hosts and ports do not count
	User         string
	Password     option.Secret
	DB           string
	TLS          string // disabled, preferred, required, verify_ca, verify_identity, anything typed
	TLSKey       string
	TLSCA        string
	TLSCert      string
	TLSCipher    string
	Compression  []string // empty: off
	IgnoreErrors []string // numbers, "all", or words that match nothing
	LocalSocket  string   // of the host localhost, from an option file; empty: the usual places
	Debug        bool     // --mysql-debug: the driver raises the verbosity to 5 and logs its calls
	InitSQL      string   // of every connection
	DryRun       bool

	passwordErr  error
	userFrom     string // option file that the user comes from; empty: none
	passwordFrom string // where the password comes from
	// passwordFileEmpty: not a byte is in the password file.
	passwordFileEmpty bool
	ask               bool // the password is to be asked for
	files             fileOptions
}

// readDatabase reads the database options. What they leave open comes from option files, and the password at last from
// the environment.
func readDatabase(face Face, set, ours *option.Set, files fileOptions, getenv func(string) string) (*Database, error) {
	d := &Database{
		Driver: set.String("db-driver"), PSMode: set.String("db-ps-mode"),
		Hosts: set.List("mysql-host"), Sockets: set.List("mysql-socket"),
		User: set.String("mysql-user"), DB: set.String("mysql-db"),
		TLSKey: ours.String("mysql-ssl-key"), TLSCA: ours.String("mysql-ssl-ca"), TLSCert: ours.String("mysql-ssl-cert"),
		TLSCipher: set.String("mysql-ssl-cipher"), IgnoreErrors: set.List("mysql-ignore-errors"),
		Debug: set.Bool("mysql-debug"), DryRun: set.Bool("mysql-dry-run"),
		InitSQL: strings.TrimSpace(ours.String("mysql-init-sql")),
	}
	for _, port := range set.List("mysql-port") {
		n, _ := leadingInt(port) // garbage is port 0, as in sysbench
		d.Ports = append(d.Ports, n)
	}
	if set.Bool("mysql-compression") {
		d.Compression = splitWords(ours.String("mysql-compression-algorithms"))
	}
	if spec, _ := set.Lookup("mysql-ssl"); spec.Type == option.Bool {
		d.TLS = tlsDisabled
		if set.Bool("mysql-ssl") {
			// The library of sysbench asks for TLS and goes on in plain text when the server has none.
			d.TLS = tlsPreferred
			d.legacyFiles()
		}
	} else {
		d.TLS = tlsMode(set.String("mysql-ssl"))
	}
	if err := d.applyFiles(set, ours, files); err != nil {
		return nil, err
	}
	d.takePassword(face, set, ours, getenv)
	return d, nil
}

// tlsMode gives the modes one spelling; on is required.
func tlsMode(text string) string {
	switch mode := strings.ToLower(text); mode {
	case "", "off", "false", "0":
		return tlsDisabled
	case "on", "true", "1":
		return tlsRequired
	case tlsDisabled, tlsPreferred, tlsRequired, "verify_ca", "verify_identity":
		return mode
	}
	return text
}

// tlsModes are the modes, for hints.
const tlsModes = "disabled, preferred, required, verify_ca or verify_identity"

// knownTLS reports whether there is such a mode.
func knownTLS(mode string) bool {
	switch mode {
	case tlsDisabled, tlsPreferred, tlsRequired, "verify_ca", "verify_identity":
		return true
	}
	return false
}

// legacyFiles takes the hard-wired files of 1.0.20 where they exist and no option names others.
func (d *Database) legacyFiles() {
	use := func(to *string, file string) {
		if *to == "" && readableFile(file) {
			*to = file
		}
	}
	use(&d.TLSKey, legacyKey)
	use(&d.TLSCert, legacyCert)
	use(&d.TLSCA, legacyCA)
}

// maxPasswordFile is how much of a password file is read, in bytes.
const maxPasswordFile = 64 << 10

// readFirst reads the first bytes of a file: some, such as /dev/zero, have no end.
func readFirst(path string, n int64) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, n))
}

func (d *Database) readPasswordFile(path string) {
	text, err := readFirst(path, maxPasswordFile)
	if err != nil {
		d.passwordErr = fatalf("Invalid value for --mysql-password-file: %s: %s", path, reason(err)).hinted("a file whose first line is the password")
		return
	}
	d.passwordFileEmpty = len(text) == 0
	line, _, _ := strings.Cut(string(text), "\n")
	d.Password = option.Secret(strings.TrimSuffix(line, "\r"))
}

// Check returns the FATAL line with which the creation of the driver fails, or nil. sysbench raises these
// only when a test creates its driver.
func (d *Database) Check() error {
	switch d.Driver {
	case "mysql", "pgsql":
	case "":
		return fatalf("Multiple DB drivers are available. Use --db-driver=name to specify which one to use").hinted("--db-driver=mysql")
	default:
		return fatalf("invalid database driver name: '%s'", d.Driver).hinted("--db-driver=mysql is the one that there is")
	}
	switch d.PSMode {
	case "auto", "disable":
	default:
		return fatalf("Invalid value for db-ps-mode: %s", d.PSMode).hinted("auto or disable")
	}
	switch {
	case len(d.Sockets) > 0:
	case len(d.Hosts) == 0:
		return fatalf("No MySQL hosts specified, aborting").hinted("--mysql-host is empty; without it the host is localhost")
	case len(d.Ports) == 0:
		return fatalf("No MySQL ports specified, aborting").hinted("--mysql-port is empty; without it the port is 3306")
	}
	if !knownTLS(d.TLS) {
		return fatalf("Invalid value for --mysql-ssl: '%s'", d.TLS).hinted(tlsModes)
	}
	for _, c := range d.Compression {
		if c != "zlib" && c != "zstd" && c != "uncompressed" {
			return fatalf("Invalid value for --mysql-compression-algorithms: '%s'", c).hinted("zlib, zstd, or both separated by a comma")
		}
	}
	return d.passwordErr
}

// splitWords splits a comma-separated list and drops empty elements.
func splitWords(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return r == ',' })
}
