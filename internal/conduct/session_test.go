package conduct

import "testing"

func TestSessionSQL(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		statements []string
		want       string
	}{
		{nil, ""},
		{[]string{"SET a = 1"}, "SET a = 1"},
		{[]string{"SET a = 1;", " ; ", "SET b = 2 ;\n"}, "SET a = 1; SET b = 2"},
		{[]string{"SET a = 1 -- why; not", "SET b = 2 # so", "SET c = ';'"}, "SET a = 1 -- why; not\n; SET b = 2 # so\n; SET c = ';'"},
	} {
		if got := sessionSQL(test.statements); got != test.want {
			t.Errorf("%q: %q, want %q", test.statements, got, test.want)
		}
	}
}
