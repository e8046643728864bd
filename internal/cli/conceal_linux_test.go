package cli

import (
	"slices"
	"testing"
)

// heap returns a string in memory that may be written to, as that of arguments.
func heap(s string) string { return string(append([]byte(nil), s...)) }

func TestConceal(t *testing.T) {
	for _, tc := range []struct{ arg, left string }{
		{"--mysql-password=Zecret", "--mysql-password=******"},
		{"--mysql_password=a=b", "--mysql_password=***"},
		{"--pgsql-password=Zecret", "--pgsql-password=******"},
		{"--password=Zecret", "--password=******"},
		{"-pZecret", "-p******"},
		{"--MYSQL-PASSWORD=Zecret", "--MYSQL-PASSWORD=******"},
		{"--mysql-password=", "--mysql-password="},
		{"--mysql-password", "--mysql-password"},
		{"--mysql-password-file=/path", "--mysql-password-file=/path"},
		{"--mysql-user=pascal", "--mysql-user=pascal"},
		{"oltp_point_select", "oltp_point_select"},
		{"--baseline=cpu --time=1 --mysql-password=Zecret run", "--baseline=cpu --time=1 --mysql-password=**********"},
		{"cpu --mysql-password='a b' run", "cpu --mysql-password=*********"},
		{"--candidate=cpu --mysql-user=pascal run", "--candidate=cpu --mysql-user=pascal run"},
		{"", ""},
	} {
		args := []string{heap("deltabench"), heap(tc.arg)}
		got := conceal(args)
		if want := []string{"deltabench", tc.arg}; !slices.Equal(got, want) {
			t.Errorf("the program gets %q, want %q", got, want)
		}
		if args[1] != tc.left {
			t.Errorf("others see %q, want %q", args[1], tc.left)
		}
	}
}
