package report

// Kind is what documents call themselves.
const Kind = "deltabench/report"

// Document is one run. Latencies are whole nanoseconds; times of the run are seconds with nanosecond digits.
type Document struct {
	Schema        string         `json:"schema" const:"deltabench/report" doc:"what this document is"`
	SchemaVersion int            `json:"schemaVersion" const:"1" doc:"fields may be added within a version; none is removed or changes its meaning"`
	Tool          Tool           `json:"tool" doc:"the program that measured"`
	Host          Host           `json:"host" doc:"the machine that the program ran on, so the client's"`
	Test          Test           `json:"test" doc:"what was run"`
	Options       map[string]any `json:"options" doc:"every option in effect by its name with underscores, defaults included; passwords are replaced by ***"`
	OptionsGiven  []string       `json:"optionsGiven" doc:"names of the options that the user gave"`
	StartedAt     string         `json:"startedAt" format:"date-time" doc:"when the clock started, warm-up included"`
	Server        *Server        `json:"server" doc:"how the first connection reached its server; null for tests without one"`
	Keys          string         `json:"keys" doc:"distribution of keys in use, in words; empty when the test draws none"`
	End           End            `json:"end" doc:"why the run ended"`
	Totals        Totals         `json:"totals" doc:"sums of the measured time (since the last checkpoint, if there was one)"`
	Latency       Distribution   `json:"latency" doc:"of events; under a rate the response time: from the scheduled arrival to the end"`
	Service       *Distribution  `json:"service" doc:"under a rate: from the start of an event to its end; else null"`
	StartLateness *Distribution  `json:"startLateness" doc:"under a rate: how late idle threads started scheduled arrivals; else null"`
	Rate          *Rate          `json:"rate" doc:"arrivals under --rate; null without"`
	Statements    []Statement    `json:"statements" doc:"latency by kind of statement, with --latency-by=statement; else empty"`
	Errors        []Error        `json:"errors" doc:"errors by code, the most frequent first; of the whole run, warm-up included"`
	Threads       []Thread       `json:"threads" doc:"sums of each thread since the last checkpoint, or the start"`
	Intervals     []Interval     `json:"intervals" doc:"every --report-interval seconds, by default every second; those of the measured time add up to the run"`
	Checkpoints   []Checkpoint   `json:"checkpoints" doc:"at the times of --report-checkpoints; each is since the one before"`
	Client        Client         `json:"client" doc:"what the run cost the client, initialisation included"`
	LittlesLaw    *LittlesLaw    `json:"littlesLaw" doc:"throughput times mean latency against the number of threads; null where it does not apply"`
	Warnings      []string       `json:"warnings" doc:"reasons to doubt the numbers, as the text report words them"`
}

// Tool is the program.
type Tool struct {
	Name       string `json:"name" const:"deltabench"`
	Version    string `json:"version"`
	CalledAs   string `json:"calledAs" enum:"deltabench,sysbench" doc:"face: sysbench has some other defaults"`
	Compatible string `json:"compatible" doc:"version of sysbench whose behaviour this is"`
	GoVersion  string `json:"goVersion"`
}

// Host is the machine. What cannot be found out is empty or 0.
type Host struct {
	OS             string `json:"os"`
	Arch           string `json:"arch"`
	Kernel         string `json:"kernel"`
	CPUs           int    `json:"cpus" min:"1" doc:"that the process may use"`
	CPUModel       string `json:"cpuModel"`
	Governor       string `json:"governor" doc:"frequency governor of the first CPU"`
	Turbo          string `json:"turbo" doc:"on or off: whether CPUs may go beyond their nominal frequency; empty when unknown"`
	NUMANodes      int    `json:"numaNodes" min:"0" doc:"memory nodes; 0 when unknown"`
	Virtualization string `json:"virtualization" doc:"hint, such as the product name of a virtual machine, or container"`
	MemoryBytes    int64  `json:"memoryBytes" min:"0"`
	GoMaxProcs     int    `json:"goMaxProcs" min:"1" doc:"Go processors during the run; tests that block raise it to the number of threads"`
}

// Test is what was run.
type Test struct {
	Name    string `json:"name"`
	SQL     bool   `json:"sql"`
	Threads int    `json:"threads" min:"1"`
}

