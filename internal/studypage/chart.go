package studypage

import (
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"

	"deltabench/internal/findings"
)

// kinds says how the kinds of charts are shown. A kind that is not here is shown as free.
var kinds = map[findings.ChartKind]func(*findings.Chart) picture{
	findings.Throughput: fromZero,
	findings.Response:   free,
	findings.Change:     aroundZero,
}

// fromZero is for amounts: half as high is half as much.
func fromZero(c *findings.Chart) picture {
	p := draft(c)
	p.Y = newScale(c.Y, reach(c.Series, 0, 0))
	return p
}

// free is for values whose distance from zero says little.
func free(c *findings.Chart) picture {
	p := draft(c)
	p.Y = newScale(c.Y, reach(c.Series))
	return p
}

// aroundZero is for changes: zero and what does not matter are always in the picture.
func aroundZero(c *findings.Chart) picture {
	p := draft(c)
	p.Y = newScale(c.Y, reach(c.Series, 0, -1.5*c.Band, 1.5*c.Band))
	return p
}

// picture is a chart ready to be drawn, as page.js reads it.
type picture struct {
	ID     string  `json:"id"`
	X      scale   `json:"x"`
	Y      scale   `json:"y"`
	Zero   bool    `json:"zero"`             // a line at y = 0
	Band   float64 `json:"band"`             // half-width of the band around y = 0; 0: none
	Single string  `json:"single,omitempty"` // the one x of all points, with its word: series then stand side by side
	Series []line  `json:"series"`
	Cut    bool    `json:"-"` // intervals reach beyond the picture
}

// scale is an axis. On a logarithmic one Min and Max are values, too, not their logarithms.
type scale struct {
	Name  string  `json:"name"`
	Unit  string  `json:"unit"`
	Log   bool    `json:"log"`
	Min   float64 `json:"min"`
	Max   float64 `json:"max"`
	Ticks []tick  `json:"ticks"`
}

type tick struct {
	Value float64 `json:"value"`
	Label string  `json:"label"`
}

// line is a series. Style chooses colour and symbol; the baseline's is -1.
type line struct {
	Name   string  `json:"name"`
	Style  int     `json:"style"`
	Points []point `json:"points"`
}

type point struct {
	X    number `json:"x"`
	Y    number `json:"y"`
	Low  number `json:"low"`
	High number `json:"high"`
	Text string `json:"text"`
}

// number is a value that may be unknown: NaN, in JSON null.
type number float64

// MarshalJSON writes null for what is not finite.
func (n number) MarshalJSON() ([]byte, error) {
	if !known(float64(n)) {
		return []byte("null"), nil
	}
	return json.Marshal(float64(n))
}

