package study

import (
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/goccy/go-yaml/ast"
)

// file is a study file as it is written. Its tags are the keys and their descriptions, of which the JSON Schema is made.
type file struct {
	Study     string         `yaml:"study" doc:"name of the study"`
	Question  string         `yaml:"question" doc:"what is asked, in a sentence"`
	Note      string         `yaml:"note" doc:"remarks, shown below the results"`
	Targets   []fileTarget   `yaml:"targets" doc:"servers; each has its own baseline and tables"`
	Data      fileData       `yaml:"data" doc:"what the tables hold"`
	Workloads []fileWorkload `yaml:"workloads" doc:"what is executed"`
	Threads   []int          `yaml:"threads" doc:"numbers of threads, rising"`
	Headline  int            `yaml:"headline_threads" doc:"the number of threads of the summary table; one of threads"`
	Time      duration       `yaml:"time" doc:"measured time of a run"`
	Warmup    warmup         `yaml:"warmup" doc:"auto: found in the seconds of the runs; or a time before each run"`
	Measure   fileMeasure    `yaml:"measure" doc:"from when on a run counts"`
	Rounds    int            `yaml:"rounds" doc:"rounds, each with one start of every scenario; 8 with two scenarios, else 10"`
	Stop      *fileStop      `yaml:"stop" doc:"end early"`
	State     word1          `yaml:"state" enum:"preserve,restart,reset,restore" doc:"what happens to server and data before each scenario"`
	Scenarios []fileScenario `yaml:"scenarios" doc:"what is compared; one is the baseline"`
	Matrix    *fileMatrix    `yaml:"matrix" doc:"scenarios of all combinations"`

	Margin     percent       `yaml:"margin" doc:"change in percent that matters; 2"`
	TailMargin percent       `yaml:"tail_margin" doc:"the same of percentiles; 10"`
	Metric     word1         `yaml:"metric" enum:"qps,tps" doc:"what decides; qps"`
	Seed       uint64        `yaml:"seed" doc:"of orders and random numbers; a new one by default"`
	AA         bool          `yaml:"aa" doc:"run the baseline twice a round: how large is the noise"`
	EqualLoad  []percent     `yaml:"equal_load" doc:"shares of the baseline's peak at which p99 is compared after the ladder"`
	CPUs       fileCPUs      `yaml:"cpus" doc:"CPU lists as of taskset"`
	Checksum   bool          `yaml:"checksum" doc:"checksum tables before each scenario, besides counting rows"`
	Reference  string        `yaml:"reference" doc:"name of a published set of figures"`
	Findings   []fileFinding `yaml:"findings" doc:"published statements to hold against the results"`
	Quick      overrides     `yaml:"quick" doc:"other values with --quick"`
	Full       overrides     `yaml:"full" doc:"other values with --full"`
}

type fileTarget struct {
	Name     string            `yaml:"name" doc:"name in tables"`
	Managed  *fileManaged      `yaml:"managed" doc:"a server that the study starts"`
	External *fileExternal     `yaml:"external" doc:"a server that is there"`
	Embedded *struct{}         `yaml:"embedded" doc:"deltabench's own server, for seeing: {}"`
	Labels   map[string]string `yaml:"labels" doc:"free words for reports"`
}

type fileManaged struct {
	Server  string   `yaml:"server" doc:"path of mysqld or mariadbd, a directory with one, or auto"`
	Options options  `yaml:"options" doc:"server options of all scenarios"`
	Init    []string `yaml:"init" doc:"arguments of initialising the data directory"`
	Replica word1    `yaml:"replica" enum:"none,async,semisync" doc:"a second server that replicates"`
}

type fileExternal struct {
	DSN   fileDSN             `yaml:"dsn" doc:"address and account"`
	Hooks map[string]fileHook `yaml:"hooks" doc:"commands: before and after each scenario, restart"`
}

type fileDSN struct {
	User         string `yaml:"user" doc:"account"`
	Host         string `yaml:"host" doc:"name or address"`
	Port         int    `yaml:"port" doc:"3306 by default"`
	Socket       string `yaml:"socket" doc:"path of a Unix socket, instead of host and port"`
	DB           string `yaml:"db" doc:"schema of the tables; sbtest by default"`
	PasswordEnv  string `yaml:"password_env" doc:"environment variable with the password"`
	PasswordFile string `yaml:"password_file" doc:"file with the password"`
	Password     string `yaml:"password" doc:"refused: files are kept with the results"`
	TLS          string `yaml:"tls" doc:"as --mysql-ssl"`
}

