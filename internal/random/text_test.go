package random

import (
	"strings"
	"testing"
)

// slowTemplate is the definition of AppendTemplate.
func slowTemplate(s *Source, tmpl string) string {
	var b strings.Builder
	for _, c := range []byte(tmpl) {
		switch c {
		case '#':
			c = byte(UniformUint32(s, '0', '9'))
		case '@':
			c = byte(UniformUint32(s, 'a', 'z'))
		}
		b.WriteByte(c)
	}
	return b.String()
}

func TestTemplateInIntegers(t *testing.T) {
	tmpl := strings.Repeat("##@-x@#", 100)
	fast := Derive(7)
	slow := fast
	for range 200 {
		got, want := string(AppendTemplate([]byte("a"), &fast, tmpl)), "a"+slowTemplate(&slow, tmpl)
		if got != want || fast != slow {
			t.Fatalf("got %s and state %v\nwant %s and %v", got, fast, want, slow)
		}
	}
}

// All around the places where one character ends and the next begins, which random numbers do not find.
func TestTemplateAtEdges(t *testing.T) {
	for _, c := range []struct {
		tmpl  string
		first byte
		count uint64
	}{{"#", '0', 10}, {"@", 'a', 26}} {
		rounded := 0
		for i := uint64(1); i <= c.count; i++ {
			edge := i << 52 / c.count
			for u := edge - 200; u < edge+200; u++ {
				if u >= 1<<52 {
					break
				}
				fast := Source{s0: u<<12 | u&0xfff}
				slow := fast
				got, want := string(AppendTemplate(nil, &fast, c.tmpl)), slowTemplate(&slow, c.tmpl)
				if got != want {
					t.Fatalf("%s of %d: got %q, want %q", c.tmpl, u, got, want)
				}
				if want[0] != c.first+byte(u*c.count>>52) {
					rounded++
				}
			}
		}
		if rounded == 0 {
			t.Errorf("%s: no number was rounded up, so that nothing was tested", c.tmpl)
		}
	}
}

func TestDerive(t *testing.T) {
	seen := map[Source][]uint64{}
	for _, n := range [][]uint64{{}, {0}, {1}, {0, 0}, {0, 1}, {1, 0}, {1, 1}, {0, 0, 0}, {1, 2, 3}, {1, 3, 2}, {3, 2, 1}} {
		s := Derive(n...)
		if other, ok := seen[s]; ok {
			t.Errorf("%v and %v give the same source", n, other)
		}
		if s != Derive(n...) {
			t.Errorf("%v gives two sources", n)
		}
		seen[s] = n
	}
	// Neighbours are not alike: half of the bits differ.
	a, b := Derive(1, 0, 0), Derive(1, 0, 1)
	var diff, total int
	for range 1000 {
		x := a.Uint64() ^ b.Uint64()
		for ; x != 0; x &= x - 1 {
			diff++
		}
		total += 64
	}
	if share := float64(diff) / float64(total); share < 0.48 || share > 0.52 {
		t.Errorf("%.3f of the bits of neighbours differ, want a half", share)
	}
}
