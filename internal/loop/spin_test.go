package loop

import "testing"

func TestSpinningStopsWhenItDoesNotPay(t *testing.T) {
	t.Parallel()
	s := spinning{enabled: true, trust: spinTrust / 2}
	tries := 0
	for range 1000 {
		if s.wanted() {
			tries++
			s.tried(false)
		}
	}
	if tries < 10 || tries > 30 {
		t.Errorf("%d tries before 1000 sleeps that were all in vain, want about one in %d", tries, spinPause)
	}
	// A server that answers quickly again is noticed, and trusted again.
	for range spinPause + 100 {
		if s.wanted() {
			s.tried(true)
		}
	}
	if s.trust != spinTrust || !s.wanted() {
		t.Errorf("trust is %d after tries that paid, want %d", s.trust, spinTrust)
	}
}

func TestSpinningGivesUpWhereTheCPUIsWanted(t *testing.T) {
	t.Parallel()
	s := spinning{enabled: true, trust: spinTrust}
	s.interrupted()
	for i := range spinTaken - 1 {
		if s.wanted() {
			t.Fatalf("tried again after %d sleeps, want %d", i, spinTaken)
		}
	}
	if !s.wanted() {
		t.Error("never tried again")
	}
}

func TestSpinningOffIsOff(t *testing.T) {
	t.Parallel()
	var s spinning
	if s.wanted() {
		t.Error("the zero value wants to spin")
	}
}
