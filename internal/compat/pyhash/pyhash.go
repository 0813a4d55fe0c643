// Package pyhash is Python's hash() of a text: SipHash-1-3 of its bytes, as CPython
// 3.11 and newer have it. The key follows from PYTHONHASHSEED; without that variable
// each process of Python draws its own.
package pyhash

import (
	"encoding/binary"
	"math/bits"
)

// Key is the salt of a process.
type Key struct{ k0, k1 uint64 }

// NewKey is the key of PYTHONHASHSEED=seed; 0 is no salt at all.
func NewKey(seed uint32) Key {
	if seed == 0 {
		return Key{}
	}
	var secret [16]byte
	x := seed
	for i := range secret {
		x = x*214013 + 2531011
		secret[i] = byte(x >> 16)
	}
	return Key{binary.LittleEndian.Uint64(secret[:]), binary.LittleEndian.Uint64(secret[8:])}
}

// String is hash(text) for a text of ASCII characters.
func (k Key) String(text string) int64 {
	if text == "" {
		return 0
	}
	h := int64(k.sip13(text))
	if h == -1 { // in C it means an error
		return -2
	}
	return h
}

type state [4]uint64

func (v *state) round() {
	v[0] += v[1]
	v[2] += v[3]
	v[1] = bits.RotateLeft64(v[1], 13) ^ v[0]
	v[3] = bits.RotateLeft64(v[3], 16) ^ v[2]
	v[0] = bits.RotateLeft64(v[0], 32)
	v[2] += v[1]
	v[0] += v[3]
	v[1] = bits.RotateLeft64(v[1], 17) ^ v[2]
	v[3] = bits.RotateLeft64(v[3], 21) ^ v[0]
	v[2] = bits.RotateLeft64(v[2], 32)
}

// sip13 is SipHash with one round per word and three at the end.
func (k Key) sip13(text string) uint64 {
	v := state{k.k0 ^ 0x736f6d6570736575, k.k1 ^ 0x646f72616e646f6d, k.k0 ^ 0x6c7967656e657261, k.k1 ^ 0x7465646279746573}
	word := func(m uint64) {
		v[3] ^= m
		v.round()
		v[0] ^= m
	}
	rest := text
	for ; len(rest) >= 8; rest = rest[8:] {
		word(binary.LittleEndian.Uint64([]byte(rest[:8])))
	}
	last := uint64(len(text)) << 56
	for i := range len(rest) {
		last |= uint64(rest[i]) << (8 * i)
	}
	word(last)
	v[2] ^= 0xff
	for range 3 {
		v.round()
	}
	return v[0] ^ v[1] ^ v[2] ^ v[3]
}