func known(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

// newPicture makes the picture of a chart. Styles are by names of series, so that a scenario looks the same in all charts of a
// target.
func newPicture(c *findings.Chart, styles map[string]int) picture {
	show := kinds[c.Kind]
	if show == nil {
		show = free
	}
	p := show(c)
	for i := range p.Series {
		s := &p.Series[i]
		if s.Style >= 0 {
			s.Style = styles[s.Name]
		}
		for _, q := range s.Points {
			p.Cut = p.Cut || known(float64(q.Y)) && (float64(q.Low) < p.Y.Min || float64(q.High) > p.Y.Max)
		}
	}
	return p
}

// draft is all of a picture but its y axis.
func draft(c *findings.Chart) picture {
	p := picture{ID: c.ID, Zero: c.Zero, Band: c.Band, X: scale{Name: c.X.Name, Unit: c.X.Unit, Log: c.X.Log}}
	var at []float64
	for _, s := range c.Series {
		l := line{Name: s.Name, Points: []point{}}
		if s.Baseline {
			l.Style = -1
		}
		for _, q := range s.Points {
			if p.X.Log && q.X <= 0 || !known(q.X) {
				continue // has no place on the axis
			}
			at = append(at, q.X)
			l.Points = append(l.Points, point{number(q.X), number(q.Y), number(q.Low), number(q.High), q.Text})
		}
		slices.SortStableFunc(l.Points, func(a, b point) int { return compareFloats(float64(a.X), float64(b.X)) })
		p.Series = append(p.Series, l)
	}
	slices.Sort(at)
	at = slices.Compact(at)
	p.X.Min, p.X.Max = 1, 2
	if len(at) > 0 {
		p.X.Min, p.X.Max = at[0], at[len(at)-1]
	}
	if len(at) == 1 {
		p.sideBySide(at[0])
		return p
	}
	for _, x := range at {
		p.X.Ticks = append(p.X.Ticks, tick{x, plain(x)})
	}
	return p
}

// labelRoom is the number of letters that the labels of an axis have place for.
const labelRoom = 56

// sideBySide gives each series a place of its own where all have one point, at the same x: upon each other nobody could tell their
// intervals apart.
func (p *picture) sideBySide(x float64) {
	n, longest := len(p.Series), 0
	for i := range p.Series {
		for k := range p.Series[i].Points {
			p.Series[i].Points[k].X = number(i + 1)
		}
		longest = max(longest, len([]rune(p.Series[i].Name)))
	}
	p.Single = plain(x) + " " + p.X.Name
	if x == 1 {
		p.Single = strings.TrimSuffix(p.Single, "s")
	}
	p.X = scale{Name: "at " + p.Single, Min: 0.5, Max: float64(n) + 0.5}
	for i := range p.Series {
		t := tick{Value: float64(i + 1)}
		if (longest+2)*n <= labelRoom { // else the legend has the names
			t.Label = p.Series[i].Name
		}
		p.X.Ticks = append(p.X.Ticks, t)
	}
}

func compareFloats(a, b float64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// reach returns the least and the greatest value that a picture must show: those of all points and of others. Intervals make it
// larger, by its own size at most: a few wide ones would press everything else into a line.
func reach(series []findings.Series, others ...float64) [2]float64 {
	low, high := math.Inf(1), math.Inf(-1)
	add := func(v float64) {
		if known(v) {
			low, high = min(low, v), max(high, v)
		}
	}
	for _, v := range others {
		add(v)
	}
	for _, s := range series {
		for _, p := range s.Points {
			add(p.Y)
		}
	}
	if low > high {
		return [2]float64{0, 1}
	}
	size := max(high-low, math.Abs(high)/10)
	least, most := low-size, high+size
	for _, s := range series {
		for _, p := range s.Points {
			if known(p.Y) && known(p.Low) && known(p.High) {
				add(max(p.Low, least))
				add(min(p.High, most))
			}
		}
	}
	return [2]float64{low, high}
}

// newScale makes a y axis with its ticks. Values without a place on a logarithmic axis make it a plain one.
func newScale(a findings.Axis, r [2]float64) scale {
	s := scale{Name: a.Name, Unit: a.Unit, Log: a.Log && r[0] > 0, Min: r[0], Max: r[1]}
	if s.Log {
		low, high := math.Floor(math.Log2(s.Min)), math.Ceil(math.Log2(s.Max))
		if low == high {
			high++
		}
		s.Min, s.Max = math.Exp2(low), math.Exp2(high)
		step := math.Ceil((high - low) / 7)
		for e := low; e <= high; e += step {
			s.Ticks = append(s.Ticks, tick{math.Exp2(e), plain(math.Exp2(e))})
		}
		return s
	}
	if s.Min == s.Max {
		if s.Min == 0 {
			s.Max = 1
		} else {
			s.Min, s.Max = s.Min-math.Abs(s.Min)/10, s.Max+math.Abs(s.Max)/10
		}
	}
	step := niceStep((s.Max - s.Min) / 6)
	first, last := math.Floor(s.Min/step+1e-9), math.Ceil(s.Max/step-1e-9)
	s.Min, s.Max = first*step, last*step
	for i := first; i <= last; i++ {
		v := i * step
		s.Ticks = append(s.Ticks, tick{v, group(v, places(step))})
	}
	return s
}

// niceStep is the next larger of 1, 2 and 5 with zeros.
func niceStep(v float64) float64 {
	e := math.Floor(math.Log10(v))
	unit := math.Pow(10, e)
	for _, f := range []float64{1, 2, 5} {
		if v <= f*unit*(1+1e-9) {
			return f * unit
		}
	}
	return 10 * unit
}

// places is the number of decimals that multiples of a step need.
func places(step float64) int { return max(0, -int(math.Floor(math.Log10(step)+1e-9))) }

// plain spells a value with the decimals that it needs, four digits of them at most.
func plain(v float64) string {
	if v == math.Trunc(v) {
		return group(v, 0)
	}
	return strconv.FormatFloat(v, 'g', 4, 64)
}

// group spells a value with separators between thousands and a minus sign.
func group(v float64, places int) string {
	s := strconv.FormatFloat(math.Abs(v), 'f', places, 64)
	whole, fraction := s, ""
	if places > 0 {
		whole, fraction = s[:len(s)-places-1], s[len(s)-places-1:]
	}
	for i := len(whole) - 3; i > 0; i -= 3 {
		whole = whole[:i] + "," + whole[i:]
	}
	if v < 0 && v != 0 {
		whole = "−" + whole
	}
	return whole + fraction
}
