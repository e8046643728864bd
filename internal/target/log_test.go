package target

import "testing"

func TestWorstLine(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"2026-12-01 14:05:21 0 [Note] Starting\n2026-12-01 14:05:22 0 [ERROR] InnoDB: first\n2026-12-01 14:05:22 0 [ERROR] Aborting\n":                              "InnoDB: first",
		"2026-12-01 14:05:22 0 [ERROR] InnoDB: Plugin failed\n2026-12-01 14:05:22 0 [ERROR] mariadbd: Disk full (Errcode: 28 \"No space left on device\")\n":        "mariadbd: Disk full (Errcode: 28 \"No space left on device\") (the disk is full: free space, or name another directory with --work-dir)",
		"2026-12-01T14:05:21.000000Z 0 [ERROR] [MY-000067] [Server] unknown variable 'x=1'.\n2026-12-01T14:05:21.000000Z 0 [ERROR] [MY-010119] [Server] Aborting\n": "unknown variable 'x=1'. (check the name of this server option)",
		"something\n2026-12-01 14:05:22 0 [ERROR] Aborting\n":                        "something",
		"2026-12-01 14:05:22 0 [ERROR] InnoDB: Unable to lock ./ibdata1 error: 11\n": "InnoDB: Unable to lock ./ibdata1 error: 11 (another server uses this data directory)",
		"": "",
	} {
		if got := worstLine(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestLastWords(t *testing.T) {
	t.Parallel()
	const nothing = "its log has no error: somebody killed it, or the system when memory was short (dmesg tells)"
	for text, want := range map[string]string{
		"": nothing,
		"2026-12-01 14:05:22 3 [Warning] Access denied for user 'x'@'localhost'\nVersion: '10.11.19'  socket: 's'\n":                                                      nothing,
		"2026-12-01 14:05:22 0 [ERROR] old\n2026-12-01 14:05:23 0x7f0a InnoDB: Assertion failure in file /b/x.cc line 7\n261201 14:05:23 [ERROR] mysqld got signal 6 ;\n": "InnoDB: Assertion failure in file /b/x.cc line 7",
		"2026-12-01 14:05:22 0 [ERROR] old\n261201 14:05:23 [ERROR] mysqld got signal 11 ;\nThis could be because you hit a bug.\n":                                       "mysqld got signal 11 ;",
		"2026-12-01 14:05:22 0 [ERROR] first\n2026-12-01 14:05:23 0 [ERROR] second\n":                                                                                     "second",
	} {
		if got := lastWords(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
