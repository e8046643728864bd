package main

import (
	"path/filepath"
	"strings"
	"testing"
)

// optionNames are all options of sysbench 1.0.20, of its development branch as far as we have them, and of the
// tests that transcripts cover, in underscored form.
var optionNames = strings.Fields(`
	threads events time warmup_time forced_shutdown thread_stack_size thread_init_timeout rate report_interval
	report_checkpoints debug validate help version config_file luajit_cmd num_threads max_requests max_time tx_rate
	test
	rand_type rand_spec_iter rand_spec_pct rand_spec_res rand_seed rand_pareto_h rand_zipfian_exp
	verbosity percentile histogram
	db_driver db_ps_mode db_debug
	mysql_host mysql_port mysql_socket mysql_user mysql_password mysql_db mysql_ssl mysql_ssl_key mysql_ssl_ca
	mysql_ssl_cert mysql_ssl_cipher mysql_compression mysql_compression_algorithms mysql_debug mysql_ignore_errors
	mysql_dry_run
	pgsql_host pgsql_port pgsql_user pgsql_password pgsql_db pgsql_sslmode
	tables table_size range_size point_selects simple_ranges sum_ranges order_ranges distinct_ranges index_updates
	non_index_updates delete_inserts range_selects auto_inc skip_trx secondary create_secondary mysql_storage_engine
	pgsql_variant create_table_options reconnect random_points number_of_ranges delta
	cpu_max_prime
	memory_block_size memory_total_size memory_scope memory_hugetlb memory_oper memory_access_mode
	thread_yields thread_locks
	mutex_num mutex_locks mutex_loops
	engine loops rate_overflow latency_by interval_style report_extra report_errors mysql_password_file
	report report_file
`)

// TestEveryOptionIsUsed looks for each option in the command lines and config files of the transcripts.
func TestEveryOptionIsUsed(t *testing.T) {
	used := map[string]bool{}
	commandLines := 0
	for _, dir := range []string{filepath.Join(top, transcriptDir), ourDir} {
		transcripts, err := readTranscripts(dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, tr := range transcripts {
			commandLines++
			for _, args := range append(tr.First, tr.Args) {
				for _, arg := range args {
					if arg == "$CONN" {
						used["mysql_socket"], used["mysql_user"], used["mysql_password"], used["mysql_db"] = true, true, true, true
					}
					if name, ok := strings.CutPrefix(arg, "--"); ok {
						name, _, _ = strings.Cut(name, "=")
						used[strings.ReplaceAll(name, "-", "_")] = true
					}
				}
			}
		}
	}
	if commandLines < 130 {
		t.Errorf("%d command lines, want at least 130", commandLines)
	}
	for _, name := range optionNames {
		if !used[name] {
			t.Errorf("no transcript uses --%s", name)
		}
	}
}

// TestMaskIsStrict shows what masks do not hide.
func TestMaskIsStrict(t *testing.T) {
	tr := &transcript{}
	counts := &transcript{Flags: []string{flagCounts}}
	for _, tc := range []struct {
		name       string
		t          *transcript
		one, other string
		same       bool
	}{
		{"times differ", tr, "    total time:                          1.0004s", "    total time:                          12.9999s", true},
		{"decimals", tr, "    total time:                          1.0004s", "    total time:                          1.004s", false},
		{"column", tr, "    total time:                          1.0004s", "    total time:                         1.0004s", false},
		{"unit", tr, "    total time:                          1.0004s", "    total time:                          1.0004", false},
		{"right-justified", tr, "         min:                                    0.26", "         min:                                 1234.56", true},
		{"not in its column", tr, "         min:                                    0.26", "         min:                                   0.26", false},
		{"percentile", tr, "         95th percentile:                        0.34", "         99th percentile:                        0.34", false},
		{"counts are exact", tr, "        read:                            70", "        read:                            71", false},
		{"counts of a run limited by time", counts, "        read:                            70", "        read:                            7100", true},
		{"left-justified", tr, "    transactions:                        3      (1933.51 per sec.)", "    transactions:                        3      (5.10 per sec.)", true},
		{"not left-justified", counts, "    transactions:                        3      (1933.51 per sec.)", "    transactions:                        3     (1933.51 per sec.)", false},
		{"long count", counts, "    transactions:                        3      (1933.51 per sec.)", "    transactions:                        1234567 (1933.51 per sec.)", true},
		{"label", tr, "    transactions:                        3      (1933.51 per sec.)", "    queries:                             3      (1933.51 per sec.)", false},
		{"interval", tr, "[ 1s ] thds: 2 eps: 15.98 lat (ms,95%): 1.76", "[ 2s ] thds: 2 eps: 9.00 lat (ms,95%): 0.00", true},
		{"threads of an interval", tr, "[ 1s ] thds: 2 eps: 15.98 lat (ms,95%): 1.76", "[ 1s ] thds: 1 eps: 15.98 lat (ms,95%): 1.76", false},
		{"comma of the queue", tr, "[ 1s ] queue length: 0, concurrency: 1", "[ 1s ] queue length: 0 concurrency: 1", false},
		{"rows of a histogram", tr, "       0.110 |*****                                    2", "       0.110 |**************************************** 15", true},
		{"broken row of a histogram", tr, "       0.110 |*****                                    2", "       0.110 |*****                                   2", false},
		{"other text", tr, "FATAL: a", "FATAL: b", false},
		{"missing line", tr, "a\nb\n", "a\n", false},
		{"two interval lines more", tr, "[ 1s ] 1.00 MiB/sec\n[ 2s ] 1.00 MiB/sec\n[ 3s ] 1.00 MiB/sec\n", "[ 1s ] 1.00 MiB/sec\n", false},
		{"one interval line more", tr, "[ 1s ] 1.00 MiB/sec\n[ 2s ] 1.00 MiB/sec\n", "[ 1s ] 1.00 MiB/sec\n", true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			diff := tc.t.diff("output", tc.one, tc.other)
			if same := diff == ""; same != tc.same {
				t.Errorf("same: got %v, want %v\n%s", same, tc.same, diff)
			}
		})
	}
}

func TestTranscriptFormat(t *testing.T) {
	for _, want := range append(cases(), ours()...) {
		want.Stdout, want.Exit = "x\n", 3
		got, err := parseTranscript(want.Name, want.format())
		if err != nil {
			t.Fatal(err)
		}
		if g, w := string(got.format()), string(want.format()); g != w {
			t.Errorf("%s:\n got %s\nwant %s", want.Name, g, w)
		}
	}
	if _, err := parseTranscript("x", []byte("$ sysbench\nfoo: 1\n")); err == nil {
		t.Error("an unknown key is accepted")
	}
}
