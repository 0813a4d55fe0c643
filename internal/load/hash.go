package load

import "hash/fnv"

const hexDigits = "0123456789abcdef"

// hash64 is FNV-1a in hex: enough to find repetitions among millions of texts.
func hash64[T string | []byte](text T) string {
	h := fnv.New64a()
	_, _ = h.Write([]byte(text)) // never fails
	sum := h.Sum64()
	var out [16]byte
	for i := range out {
		out[15-i] = hexDigits[sum&15]
		sum >>= 4
	}
	return string(out[:])
}

// textHash is empty for no text: nothing equals nothing.
func textHash(text []byte) string {
	if len(text) == 0 {
		return ""
	}
	return hash64(text)
}