// Server is a connection's view of its server.
type Server struct {
	Version       string `json:"version" doc:"as the server says it"`
	Network       string `json:"network" enum:"tcp,unix,"`
	Address       string `json:"address"`
	TLS           string `json:"tls" doc:"version and cipher suite; empty without TLS"`
	Compression   string `json:"compression" doc:"zlib, zstd, or empty"`
	Protocol      string `json:"protocol" doc:"prepared statements, or text"`
	AuthMethod    string `json:"authMethod"`
	MetadataCache bool   `json:"metadataCache" doc:"the server does not repeat column definitions"`
	Note          string `json:"note" doc:"what to know about a server that was started for the run; else empty"`
}

// End is why a run ended.
type End struct {
	Reason   string `json:"reason" enum:"timeLimit,eventLimit,test,interrupt,error"`
	Text     string `json:"text" doc:"the same for people"`
	Forced   bool   `json:"forced" doc:"running events were cut short"`
	ExitCode int    `json:"exitCode" min:"0" doc:"of the program"`
	Error    string `json:"error" doc:"first fatal error, empty without"`
}

// Counts are sums and rates over a span of time.
type Counts struct {
	Events           int64   `json:"events" min:"0" doc:"completed; sysbench calls them transactions"`
	Queries          int64   `json:"queries" min:"0" doc:"statements: reads + writes + others"`
	Reads            int64   `json:"reads" min:"0"`
	Writes           int64   `json:"writes" min:"0"`
	Others           int64   `json:"others" min:"0"`
	Errors           int64   `json:"errors" min:"0" doc:"failed statements; sysbench's line of ignored errors. Lost connections that were opened again are no errors but reconnects"`
	Reconnects       int64   `json:"reconnects" min:"0" doc:"connections that were opened again; each one that an error caused is in the errors by code too"`
	Restarts         int64   `json:"restarts" min:"0" doc:"events executed again after an ignored error"`
	EventsPerSecond  float64 `json:"eventsPerSecond" min:"0"`
	QueriesPerSecond float64 `json:"queriesPerSecond" min:"0"`
}

// Totals are the sums of the measured time.
type Totals struct {
	Counts
	ElapsedSeconds  float64            `json:"elapsedSeconds" min:"0" doc:"measured time, warm-up excluded"`
	MeasuredSeconds float64            `json:"measuredSeconds" min:"0" doc:"since the last checkpoint, or the start; what rates are computed with"`
	Unfinished      int                `json:"unfinished" min:"0" doc:"events that were cut short"`
	Figures         map[string]float64 `json:"figures" doc:"results of the test's own, such as transferredMiBPerSecond of memory"`
}

// Latency is a summary of durations. What does not exist without durations is null then.
type Latency struct {
	Count              int64               `json:"count" min:"0"`
	MinNs              *int64              `json:"minNs" min:"0" doc:"null when count is 0"`
	MeanNs             *float64            `json:"meanNs" min:"0" doc:"null when count is 0"`
	MaxNs              *int64              `json:"maxNs" min:"0" doc:"null when count is 0"`
	SumNs              int64               `json:"sumNs" min:"0"`
	PercentilesNs      map[string]*int64   `json:"percentilesNs" key:"^p[0-9.e-]+$" min:"0" doc:"nearest rank, relative error below 0.1 %, never outside of min and max; p50, p95, p99, p99.9 and those of --percentile; null when count is 0"`
	SysbenchPercentile *SysbenchPercentile `json:"sysbenchPercentile" doc:"the percentile of sysbench's report, from its histogram; null with --percentile=0 and when count is 0"`
}

// SysbenchPercentile is a quantised percentile, for comparison with sysbench.
type SysbenchPercentile struct {
	Percentile float64 `json:"percentile" min:"0"`
	Ms         float64 `json:"ms" min:"0" doc:"quantised by 1.8 %"`
}

// Distribution is a summary with its histograms.
type Distribution struct {
	Latency
	HDR      string            `json:"hdr" doc:"HdrHistogram of ns, encoding V2 compressed, base64; decode and merge it with any HdrHistogram library"`
	Sysbench SysbenchHistogram `json:"sysbenchHistogram"`
}

