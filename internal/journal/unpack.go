package journal

import (
	"fmt"
	"io"
)

// A small file can unpack to any size. Ours shrink to a tenth, with texts that repeat
// to a hundredth; what unpacks to far more is no journal.
const (
	maxFree  = 64 << 20 // bytes that may come out of any file
	maxRatio = 500      // beyond those, for each byte of the file
)

// counted counts the bytes that are read.
type counted struct {
	src io.Reader
	n   int64
}

func (c *counted) Read(b []byte) (int, error) {
	n, err := c.src.Read(b)
	c.n += int64(n)
	return n, err
}

// unpacked reads what a decoder makes of a file, up to a size in proportion to it.
type unpacked struct {
	counted
	packed *counted
}

func (u *unpacked) Read(b []byte) (int, error) {
	n, err := u.counted.Read(b)
	if err == nil && u.n > maxFree+maxRatio*u.packed.n {
		return 0, fmt.Errorf("%d bytes unpack to more than %d, which no journal does", u.packed.n, u.n)
	}
	return n, err
}
