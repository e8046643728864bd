package compare

import (
	"errors"
	"math"
	"testing"
)

func TestSpreadFlag(t *testing.T) {
	t.Parallel()
	base := []float64{10, 11, 9, 10.5, 9.5, 10, 10.2, 9.9}
	wide, same := make([]float64, 8), make([]float64, 8)
	for i, b := range base {
		wide[i] = b * 1.5 * (1 + 0.05*float64(i%3))
		same[i] = b * (1 + 0.05*float64(i%3-1))
	}
	s, err := NewSpread(base, wide)
	if err != nil || !s.Flagged || s.Level != 0.01 || s.N != 8 {
		t.Errorf("%+v, %v; want a flag at 0.01", s, err)
	}
	if got, want := s.Text("p99/p50"), "p99/p50 differs: 1.56 times the baseline's [1.49, 1.64] (99 %, n = 8, p < 0.0001)"; got != want {
		t.Errorf("text %q, want %q", got, want)
	}
	s, err = NewSpread(base, same)
	if err != nil || s.Flagged || s.Text("sd") != "" {
		t.Errorf("%+v, %v, %q; want no flag", s, err, s.Text("sd"))
	}
	// p = 0.02 is no flag.
	s, err = NewSpread([]float64{1, 1, 1, 1, 1}, []float64{1.1, 1.3, 1.2, 1.5, 1.02})
	if err != nil || s.Flagged || s.P > 0.05 || s.P < 0.01 {
		t.Errorf("%+v, %v; want p between 0.01 and 0.05 and no flag", s, err)
	}
	nan := math.NaN()
	if s, err := NewSpread([]float64{1, nan, 1}, []float64{2, 3, 4}); !errors.Is(err, ErrFewRounds) || s.Flagged {
		t.Errorf("%+v, error %v; want too few rounds", s, err)
	}
	if _, err := NewSpread([]float64{1}, nil); err == nil {
		t.Error("no error of sides that are no pairs")
	}
	if _, err := NewSpread([]float64{1, 1, 1, 0}, []float64{1, 2, 3, 1}); !errors.Is(err, ErrNoLogarithm) {
		t.Errorf("error %v of a run whose seconds are all equal", err)
	}
}
