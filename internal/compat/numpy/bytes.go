package numpy

import "encoding/binary"

// Bytes fills dst as integers(0, 256, size=n, dtype=uint8) does: each 32 bits are four
// of them, the lowest first. What is left of the last 32 bits is lost.
func (g *Generator) Bytes(dst []byte) {
	for len(dst) >= 4 {
		binary.LittleEndian.PutUint32(dst, g.Uint32())
		dst = dst[4:]
	}
	if len(dst) > 0 {
		var last [4]byte
		binary.LittleEndian.PutUint32(last[:], g.Uint32())
		copy(dst, last[:])
	}
}

// SkipBytes goes on behind n numbers of Bytes.
func (g *Generator) SkipBytes(n int) {
	words := (n + 3) / 4
	if words > 0 && g.hasHalf {
		g.hasHalf = false
		words--
	}
	for ; words >= 2; words -= 2 {
		g.step()
	}
	if words > 0 {
		g.Uint32()
	}
}

// Choice is choice(k, p=p): an index drawn by probabilities that add up to one.
func (g *Generator) Choice(p []float64) int {
	cdf, sum := make([]float64, len(p)), 0.0
	for i, v := range p {
		sum += v
		cdf[i] = sum
	}
	u := g.Random()
	for i, v := range cdf {
		if u < v/sum {
			return i
		}
	}
	return len(p) - 1
}
