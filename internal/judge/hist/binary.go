package hist

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"math"
)

// version is the first byte of the binary form.
const version = 1

// MarshalBinary writes the histogram in a form that any version of this program
// reads:
//
//	version, bits                    one byte each
//	count                            varint, of all values
//	mean, squares, min, max          float64, little endian; absent when empty
//	gap, count                       varints, for each bucket that holds values:
//	                                 buckets since the one before, values in it
//
// It takes two to four bytes for each such bucket.
func (h *Histogram) MarshalBinary() ([]byte, error) {
	out := binary.AppendUvarint([]byte{version, byte(h.resolution())}, uint64(h.moments.N))
	if h.moments.N == 0 {
		return out, nil
	}
	m := &h.moments
	for _, v := range []float64{m.Mean, m.Squares, m.Min, m.Max} {
		out = binary.LittleEndian.AppendUint64(out, math.Float64bits(v))
	}
	next := 0
	for i, n := range h.All() {
		out = binary.AppendUvarint(out, uint64(i-next))
		out = binary.AppendUvarint(out, uint64(n))
		next = i + 1
	}
	return out, nil
}

// MarshalJSON is the binary form as a text.
func (h *Histogram) MarshalJSON() ([]byte, error) {
	b, err := h.MarshalBinary()
	if err != nil {
		return nil, err
	}
	return json.Marshal(b)
}

// UnmarshalJSON reads what MarshalJSON wrote, as carefully as UnmarshalBinary.
func (h *Histogram) UnmarshalJSON(text []byte) error {
	var b []byte
	if err := json.Unmarshal(text, &b); err != nil {
		return errors.New("histogram: not a histogram")
	}
	return h.UnmarshalBinary(b)
}

// UnmarshalBinary reads what MarshalBinary wrote. The bytes may come from another
// machine: whatever they are, memory stays bounded by the largest histogram there is
// (some 4 MB), and what it accepts is consistent.
func (h *Histogram) UnmarshalBinary(b []byte) error {
	if len(b) < 2 || b[0] != version {
		return errors.New("histogram: not of a version that this program reads")
	}
	if b[1] < 1 || b[1] > FullBits {
		return errors.New("histogram: unknown resolution")
	}
	got := Histogram{bits: b[1]}
	n, b, err := number(b[2:])
	if err != nil {
		return err
	}
	if n > mostValues {
		return errCount
	}
	if got.moments.N = int(n); n > 0 {
		if b, err = got.readMoments(b); err != nil {
			return err
		}
	}
	if err := got.readCounts(b); err != nil {
		return err
	}
	*h = got
	return nil
}

// mostValues keeps sums of counts, also of merged histograms, far from overflow.
const mostValues = 1 << 56

var (
	errCut   = errors.New("histogram: it is cut off")
	errCount = errors.New("histogram: impossible count")
)

// number reads a varint.
func number(b []byte) (n uint64, rest []byte, err error) {
	n, k := binary.Uvarint(b)
	if k <= 0 {
		return 0, nil, errCut
	}
	return n, b[k:], nil
}

func (h *Histogram) readMoments(b []byte) (rest []byte, err error) {
	m := &h.moments
	for _, v := range []*float64{&m.Mean, &m.Squares, &m.Min, &m.Max} {
		if len(b) < 8 {
			return nil, errCut
		}
		*v = math.Float64frombits(binary.LittleEndian.Uint64(b))
		b = b[8:]
	}
	slack := 1e-9 * m.Max // rounding may carry the mean of equal values past them
	if !(m.Min >= 0 && m.Min <= m.Max && m.Min <= m.Mean+slack && m.Mean <= m.Max+slack && m.Max <= math.MaxInt64 && m.Squares >= 0 && !math.IsInf(m.Squares, 0)) {
		return nil, errors.New("histogram: mean, minimum and maximum contradict each other")
	}
	return b, nil
}

func (h *Histogram) readCounts(b []byte) error {
	most, next, left := uint64(buckets(h.resolution())), uint64(0), uint64(h.moments.N)
	for first := true; left > 0; first = false {
		gap, rest, err := number(b)
		if err != nil {
			return err
		}
		n, rest, err := number(rest)
		switch {
		case err != nil:
			return err
		case gap >= most || next+gap >= most:
			return errors.New("histogram: a bucket that does not exist")
		case n == 0 || n > left:
			return errCount
		}
		at := int(next + gap)
		low, high := h.Bounds(at)
		if first && h.moments.Min > float64(high) || n == left && h.moments.Max < float64(low) {
			return errors.New("histogram: minimum and maximum lie outside of its buckets")
		}
		h.count(at, int64(n))
		left -= n
		next += gap + 1
		b = rest
	}
	if len(b) > 0 {
		return errors.New("histogram: trailing data")
	}
	return nil
}
