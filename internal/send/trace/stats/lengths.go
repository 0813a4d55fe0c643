package stats

import (
	"maps"
	"math"
	"slices"
)

// Lengths are the distribution of whole numbers: tokens, turns. Percentiles are exact,
// by NumPy's rule.
type Lengths struct {
	N       int      `json:"n"`
	Sum     int64    `json:"sum"`
	Mean    float64  `json:"mean"`
	Std     float64  `json:"std"`
	Min     int      `json:"min"`
	P50     float64  `json:"p50"`
	P90     float64  `json:"p90"`
	P99     float64  `json:"p99"`
	Max     int      `json:"max"`
	Buckets []Bucket `json:"buckets,omitempty"` // by powers of two
}

// Bucket counts the values from From to To.
type Bucket struct {
	From int `json:"from"`
	To   int `json:"to"`
	N    int `json:"n"`
}

// lengths counts each value: traces have few different ones.
type lengths map[int]int

func (l lengths) add(v int) { l[v]++ }

// known is nil where there is no value: that is not a mean of 0.
func (l lengths) known() *Lengths {
	if len(l) == 0 {
		return nil
	}
	s := l.summary()
	return &s
}

func (l lengths) summary() Lengths {
	var s Lengths
	values := slices.Sorted(maps.Keys(l))
	for _, v := range values {
		s.N += l[v]
		s.Sum += int64(v) * int64(l[v])
	}
	if s.N == 0 {
		return s
	}
	s.Mean = float64(s.Sum) / float64(s.N)
	squares := 0.0
	for _, v := range values {
		d := float64(v) - s.Mean
		squares += d * d * float64(l[v])
	}
	s.Std = math.Sqrt(squares / float64(s.N))
	s.Min, s.Max = values[0], values[len(values)-1]
	s.P50, s.P90, s.P99 = l.percentile(values, s.N, 50), l.percentile(values, s.N, 90), l.percentile(values, s.N, 99)
	s.Buckets = l.buckets(values)
	return s
}

// percentile interpolates between the two values beside its rank.
func (l lengths) percentile(values []int, n int, p float64) float64 {
	rank := p / 100 * float64(n-1)
	below := int(math.Floor(rank))
	low, high := l.ranked(values, below), l.ranked(values, min(below+1, n-1))
	return float64(low) + (rank-float64(below))*float64(high-low)
}

// ranked is the value at a rank from 0.
func (l lengths) ranked(values []int, rank int) int {
	for _, v := range values {
		if rank -= l[v]; rank < 0 {
			return v
		}
	}
	return values[len(values)-1]
}

// buckets go from the smallest power of two to the largest, empty ones included.
func (l lengths) buckets(values []int) []Bucket {
	var list []Bucket
	for _, v := range values {
		for len(list) == 0 || v > list[len(list)-1].To {
			list = append(list, following(list, v))
		}
		list[len(list)-1].N += l[v]
	}
	return list
}

// following is the bucket after those of a list, or the first one, which holds v.
func following(list []Bucket, v int) Bucket {
	if len(list) > 0 {
		from := list[len(list)-1].To + 1
		return Bucket{From: from, To: 2*from - 1}
	}
	if v == 0 {
		return Bucket{}
	}
	from := 1
	for 2*from <= v {
		from *= 2
	}
	return Bucket{From: from, To: 2*from - 1}
}
