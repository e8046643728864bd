package random

import (
	"errors"
	"fmt"
	"math"
)

// Names of the distributions.
const (
	Uniform  = "uniform"
	Gaussian = "gaussian"
	Special  = "special"
	Pareto   = "pareto"
	Zipfian  = "zipfian"
)

// Defaults of sysbench 1.0.20; ZipfianExp is from its master branch.
const (
	DefaultType       = Special
	DefaultSpecIter   = 12
	DefaultSpecPct    = 1
	DefaultSpecRes    = 75
	DefaultParetoH    = 0.2
	DefaultZipfianExp = 0.8
)

// Config is the choice of distribution and its parameters, the --rand-* options.
type Config struct {
	Type       string
	SpecIter   int     // number of uniform draws that special and gaussian average
	SpecPct    int     // special: width of the hot window in percent of the range
	SpecRes    int     // special: percentage of draws that hit the window
	ParetoH    float64 // pareto: shape, in (0, 1)
	ZipfianExp float64 // zipfian: exponent, at least 0
}

// DefaultConfig returns the defaults of sysbench 1.0.20.
func DefaultConfig() Config {
	return Config{
		Type: DefaultType, SpecIter: DefaultSpecIter, SpecPct: DefaultSpecPct, SpecRes: DefaultSpecRes,
		ParetoH: DefaultParetoH, ZipfianExp: DefaultZipfianExp,
	}
}

// Dist draws integers from distributions. It is read only after New and may be shared by threads.
//
// All methods take the bounds of a range, both ends included, as unsigned 32-bit numbers, and compute as C
// does: widths wrap around at 2^32, results are truncated to 64-bit integers and cut to 32 bits.
// Multiplications are converted explicitly where a sum follows: that forbids fused instructions, which
// would round differently on some machines.
type Dist struct {
	typ         string
	fallback    func(*Source, uint32, uint32) uint32
	iter        int
	iterF       float64
	rangeMult   float64 // special: 100 / (100 - res)
	pct         float64
	paretoPower float64
	zipfianExp  float64
	zipfianS    float64
}

// New returns the distributions with the given parameters. Default draws from cfg.Type. The texts of its
// errors are those that sysbench prints after FATAL.
func New(cfg Config) (*Dist, error) {
	d := &Dist{
		typ:         cfg.Type,
		iter:        cfg.SpecIter,
		iterF:       float64(cfg.SpecIter),
		rangeMult:   100.0 / float64(100-cfg.SpecRes),
		pct:         float64(cfg.SpecPct),
		paretoPower: math.Log(cfg.ParetoH) / math.Log(1.0-cfg.ParetoH),
		zipfianExp:  cfg.ZipfianExp,
	}
	switch cfg.Type {
	case Uniform:
		d.fallback = d.Uniform
	case Gaussian:
		d.fallback = d.Gaussian
	case Special:
		d.fallback = d.Special
	case Pareto:
		d.fallback = d.Pareto
	case Zipfian:
		d.fallback = d.Zipfian
	default:
		//lint:ignore ST1005 sysbench's text
		return nil, fmt.Errorf("Invalid random numbers distribution: %s.", cfg.Type)
	}
	if !(cfg.ZipfianExp >= 0) {
		return nil, errors.New("--rand-zipfian-exp must be >= 0")
	}
	d.zipfianS = 2 - d.hIntegralInverse(d.hIntegral(2.5)-d.h(2))
	return d, nil
}

// Type returns the name of the distribution that Default draws from.
func (d *Dist) Type() string { return d.typ }

// Default draws from the chosen distribution.
func (d *Dist) Default(s *Source, a, b uint32) uint32 { return d.fallback(s, a, b) }

// Uniform draws every number with the same probability. Over the whole range of 32 bits the width wraps to
// 0 and the result is always a, as in sysbench.
func (d *Dist) Uniform(s *Source, a, b uint32) uint32 { return UniformUint32(s, a, b) }

// UniformUint32 is Dist.Uniform, which needs no parameters.
func UniformUint32(s *Source, a, b uint32) uint32 {
	return Uint32(float64(a) + float64(s.Float64()*float64(b-a+1)))
}

// Gaussian averages uniform draws.
func (d *Dist) Gaussian(s *Source, a, b uint32) uint32 {
	t := float64(b - a + 1)
	sum := 0.0
	for range d.iter {
		sum += float64(s.Float64() * t)
	}
	return a + Uint32(sum/d.iterF)
}

// Special draws from a window around the middle of the range in SpecRes percent of all cases, else a
// gaussian number. It reuses the number that decided between the two, so that only the upper part of the
// window is hit.
func (d *Dist) Special(s *Source, a, b uint32) uint32 {
	t := float64(b - a)
	u := s.Float64()
	if x := u * float64(t*d.rangeMult); x < t {
		sum := 0.0
		for range d.iter {
			sum += s.Float64()
		}
		return Uint32(float64(a) + t*sum/d.iterF)
	}
	width := t * (d.pct / 100)
	return Uint32(float64(a) + float64(u*(width+1)) + t/2 - float64(t*(d.pct/200)))
}

// Pareto draws small numbers most often.
func (d *Dist) Pareto(s *Source, a, b uint32) uint32 {
	return a + Uint32(float64(b-a+1)*math.Pow(s.Float64(), d.paretoPower))
}

// Uint32 converts as C compilers for x86-64 do, and so as scripts pass numbers to sysbench: the low half of
// Int64.
func Uint32(f float64) uint32 { return uint32(Int64(f)) }

// Int64 truncates as x86-64 does: what does not fit (also NaN) becomes -2^63.
func Int64(f float64) int64 {
	if f >= -(1<<63) && f < 1<<63 {
		return int64(f)
	}
	return math.MinInt64
}