// SysbenchHistogram is sysbench's histogram. Histograms with the same bounds are merged by adding the counts of buckets.
type SysbenchHistogram struct {
	Buckets int       `json:"buckets" min:"2" doc:"their number; values grow geometrically"`
	MinMs   float64   `json:"minMs" min:"0" doc:"value of bucket 0"`
	MaxMs   float64   `json:"maxMs" min:"0" doc:"value of the last bucket"`
	Index   []int     `json:"index" doc:"numbers of the buckets that are not empty"`
	ValueMs []float64 `json:"valueMs" doc:"their values"`
	Count   []int64   `json:"count" doc:"their counts"`
}

// Rate is what became of arrivals.
type Rate struct {
	AskedPerSecond    float64 `json:"askedPerSecond" min:"0"`
	Offered           int64   `json:"offered" min:"0" doc:"arrivals due in the measured time"`
	OfferedPerSecond  float64 `json:"offeredPerSecond" min:"0"`
	Achieved          int64   `json:"achieved" min:"0" doc:"completed"`
	AchievedPerSecond float64 `json:"achievedPerSecond" min:"0"`
	Backlog           int64   `json:"backlog" min:"0" doc:"never started"`
}

// Statement is the latency of one kind of statement.
type Statement struct {
	Kind string `json:"kind"`
	Distribution
}

// Error is one code of errors.
type Error struct {
	Code     int    `json:"code" min:"0"`
	SQLState string `json:"sqlState"`
	Count    int64  `json:"count" min:"1"`
	First    string `json:"first" doc:"first message"`
}

// Thread is what one thread did.
type Thread struct {
	Events       int64  `json:"events" min:"0"`
	LatencySumNs int64  `json:"latencySumNs" min:"0"`
	MinNs        *int64 `json:"minNs" min:"0" doc:"null without events"`
	MaxNs        *int64 `json:"maxNs" min:"0" doc:"null without events"`
}

// Interval is a span of the run.
type Interval struct {
	EndSeconds    float64 `json:"endSeconds" min:"0" doc:"since the start of the measured time; during the warm-up since its start"`
	LengthSeconds float64 `json:"lengthSeconds" min:"0" doc:"real length, which rates are computed with"`
	Warmup        bool    `json:"warmup" doc:"in no total"`
	Threads       int     `json:"threads" min:"0"`
	Counts
	Latency Latency            `json:"latency"`
	Waiting *int64             `json:"waiting" min:"0" doc:"arrivals that wait for a thread, under a rate; else null"`
	Running *int64             `json:"running" min:"0" doc:"events that run, under a rate; else null"`
	Figures map[string]float64 `json:"figures" doc:"as those of the totals"`
}

// Checkpoint is a cumulative report in the middle of a run.
type Checkpoint struct {
	Totals
	Latency Distribution `json:"latency"`
}

// Client is what the run cost here.
type Client struct {
	Executor        string   `json:"executor" enum:"loop,goroutine"`
	Loops           int      `json:"loops" min:"0" doc:"event loops; 0 for goroutines"`
	CPUSeconds      float64  `json:"cpuSeconds" min:"0" doc:"user and system"`
	CPUShare        float64  `json:"cpuShare" min:"0" doc:"of the CPUs that it may use"`
	PeakMemoryBytes int64    `json:"peakMemoryBytes" min:"0" doc:"0 when unknown"`
	LoopBusyShare   *float64 `json:"loopBusyShare" min:"0" doc:"busiest event loop: share of time not waiting; null for goroutines"`
	LoopLagP99Ns    *int64   `json:"loopLagP99Ns" min:"0" doc:"busiest event loop: from a reply being there to its thread being resumed; null for goroutines"`
	Limit           string   `json:"limit" doc:"why the client may have limited what was measured; empty when it did not"`
}

// LittlesLaw is the check of Little's law.
type LittlesLaw struct {
	InsideThreads float64 `json:"insideThreads" min:"0" doc:"threads inside an event on average"`
	Fails         bool    `json:"fails" doc:"differs from the number of threads by more than 2 % and what the ends of the run explain"`
}
