package load

import "testing"

// BenchmarkHash is what the hash of a prompt of 256 k tokens costs.
func BenchmarkHash(b *testing.B) {
	text := make([]byte, 1<<20)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		hash64(text)
	}
}
