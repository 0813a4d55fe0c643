package wire

import (
	"crypto/rand"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"strings"
)

// Trace is the id of a run's trace, as W3C's Trace Context has it. All ids of its spans
// follow from it, so that the journal needs no more than the one. The zero value is none.
type Trace [16]byte

// RandomTrace is one of its own for each run.
func RandomTrace() Trace {
	var t Trace
	for t.IsZero() { // an id of zeros is none
		_, _ = rand.Read(t[:]) // never fails
	}
	return t
}

// ParseTrace reads 32 lower-case hexadecimal digits.
func ParseTrace(text string) (Trace, error) {
	var t Trace
	if len(text) != 2*len(t) || strings.ToLower(text) != text {
		return Trace{}, fmt.Errorf("needs %d lower-case hexadecimal digits", 2*len(t))
	}
	if _, err := hex.Decode(t[:], []byte(text)); err != nil {
		return Trace{}, fmt.Errorf("needs %d lower-case hexadecimal digits", 2*len(t))
	}
	if t.IsZero() {
		return Trace{}, fmt.Errorf("must not be all zeros: that stands for no trace")
	}
	return t, nil
}

// IsZero says that there is none.
func (t Trace) IsZero() bool { return t == Trace{} }

// String is its hexadecimal form; empty: there is none.
func (t Trace) String() string {
	if t.IsZero() {
		return ""
	}
	return hex.EncodeToString(t[:])
}

// rootIndex is no request's.
const rootIndex = -1

// Root is the id of the span of the whole run.
func (t Trace) Root() [8]byte { return t.Span(rootIndex) }

// Span is the id of the span of a request, by its index. Those of a run all differ: each
// step of the mixing can be undone.
func (t Trace) Span(index int) (id [8]byte) {
	x := binary.BigEndian.Uint64(t[:8]) ^ uint64(index)
	x ^= x >> 30
	x *= 0xbf58476d1ce4e5b9
	x ^= x >> 27
	x *= 0x94d049bb133111eb
	x ^= x >> 31
	x ^= binary.BigEndian.Uint64(t[8:])
	if x == 0 { // of one index in 2⁶⁴; an id of zeros is none
		x = ^uint64(0)
	}
	binary.BigEndian.PutUint64(id[:], x)
	return id
}

// Parent is the header traceparent of a request: version, trace, span, and that it is recorded.
func (t Trace) Parent(index int) string {
	b := make([]byte, 0, 55)
	b = append(b, "00-"...)
	b = hex.AppendEncode(b, t[:])
	span := t.Span(index)
	b = append(b, '-')
	b = hex.AppendEncode(b, span[:])
	return string(append(b, "-01"...))
}
