package random

import (
	"bufio"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"
)

// testdata/vectors.txt was printed by a script under sysbench 1.0.20, which drew 20,000 numbers from each
// distribution in each range, one after the other: name, bounds, the first three, a hash of all. Lines with
// # start a new process and give its options.
func TestDistributions(t *testing.T) {
	f, err := os.Open("testdata/vectors.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var d *Dist
	var src *Source
	lines := 0
	for in := bufio.NewScanner(f); in.Scan(); {
		line := in.Text()
		if options, ok := strings.CutPrefix(line, "#"); ok {
			if d, err = New(parseConfig(t, options)); err != nil {
				t.Fatal(err)
			}
			src = NewProcess().Main()
			continue
		}
		var name string
		var a, b uint32
		var first [3]float64
		var hash float64
		if _, err := fmt.Sscan(line, &name, &a, &b, &first[0], &first[1], &first[2], &hash); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		draw := map[string]func(*Source, uint32, uint32) uint32{
			"uniform": d.Uniform, "gaussian": d.Gaussian, "special": d.Special, "pareto": d.Pareto, "default": d.Default,
		}[name]
		got := fmt.Sprintf("%s %d %d", name, a, b)
		h := uint64(0)
		for i := range 20000 {
			v := draw(src, a, b)
			if i < 3 {
				got += fmt.Sprintf(" %d", v)
			}
			h = (h*31 + uint64(v)) % (1 << 31)
		}
		if got += fmt.Sprintf(" %d", h); got != line {
			t.Errorf("got  %s\nwant %s", got, line)
		}
		lines++
	}
	if lines < 200 {
		t.Errorf("only %d lines of vectors", lines)
	}
}

// parseConfig understands the --rand-* options as sysbench's command line does.
func parseConfig(t *testing.T, options string) Config {
	t.Helper()
	c := DefaultConfig()
	for o := range strings.FieldsSeq(options) {
		name, value, _ := strings.Cut(o, "=")
		into := map[string]any{
			"--rand-type": &c.Type, "--rand-spec-iter": &c.SpecIter, "--rand-spec-pct": &c.SpecPct,
			"--rand-spec-res": &c.SpecRes, "--rand-pareto-h": &c.ParetoH,
		}[name]
		if _, err := fmt.Sscan(value, into); err != nil {
			t.Fatalf("%s: %v", o, err)
		}
	}
	return c
}

func TestConfigErrors(t *testing.T) {
	for _, c := range []struct {
		name, want string
		change     func(*Config)
	}{
		{"type", "Invalid random numbers distribution: foo.", func(c *Config) { c.Type = "foo" }},
		{"no type", "Invalid random numbers distribution: .", func(c *Config) { c.Type = "" }},
		{"exponent", "--rand-zipfian-exp must be >= 0", func(c *Config) { c.ZipfianExp = -0.1 }},
	} {
		t.Run(c.name, func(t *testing.T) {
			cfg := DefaultConfig()
			c.change(&cfg)
			if _, err := New(cfg); err == nil || err.Error() != c.want {
				t.Errorf("got %v, want %s", err, c.want)
			}
		})
	}
}

// The probability of rank k is k^-e over the sum of all.
func TestZipfian(t *testing.T) {
	for _, exp := range []float64{0, 0.5, 0.8, 1, 1.5, 3} {
		t.Run(fmt.Sprint(exp), func(t *testing.T) {
			c := DefaultConfig()
			c.Type, c.ZipfianExp = Zipfian, exp
			d, err := New(c)
			if err != nil {
				t.Fatal(err)
			}
			const a, n, draws = 1000, 20, 200_000
			var counts [n]float64
			s := NewProcess().Main()
			for range draws {
				v := d.Default(s, a, a+n-1)
				if v < a || v >= a+n {
					t.Fatalf("%d is out of range", v)
				}
				counts[v-a]++
			}
			total := 0.0
			for k := range n {
				total += math.Pow(float64(k+1), -exp)
			}
			for k, got := range counts {
				p := math.Pow(float64(k+1), -exp) / total
				if want, sd := draws*p, math.Sqrt(draws*p*(1-p)); math.Abs(got-want) > 5*sd+1 {
					t.Errorf("rank %d: %.0f of %d draws, want %.0f ± %.0f", k+1, got, draws, want, sd)
				}
			}
		})
	}
}

func TestZipfianWideRanges(t *testing.T) {
	c := DefaultConfig()
	c.Type = Zipfian
	d, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	s := NewProcess().Main()
	for _, r := range [][2]uint32{{0, math.MaxUint32 - 1}, {7, 7}, {1, math.MaxUint32}} {
		for range 1000 {
			if v := d.Zipfian(s, r[0], r[1]); v < r[0] || v > r[1] {
				t.Fatalf("%d is out of [%d, %d]", v, r[0], r[1])
			}
		}
	}
	if v := d.Zipfian(s, 0, math.MaxUint32); v != 0 { // the width wraps to 0; a loop without end would be the mistake
		t.Errorf("whole range: got %d, want 0 as for uniform", v)
	}
}

func TestUint32(t *testing.T) {
	for _, c := range []struct {
		f    float64
		want uint32
	}{
		{3.99, 3},
		{-1.5, math.MaxUint32},
		{1 << 32, 0},
		{1<<32 + 7, 7},
		{-(1 << 40) - 1, math.MaxUint32},
		{1 << 63, 0},
		{-1e300, 0},
		{math.NaN(), 0},
		{math.Inf(1), 0},
	} {
		if got := Uint32(c.f); got != c.want {
			t.Errorf("Uint32(%g) = %d, want %d", c.f, got, c.want)
		}
	}
}
