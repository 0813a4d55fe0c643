package stats

import "math"

// Moments are the running count, mean, variance and range of values that are not
// kept (Welford's method). The zero value is of no values.
type Moments struct {
	N        int
	Mean     float64
	Squares  float64 // sum of the squared distances from the mean
	Min, Max float64
}

// MomentsOf are those of a list.
func MomentsOf(values []float64) Moments {
	var m Moments
	for _, v := range values {
		m.Add(v)
	}
	return m
}

// Add takes in a value. Products are wrapped in float64, see numpy.go.
func (m *Moments) Add(v float64) {
	if m.N == 0 || v < m.Min {
		m.Min = v
	}
	if m.N == 0 || v > m.Max {
		m.Max = v
	}
	m.N++
	d := v - m.Mean
	m.Mean += d / float64(m.N)
	m.Squares += float64(d * (v - m.Mean))
}

// Remove takes out a value that was added. Min and Max stay as bounds.
func (m *Moments) Remove(v float64) {
	if m.N <= 1 {
		*m = Moments{}
		return
	}
	m.N--
	d := v - m.Mean
	m.Mean -= d / float64(m.N)
	m.Squares = max(m.Squares-float64(d*(v-m.Mean)), 0)
}

// Merge takes in the values of another one (Chan's method).
func (m *Moments) Merge(o Moments) {
	switch {
	case o.N == 0:
		return
	case m.N == 0:
		*m = o
		return
	}
	a, b, d := float64(m.N), float64(o.N), o.Mean-m.Mean
	m.N += o.N
	m.Mean += float64(d * b / (a + b))
	m.Squares += o.Squares + float64(d*d*a*b/(a+b))
	m.Min, m.Max = min(m.Min, o.Min), max(m.Max, o.Max)
}

// Sum is the sum of the values.
func (m *Moments) Sum() float64 { return m.Mean * float64(m.N) }

// Variance is that of a sample (n−1); 0 below two values.
func (m *Moments) Variance() float64 { return m.Squares / float64(max(m.N-1, 1)) }

// Degrees are the degrees of freedom of Variance.
func (m *Moments) Degrees() float64 { return float64(m.N - 1) }

// Std is the standard deviation of the population (n), as NumPy's.
func (m *Moments) Std() float64 { return math.Sqrt(m.Squares / float64(max(m.N, 1))) }

// StdError is the standard error of the mean.
func (m *Moments) StdError() float64 { return math.Sqrt(m.Variance() / float64(max(m.N, 1))) }
