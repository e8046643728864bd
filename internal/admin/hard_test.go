package admin

import (
	"slices"
	"strings"
	"testing"

	"deltabench/internal/evidence"
	"deltabench/internal/mariadbtest"
)

// Two different pools are never taken for one.
func TestPoolIsRounded(t *testing.T) {
	t.Parallel()
	chunks := evidence.Snapshot{"innodb_buffer_pool_chunk_size": "134217728", "innodb_buffer_pool_instances": "2"}
	none := evidence.Snapshot{"innodb_buffer_pool_chunk_size": "0"}
	for _, tc := range []struct {
		want, got string
		have      evidence.Snapshot
		is        bool
	}{
		{"300M", "536870912", chunks, true},
		{"256M", "536870912", chunks, false},
		{"600M", "536870912", chunks, false},
		{"100000000", "99614720", none, true},
		{"128M", "536870912", none, false},
		{"100000000", "98566144", evidence.Snapshot{}, false},
	} {
		if is := rounded(tc.want, tc.got, tc.have); is != tc.is {
			t.Errorf("%+v: %v", tc, is)
		}
	}
}

// Values that are hard to put back: quotes, texts that look like numbers, one variable that limits another.
func TestPutBackHard(t *testing.T) {
	a, ctx := open(t, mariadbtest.Start(t)), t.Context()
	exec := func(queries ...string) {
		t.Helper()
		for _, q := range queries {
			if err := a.Exec(ctx, q); err != nil {
				t.Fatal(err)
			}
		}
	}
	exec(`SET GLOBAL init_connect = "SET NAMES 'utf8mb4'"`, "SET GLOBAL init_slave = '7'", "SET GLOBAL innodb_io_capacity = 3000", `SET GLOBAL ft_boolean_syntax = '+ -><()~*:""&|'`)
	before, err := a.Remember(ctx)
	if err != nil {
		t.Fatal(err)
	}
	exec("SET GLOBAL init_connect = ''", "SET GLOBAL init_slave = ''", "SET GLOBAL gtid_domain_id = 7", "SET GLOBAL gtid_strict_mode = 1", "SET GLOBAL old_passwords = 1",
		"SET GLOBAL innodb_max_dirty_pages_pct_lwm = 10", "SET GLOBAL innodb_max_dirty_pages_pct = 20", "SET GLOBAL innodb_io_capacity = 100", "SET GLOBAL innodb_io_capacity_max = 200",
		"SET GLOBAL ft_boolean_syntax = '+ -><()~*:@@&|'", "SET GLOBAL sql_mode = 'NO_BACKSLASH_ESCAPES'")
	done, err := a.PutBack(ctx, before)
	if err != nil || len(done) != 11 {
		t.Errorf("%d: %q, %v", len(done), done, err)
	}
	after, err := a.Variables(ctx)
	if err != nil {
		t.Fatal(err)
	}
	for name, v := range before.Variables {
		if after[name] != v && !changesItself(name) {
			t.Errorf("%s: %q, was %q", name, after[name], v)
		}
	}
	// What the server does not take is told.
	before.Variables["max_connections"] = "1"
	before.Variables["binlog_format"] = "NONSENSE"
	before.Variables["datadir"] = "/elsewhere" // nobody can set it
	done, err = a.PutBack(ctx, before)
	if err == nil || len(done) > 0 {
		t.Fatalf("%q, %v", done, err)
	}
	for _, want := range []string{"put binlog_format back to NONSENSE: Error 1231", "put max_connections back to 1: the server keeps 10"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	if strings.Contains(err.Error(), "datadir") {
		t.Error(err)
	}
}

// A value of a scenario keeps its quotes unless they are around it.
func TestSetGlobalsKeepsQuotes(t *testing.T) {
	a, ctx := open(t, mariadbtest.Start(t)), t.Context()
	list := []Option{{"init-connect", "SET NAMES 'utf8mb4'"}, {"init_slave", "'SELECT 1'"}}
	if err := a.SetGlobals(ctx, list); err != nil {
		t.Fatal(err)
	}
	v, err := a.Variables(ctx)
	if err != nil || v["init_connect"] != "SET NAMES 'utf8mb4'" || v["init_slave"] != "SELECT 1" {
		t.Errorf("%q, %q, %v", v["init_connect"], v["init_slave"], err)
	}
	if got, err := a.ReadBack(ctx, list); err != nil || len(got) > 0 {
		t.Errorf("%v, %v", got, err)
	}
}

func TestSecret(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]bool{
		"audit_log_password": true, "keyring_hashicorp_secret_id": true, "file_key_management_filekey": true, "authentication_ldap_simple_bind_root_pwd": true,
		"validate_password_length": false, "old_passwords": false, "innodb_ft_min_token_size": false, "secure_file_priv": false, "max_connections": false,
	} {
		if got := secret(name); got != want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// The administrative connection is as safe as it was asked for.
func TestTLS(t *testing.T) {
	s := mariadbtest.Start(t, mariadbtest.WithTLS())
	for mode, want := range map[string]string{
		"": "off", "disabled": "off", "on": "TLS", "REQUIRED": "TLS", "preferred": "TLS",
		"verify_ca": "certificate", "verify_identity": "certificate", "sometimes": "TLS mode 'sometimes' is unknown",
	} {
		a, err := Open(t.Context(), Address{User: mariadbtest.User, Password: mariadbtest.Password, Host: s.Host, Port: s.Port, TLS: mode})
		if want != "off" && want != "TLS" {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v, want %s", mode, err, want)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", mode, err)
			continue
		}
		row, err := a.Row(t.Context(), "SHOW SESSION STATUS LIKE 'Ssl_cipher'")
		if err != nil || (row["value"] == "") != (want == "off") {
			t.Errorf("%s: %v, %v", mode, row, err)
		}
		a.Close()
	}
}

// A server that replicates is somebody's; a connection that has just ended is nobody.
func TestProductionReplica(t *testing.T) {
	s := mariadbtest.Start(t)
	a, ctx := open(t, s), t.Context()
	s.Exec(t, "CHANGE MASTER TO MASTER_HOST = '127.0.0.1', MASTER_PORT = 1, MASTER_USER = 'x'", "START SLAVE")
	other, err := Open(ctx, Address{User: mariadbtest.User, Password: mariadbtest.Password, Host: s.Host, Port: s.Port})
	if err != nil {
		t.Fatal(err)
	}
	other.Close()
	got, err := a.Production(ctx, "sbtest")
	if err != nil || !slices.Equal(got, []string{"it is a replica of another server"}) {
		t.Errorf("%q, %v", got, err)
	}
	s.Exec(t, "STOP SLAVE")
}