type fileHook struct {
	Command string   `yaml:"command" doc:"for sh -c"`
	Timeout duration `yaml:"timeout" doc:"after which it is ended; 60s"`
}

type fileScenario struct {
	Name       string   `yaml:"name" doc:"name in tables"`
	Baseline   bool     `yaml:"baseline" doc:"what the others are compared with"`
	Monitoring string   `yaml:"monitoring" doc:"what the configuration gives, in words"`
	Note       string   `yaml:"note" doc:"remarks"`
	Server     options  `yaml:"server" doc:"server options of the start; each is read back"`
	Globals    options  `yaml:"globals" doc:"SET GLOBAL after the start; each is read back and put back"`
	SQL        []string `yaml:"sql" doc:"statements after the start"`
	Session    []string `yaml:"session" doc:"statements that every measuring connection begins with"`
	Options    options  `yaml:"options" doc:"options of the runs, without dashes"`
	DSN        *fileDSN `yaml:"dsn" doc:"where the runs of this scenario connect to"`
	Connect    word1    `yaml:"connect" enum:"socket,tcp" doc:"how runs reach a managed server; socket"`
	Binary     string   `yaml:"binary" doc:"this scenario's own mysqld or mariadbd"`
	Targets    []string `yaml:"targets" doc:"only on these targets"`
}

type fileMatrix struct {
	Server   choices `yaml:"server" doc:"server options, each with a list of values"`
	Globals  choices `yaml:"globals" doc:"the same of SET GLOBAL"`
	Options  choices `yaml:"options" doc:"the same of options of the runs"`
	Baseline string  `yaml:"baseline" doc:"name of the combination that is the baseline; the first by default, none when one of scenarios is"`
}

type fileData struct {
	Workload  string   `yaml:"workload" doc:"a bundled test whose prepare is executed"`
	Script    string   `yaml:"script" doc:"a script whose prepare is executed"`
	SQL       []string `yaml:"sql" doc:"statements that make the data"`
	Options   options  `yaml:"options" doc:"options of prepare, and of the runs"`
	Threads   int      `yaml:"threads" doc:"of prepare; as many as tables, at most 4, by default"`
	Tables    int      `yaml:"tables" doc:"number of tables; 1"`
	TableSize int64    `yaml:"table_size" doc:"rows of each table; 10000"`
}

type fileWorkload struct {
	Name    string  `yaml:"name" doc:"name in tables; that of the test by default"`
	Test    string  `yaml:"test" doc:"a bundled test"`
	Script  string  `yaml:"script" doc:"a Lua script, relative to the file"`
	Options options `yaml:"options" doc:"options of the runs, without dashes"`
}

// decode takes the name of a test for a workload.
func (w *fileWorkload) decode(d *decoder, n ast.Node, path string) {
	if text, ok := word(n); ok {
		w.Test = text
		return
	}
	type plain fileWorkload
	d.into(n, reflect.ValueOf((*plain)(w)).Elem(), path)
}

// decode takes a command for a hook.
func (h *fileHook) decode(d *decoder, n ast.Node, path string) {
	if text, ok := word(n); ok {
		h.Command = text
		return
	}
	type plain fileHook
	d.into(n, reflect.ValueOf((*plain)(h)).Elem(), path)
}

type fileMeasure struct {
	After word1 `yaml:"after" enum:"steady,cpu_saturated" doc:"steady, or from when the server has used its CPUs for 3 s"`
}

type fileStop struct {
	Precision percent `yaml:"precision" doc:"end when every interval is at most this wide to either side"`
	Verdict   word1   `yaml:"verdict" enum:"decided" doc:"end when every comparison has a verdict"`
	MaxRounds int     `yaml:"max_rounds" doc:"rounds at most; 20"`
}

type fileFinding struct {
	Text     string  `yaml:"text" doc:"the statement"`
	Target   string  `yaml:"target" doc:"of one target only"`
	Scenario string  `yaml:"scenario" doc:"which scenario it is about"`
	Workload string  `yaml:"workload" doc:"which workload; the mean over all by default"`
	Threads  []int   `yaml:"threads" doc:"which numbers of threads; the mean over the ladder by default"`
	Metric   string  `yaml:"metric" doc:"qps by default"`
	Low      percent `yaml:"low" doc:"smallest change in percent that was published"`
	High     percent `yaml:"high" doc:"largest change in percent that was published"`
}

// options are names and values in the order of the file.
type options []Option

