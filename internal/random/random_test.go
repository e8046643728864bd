package random

import (
	"math"
	"strings"
	"sync"
	"testing"
)

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
	p.Seed(99) // makes no difference
	for _, want := range []uint32{2672933100, 2916245674, 2834291422, 4086920756, 1846093984, 2595986641} {
		if got := p.Unique(); got != want {
			t.Errorf("got %d, want %d", got, want)
		}
	}
}

func TestUniqueDoesNotRepeat(t *testing.T) {
	p := NewProcess()
	const threads, each = 4, 50_000
	var mu sync.Mutex
	seen := make(map[uint32]bool, threads*each)
	var wg sync.WaitGroup
	for range threads {
		wg.Go(func() {
			mine := make([]uint32, each)
			for i := range mine {
				mine[i] = p.Unique()
			}
			mu.Lock()
			defer mu.Unlock()
			for _, v := range mine {
				seen[v] = true
			}
		})
	}
	wg.Wait()
	if len(seen) != threads*each {
		t.Errorf("%d different numbers, want %d", len(seen), threads*each)
	}
}

// A permutation that maps two numbers to one would break uniqueness only after billions of calls.
func TestPermuteEdges(t *testing.T) {
	for _, c := range []struct{ x, want uint32 }{
		{0, 0},
		{1, 1},
		{2, 4},
		{2147483645, 1073741823}, // (p-1)/2: the last one that is not mirrored
		{2147483646, 3221225468},
		{4294967290, 4294967290},
		{4294967291, 4294967291}, // p itself and above stay
		{math.MaxUint32, math.MaxUint32},
	} {
		if got := permute(c.x); got != c.want {
			t.Errorf("permute(%d) = %d, want %d", c.x, got, c.want)
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

// The C library's well-known numbers: 1804289383 is the first random() of every unseeded program.
func TestStream(t *testing.T) {
	for _, c := range []struct {
		seed uint32
		want []uint32
	}{
		{1, []uint32{1804289383, 846930886, 1681692777, 1714636915, 1957747793}},
		{0, []uint32{1804289383, 846930886}},
		{2, []uint32{1505335290, 1738766719, 190686788}},
		{math.MaxUint32, []uint32{254925627, 1205188300, 366127624}},
		{3000000000, []uint32{2058147116, 854483408, 922419988}},
	} {
		var g stream
		g.seed(c.seed)
		for i, want := range c.want {
			if got := g.next(); got != want {
				t.Errorf("seed %d, output %d: got %d, want %d", c.seed, i+1, got, want)
			}
		}
	}
}

func TestTemplate(t *testing.T) {
	got := string(AppendTemplate([]byte("> "), NewProcess().Main(), "###-@@@-x#@ #@"))
	if want := "> 838-quq-x4f 9d"; got != want { // as printed by sysbench
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestVarString(t *testing.T) {
	s := NewProcess().Main()
	lengths := map[int]bool{}
	for range 2000 {
		v := AppendVarString(nil, s, 3, 6)
		lengths[len(v)] = true
		if i := strings.IndexFunc(string(v), func(r rune) bool { return r < '0' || r > 'z' }); i >= 0 {
			t.Fatalf("%q has a character out of range", v)
		}
	}
	if len(lengths) != 4 || !lengths[3] || !lengths[6] {
		t.Errorf("lengths are %v, want 3 to 6", lengths)
	}
	defer func() {
		if recover() == nil {
			t.Error("no panic for an impossible length")
		}
	}()
	AppendVarString(nil, s, 2, 1)
}

func BenchmarkUint64(b *testing.B) {
	s := NewProcess().Main()
	for b.Loop() {
		s.Uint64()
	}
}

func BenchmarkTemplate(b *testing.B) {
	s := NewProcess().Main()
	tmpl := strings.Repeat("###########-", 9) + "###########"
	dst := make([]byte, 0, len(tmpl))
	b.ReportAllocs()
	for b.Loop() {
		dst = AppendTemplate(dst[:0], s, tmpl)
	}
}

func BenchmarkDefault(b *testing.B) {
	for _, typ := range []string{Uniform, Gaussian, Special, Pareto, Zipfian} {
		b.Run("type="+typ, func(b *testing.B) {
			c := DefaultConfig()
			c.Type = typ
			d, err := New(c)
			if err != nil {
				b.Fatal(err)
			}
			s := NewProcess().Main()
			b.ReportAllocs()
			for b.Loop() {
				d.Default(s, 1, 100_000)
			}
		})
	}
}
