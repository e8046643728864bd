package random

import "math"

// Zipfian draws rank k (value a+k-1) with a probability in proportion to k^-exponent, by rejection-inversion
// (W. Hörmann, G. Derflinger: Rejection-inversion to generate variates from monotone discrete
// distributions, 1996). It needs no table, and few more than one uniform draw.
func (d *Dist) Zipfian(s *Source, a, b uint32) uint32 {
	n := float64(b - a + 1)
	low := d.hIntegral(1.5) - 1
	high := d.hIntegral(n + 0.5)
	for {
		y := high + float64(s.Float64()*(low-high))
		x := d.hIntegralInverse(y)
		k := max(1, min(math.Trunc(x+0.5), n))
		if k-x <= d.zipfianS || y >= d.hIntegral(k+0.5)-d.h(k) {
			return a + Uint32(k) - 1
		}
	}
}

// h is x^-e.
func (d *Dist) h(x float64) float64 { return math.Exp(-d.zipfianExp * math.Log(x)) }

// hIntegral is an integral of h: (x^(1-e) - 1) / (1-e), or ln x for e = 1.
func (d *Dist) hIntegral(x float64) float64 {
	lnX := math.Log(x)
	return expm1Over((1-d.zipfianExp)*lnX) * lnX
}

// hIntegralInverse is the inverse of hIntegral.
func (d *Dist) hIntegralInverse(y float64) float64 {
	t := max(y*(1-d.zipfianExp), -1)
	return math.Exp(log1pOver(t) * y)
}

// expm1Over is (e^x - 1) / x, also near 0.
func expm1Over(x float64) float64 {
	if math.Abs(x) > 1e-8 {
		return math.Expm1(x) / x
	}
	return 1 + x/2*(1+x/3*(1+x/4))
}

// log1pOver is ln(1+x) / x, also near 0.
func log1pOver(x float64) float64 {
	if math.Abs(x) > 1e-8 {
		return math.Log1p(x) / x
	}
	return 1 - x*(0.5-x*(1.0/3-x/4))
}
