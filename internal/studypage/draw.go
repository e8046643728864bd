package studypage

import (
	"bytes"
	"fmt"
	"html/template"
	"image/color"
	"math"
	"strings"
	"sync"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

// Size of static pictures. They are scaled to the width that there is.
const (
	drawWidth  = vg.Length(420)
	drawHeight = vg.Length(260)
	drawText   = vg.Length(10)
)

// styleCount is the number of colours, and of symbols.
const styleCount = 8

// Drawings have colours that stand for those of the page's style, which differ between light and dark.
var (
	textColor = color.NRGBA{0, 0, 0, 255}
	gridColor = color.NRGBA{0, 0xF0, 0x20, 255}
	bandColor = color.NRGBA{0, 0xF0, 0x21, 255}
)

// faintGreen marks the colours of areas, which let others show through: an opacity would change the colours that are looked for.
const faintGreen = 0xF1

// styleColor stands for the colour of a style.
func styleColor(style int) color.NRGBA {
	if style < 0 {
		return color.NRGBA{0, 0xF0, 0x22, 255}
	}
	return color.NRGBA{0, 0xF0, uint8(style % styleCount), 255}
}

// pageColors replaces the colours of drawings by the names of the page's.
var pageColors = sync.OnceValue(func() *strings.Replacer {
	var pairs []string
	add := func(c color.NRGBA, name string) {
		for _, use := range []string{"fill:", "stroke:"} {
			pairs = append(pairs, fmt.Sprintf("%s#%02X%02X%02X", use, c.R, c.G, c.B), use+name)
		}
		pairs = append(pairs, fmt.Sprintf("fill:#%02X%02X%02X", c.R, faintGreen, c.B), "fill-opacity:.16;fill:"+name)
	}
	add(textColor, "currentColor")
	add(gridColor, "var(--grid)")
	add(bandColor, "var(--band)")
	add(styleColor(-1), "var(--base)")
	for i := range styleCount {
		add(styleColor(i), fmt.Sprintf("var(--s%d)", i))
	}
	return strings.NewReplacer(pairs...)
})

// svg draws the picture with the colours of the page. The texts in it are escaped.
func (p *picture) svg() (template.HTML, error) {
	g := plot.New()
	g.BackgroundColor = color.Transparent
	p.axis(&g.X, &p.X, (drawWidth-50)/vg.Length(1))
	p.axis(&g.Y, &p.Y, 0)
	g.X.Label.Text = p.X.title()
	g.Add((*ground)(p))
	for i := range p.Series {
		g.Add(&ribbon{p, &p.Series[i]})
	}
	for i := range p.Series {
		g.Add(&curve{p, &p.Series[i]})
	}
	canvas := vgsvg.New(drawWidth, drawHeight)
	g.Draw(draw.Crop(draw.New(canvas), 2, -10, 2, -8))
	var b bytes.Buffer
	if _, err := canvas.WriteTo(&b); err != nil {
		return "", fmt.Errorf("draw chart %s: %w", p.ID, err)
	}
	_, text, found := strings.Cut(b.String(), "<svg") // without the head of an XML document
	if !found {
		return "", fmt.Errorf("draw chart %s: no <svg> in the drawing", p.ID)
	}
	return template.HTML("<svg" + pageColors().Replace(text)), nil
}

// axis sets an axis up. room is the length along which labels must not touch each other; 0: there is enough.
func (p *picture) axis(a *plot.Axis, s *scale, room vg.Length) {
	a.Min, a.Max = s.at(s.Min), s.at(s.Max)
	a.Padding = 6
	small := font.From(font.Font{Typeface: "Liberation", Variant: "Sans"}, drawText)
	a.Label.TextStyle.Font, a.Tick.Label.Font = small, small
	a.LineStyle.Color, a.Tick.LineStyle.Color = gridColor, gridColor
	a.Tick.Length = 4
	var ticks plot.ConstantTicks
	free := vg.Length(math.Inf(-1))
	for _, t := range s.Ticks {
		at := s.at(t.Value)
		label := t.Label
		if room > 0 {
			middle := room * vg.Length((at-a.Min)/(a.Max-a.Min))
			half := vg.Length(len(label)+1) * drawText * 0.3
			if middle-half < free {
				label = ""
			} else {
				free = middle + half
			}
		}
		ticks = append(ticks, plot.Tick{Value: at, Label: label})
	}
	a.Tick.Marker = ticks
}

// at is where a value stands along the axis.
func (s *scale) at(v float64) float64 {
	if s.Log {
		return math.Log2(v)
	}
	return v
}

func (s *scale) title() string {
	if s.Unit == "" || s.Unit == s.Name {
		return s.Name
	}
	return s.Name + " [" + s.Unit + "]"
}

// within moves a value into the picture.
func (s *scale) within(v float64) float64 { return min(max(v, s.Min), s.Max) }

// ground is what lies below the lines: grid, band, zero.
type ground picture

// Plot draws it.
func (p *ground) Plot(c draw.Canvas, g *plot.Plot) {
	_, y := g.Transforms(&c)
	if p.Band > 0 && !p.Y.Log {
		low, high := y(p.Y.within(-p.Band)), y(p.Y.within(p.Band))
		c.FillPolygon(bandColor, []vg.Point{{X: c.Min.X, Y: low}, {X: c.Max.X, Y: low}, {X: c.Max.X, Y: high}, {X: c.Min.X, Y: high}})
	}
	for _, t := range p.Y.Ticks {
		at := y(p.Y.at(t.Value))
		c.StrokeLine2(draw.LineStyle{Color: gridColor, Width: 0.5}, c.Min.X, at, c.Max.X, at)
	}
	if p.Zero && p.Y.Min < 0 && p.Y.Max >= 0 && !p.Y.Log {
		c.StrokeLine2(draw.LineStyle{Color: styleColor(-1), Width: 1.2, Dashes: []vg.Length{4, 3}}, c.Min.X, y(0), c.Max.X, y(0))
	}
}

// ribbon is the intervals of a series, where neighbours have some; an interval without neighbours is a bar.
type ribbon struct {
	p *picture
	l *line
}

// Plot draws them.
func (r *ribbon) Plot(c draw.Canvas, g *plot.Plot) {
	x, y := g.Transforms(&c)
	fill := styleColor(r.l.Style)
	fill.G = faintGreen
	var low, high []vg.Point
	flush := func() {
		switch len(low) {
		case 0:
		case 1:
			c.StrokeLines(draw.LineStyle{Color: styleColor(r.l.Style), Width: 1.5}, []vg.Point{low[0], high[0]})
		default:
			for i := range high {
				low = append(low, high[len(high)-1-i])
			}
			c.FillPolygon(fill, low)
		}
		low, high = nil, nil
	}
	for _, q := range r.l.Points {
		if !known(float64(q.Low)) || !known(float64(q.High)) {
			flush()
			continue
		}
		at := x(r.p.X.at(float64(q.X)))
		low = append(low, vg.Point{X: at, Y: y(r.p.Y.at(r.p.Y.within(float64(q.Low))))})
		high = append(high, vg.Point{X: at, Y: y(r.p.Y.at(r.p.Y.within(float64(q.High))))})
	}
	flush()
}

// curve is a series' points and the lines between neighbours that are known.
type curve struct {
	p *picture
	l *line
}

// Plot draws it.
func (k *curve) Plot(c draw.Canvas, g *plot.Plot) {
	x, y := g.Transforms(&c)
	style := draw.LineStyle{Color: styleColor(k.l.Style), Width: 1.6}
	if k.l.Style < 0 {
		style.Width, style.Dashes = 2.2, []vg.Length{6, 3}
	}
	var points, part []vg.Point
	flush := func() {
		if len(part) > 1 {
			c.StrokeLines(style, part)
		}
		points, part = append(points, part...), nil
	}
	for _, q := range k.l.Points {
		if !known(float64(q.Y)) {
			flush()
			continue
		}
		part = append(part, vg.Point{X: x(k.p.X.at(float64(q.X))), Y: y(k.p.Y.at(k.p.Y.within(float64(q.Y))))})
	}
	flush()
	for _, at := range points {
		c.DrawGlyphNoClip(draw.GlyphStyle{Color: style.Color, Radius: 2.6, Shape: symbol(k.l.Style)}, at)
	}
}

// symbol is the symbol of a style. Styles that share a colour have different symbols.
type symbol int

// outlines are the corners of symbols, in radii; none: a circle. Symbols of the upper half are hollow.
var outlines = [styleCount / 2][]vg.Point{
	nil,
	{{X: -1, Y: -1}, {X: 1, Y: -1}, {X: 1, Y: 1}, {X: -1, Y: 1}},
	{{X: -1.2, Y: -1}, {X: 1.2, Y: -1}, {X: 0, Y: 1.2}},
	{{X: -1.3, Y: 0}, {X: 0, Y: -1.3}, {X: 1.3, Y: 0}, {X: 0, Y: 1.3}},
}

// shape is the number of the symbol: its outline, and whether it is hollow.
func (s symbol) shape() (outline int, hollow bool) {
	if s < 0 {
		return 0, false
	}
	n := (int(s) + int(s)/styleCount) % styleCount
	return n % len(outlines), n >= len(outlines)
}

// DrawGlyph draws it.
func (s symbol) DrawGlyph(c *draw.Canvas, sty draw.GlyphStyle, at vg.Point) {
	outline, hollow := s.shape()
	var path vg.Path
	for i, corner := range outlines[outline] {
		q := at.Add(corner.Scale(sty.Radius))
		if i == 0 {
			path.Move(q)
		} else {
			path.Line(q)
		}
	}
	if len(path) == 0 {
		path.Move(vg.Point{X: at.X + sty.Radius, Y: at.Y})
		path.Arc(at, sty.Radius, 0, 2*math.Pi)
	}
	path.Close()
	c.SetLineStyle(draw.LineStyle{Color: sty.Color, Width: 1.2})
	if hollow {
		c.Stroke(path)
	} else {
		c.Fill(path)
	}
}