func (o *options) decode(d *decoder, n ast.Node, path string) {
	list, ok := d.pairs(n)
	if _, null := n.(*ast.NullNode); null {
		*o = nil
		return
	}
	if !ok {
		d.fault(n, "%s: names and values are needed here, as in {innodb_buffer_pool_size: 1G}", path)
		return
	}
	*o = nil
	for _, pair := range list {
		name := keyOf(pair)
		text, ok := word(d.resolve(pair.Value))
		if !ok {
			d.fault(pair.Value, "%s.%s: a single value is needed here; several values go to matrix", path, name)
			continue
		}
		d.places[join(path, name)] = placeOf(pair.Key)
		for _, x := range *o {
			if x.Name == name {
				d.fault(pair.Key, "the key '%s' is there twice in %s", name, path)
			}
		}
		*o = append(*o, Option{Name: name, Value: text})
	}
}

// choices are names with the values that they take.
type choices []choice

type choice struct {
	path   string // in the file
	name   string
	values []string
}

func (c *choices) decode(d *decoder, n ast.Node, path string) {
	list, ok := d.pairs(n)
	if !ok {
		d.fault(n, "%s: names with lists of values are needed here, as in {innodb_buffer_pool_size: [128M, 512M]}", path)
		return
	}
	for _, pair := range list {
		x := choice{name: keyOf(pair)}
		x.path = join(path, x.name)
		d.into(pair.Value, reflect.ValueOf(&x.values).Elem(), x.path)
		*c = append(*c, x)
	}
}

// overrides are other values for keys of the file.
type overrides []override

type override struct {
	path string
	node ast.Node
}

func (o *overrides) decode(d *decoder, n ast.Node, path string) {
	list, ok := d.pairs(n)
	if !ok {
		d.fault(n, "%s: keys of the file with other values are needed here, as in {time: 3s}", path)
		return
	}
	for _, pair := range list {
		*o = append(*o, override{keyOf(pair), pair.Value})
	}
}

// duration is a time as of Go; a bare number counts seconds.
type duration time.Duration

func (t *duration) parse(text string) error {
	if n, err := strconv.Atoi(text); err == nil {
		text = fmt.Sprintf("%ds", n)
	}
	v, err := time.ParseDuration(text)
	if err != nil || v < 0 {
		return fmt.Errorf("'%s' is no time; write 10s or 2m", text)
	}
	*t = duration(v)
	return nil
}

// warmup is auto, or a time.
type warmup struct {
	given bool
	auto  bool
	time  duration
}

func (w *warmup) parse(text string) error {
	w.given, w.auto, w.time = true, text == "auto", 0
	if w.auto {
		return nil
	}
	if w.time.parse(text) != nil {
		return fmt.Errorf("'%s': auto, or a time such as 10s, is needed", text)
	}
	return nil
}

// percent is a number with or without %.
type percent struct {
	given bool
	v     float64
}

func (p *percent) parse(text string) error {
	v, err := strconv.ParseFloat(strings.TrimSpace(strings.TrimSuffix(text, "%")), 64)
	if err != nil || v != v {
		return fmt.Errorf("'%s' is no percentage; write 2%% or 2", text)
	}
	p.given, p.v = true, v
	return nil
}

// word1 is one of several words; which ones its tag enum says.
type word1 string

func (w *word1) parse(text string) error {
	*w = word1(text)
	return nil
}

// parseBasic reads a word into a string, number or bool.
func parseBasic(text string, v reflect.Value) error {
	switch v.Kind() {
	case reflect.String:
		v.SetString(text)
	case reflect.Bool:
		b, ok := map[string]bool{"true": true, "yes": true, "on": true, "false": false, "no": false, "off": false}[strings.ToLower(text)]
		if !ok {
			return fmt.Errorf("'%s': true or false is needed", text)
		}
		v.SetBool(b)
	case reflect.Int, reflect.Int64:
		n, err := strconv.ParseInt(strings.ReplaceAll(text, "_", ""), 10, 64)
		if err != nil {
			return fmt.Errorf("'%s': a whole number is needed", text)
		}
		v.SetInt(n)
	case reflect.Uint64:
		n, err := strconv.ParseUint(text, 10, 64)
		if err != nil {
			return fmt.Errorf("'%s': a whole number of 0 or more is needed", text)
		}
		v.SetUint(n)
	default:
		return errors.New("cannot be set")
	}
	return nil
}

// fileCPUs are CPU lists.
type fileCPUs struct {
	Server string `yaml:"server" doc:"of the server that is started"`
	Client string `yaml:"client" doc:"of the load generator"`
	Proxy  string `yaml:"proxy" doc:"of a proxy between them"`
}
