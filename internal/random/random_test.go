package random

import "testing"

func TestMainSource(t *testing.T) {
	p := NewProcess()
	for _, want := range []uint64{14972179374201007161, 6937875558910519049, 16505063501547603882} {
		if got := p.Main().Uint64(); got != want {
			t.Errorf("got %d, want %d", got, want)
		}
	}
}

func TestUnique(t *testing.T) {
	p := NewProcess()
	for _, want := range []uint32{2672933100, 2916245674, 2834291422, 4086920756, 1846093984, 2595986641} {
		if got := p.Unique(); got != want {
			t.Errorf("got %d, want %d", got, want)
		}
	}
}

func TestSeed(t *testing.T) {
	p := NewProcess()
	p.Seed(7)
	s := p.NewSource()
	for _, want := range []uint64{9956587071878823666, 12127168503693999876, 7522403166341394791} {
		if got := s.Uint64(); got != want {
			t.Errorf("got %d, want %d", got, want)
		}
	}
}
