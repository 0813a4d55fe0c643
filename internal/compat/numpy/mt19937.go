package numpy

// The Mersenne Twister of Matsumoto and Nishimura with 32-bit words.
const (
	mtWords  = 624
	mtShift  = 397
	mtMatrix = 0x9908b0df
	mtUpper  = 0x80000000
	mtLower  = 0x7fffffff
)

type mt19937 struct {
	state [mtWords]uint32
	next  int // index of the next word; mtWords when all are used
}

// seedWord is the reference init_genrand: NumPy seeds a plain integer so.
func (m *mt19937) seedWord(seed uint32) {
	m.state[0] = seed
	for i := 1; i < mtWords; i++ {
		prev := m.state[i-1]
		m.state[i] = 1812433253*(prev^prev>>30) + uint32(i)
	}
	m.next = mtWords
}

// seedWords is the reference init_by_array: Python seeds every integer so.
func (m *mt19937) seedWords(key []uint32) {
	m.seedWord(19650218)
	s := &m.state
	i, j := 1, 0
	advance := func() {
		if i++; i >= mtWords {
			s[0] = s[mtWords-1]
			i = 1
		}
	}
	for range max(mtWords, len(key)) {
		s[i] = (s[i] ^ (s[i-1]^s[i-1]>>30)*1664525) + key[j] + uint32(j)
		advance()
		if j++; j >= len(key) {
			j = 0
		}
	}
	for range mtWords - 1 {
		s[i] = (s[i] ^ (s[i-1]^s[i-1]>>30)*1566083941) - uint32(i)
		advance()
	}
	s[0] = mtUpper
}

// nextUint32 gives the next 32 bits.
func (m *mt19937) nextUint32() uint32 {
	if m.next == mtWords {
		m.refill()
	}
	y := m.state[m.next]
	m.next++
	y ^= y >> 11
	y ^= y << 7 & 0x9d2c5680
	y ^= y << 15 & 0xefc60000
	return y ^ y>>18
}

func (m *mt19937) refill() {
	s := &m.state
	for i := range s {
		y := s[i]&mtUpper | s[(i+1)%mtWords]&mtLower
		v := s[(i+mtShift)%mtWords] ^ y>>1
		if y&1 != 0 {
			v ^= mtMatrix
		}
		s[i] = v
	}
	m.next = 0
}

// nextFloat64 gives the next double in [0, 1) with 53 random bits.
func (m *mt19937) nextFloat64() float64 {
	hi, lo := m.nextUint32()>>5, m.nextUint32()>>6
	return (float64(hi)*(1<<26) + float64(lo)) / (1 << 53)
}

// words splits a seed into 32-bit words, lowest first; zero is one word.
func words(seed uint64) []uint32 {
	if seed>>32 == 0 {
		return []uint32{uint32(seed)}
	}
	return []uint32{uint32(seed), uint32(seed >> 32)}
}
