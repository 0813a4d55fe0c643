package numpy

// Constants of NumPy's SeedSequence, after O'Neill's seed_seq_fe.
const (
	seqInitA = 0x43b0d7e5
	seqMultA = 0x931e8875
	seqInitB = 0x8b51f9dd
	seqMultB = 0x58f38ded
	seqMixL  = 0xca01f9dd
	seqMixR  = 0x4973f715
)

// seqHash scrambles words; its multiplier walks on with each word.
type seqHash struct{ constant, mult uint32 }

func (h *seqHash) mix(v uint32) uint32 {
	v ^= h.constant
	h.constant *= h.mult
	v *= h.constant
	return v ^ v>>16
}

// seedSequence spreads the entropy of a seed of at most four words over the four
// 64-bit words that PCG64 starts from.
func seedSequence(entropy []uint32) [4]uint64 {
	var pool [4]uint32
	in := seqHash{seqInitA, seqMultA}
	for i := range pool {
		var w uint32
		if i < len(entropy) {
			w = entropy[i]
		}
		pool[i] = in.mix(w)
	}
	for src := range pool {
		for dst := range pool {
			if src != dst {
				v := seqMixL*pool[dst] - seqMixR*in.mix(pool[src])
				pool[dst] = v ^ v>>16
			}
		}
	}
	out := seqHash{seqInitB, seqMultB}
	var state [4]uint64
	for i := range state {
		lo := out.mix(pool[2*i%4])
		hi := out.mix(pool[(2*i+1)%4])
		state[i] = uint64(hi)<<32 | uint64(lo)
	}
	return state
}
