package journal

import (
	"bytes"
	"encoding/json"
	"io"

	"github.com/klauspost/compress/zstd"
)

// A journal's last frame holds its end line and nothing else (see Writer.finish). It is
// looked for in this many bytes, at this many places, and unpacks to no more than this.
const (
	endWithin = 64 << 10
	endPlaces = 8
	endLength = 1 << 20
)

// frameMagic begins a frame. It may also stand inside of one.
var frameMagic = []byte{0x28, 0xb5, 0x2f, 0xfd}

// Announced is how many measured requests the end line says that the journal has; 0 where
// that is not known before they are read. It is a hint, for memory: a damaged file may
// hold fewer.
func (r *Reader) Announced() int { return r.announced }

// announced reads the end line of a file ahead of all others.
func announced(f io.ReaderAt, size int64) int {
	tail := make([]byte, min(size, endWithin))
	if n, _ := f.ReadAt(tail, size-int64(len(tail))); n < len(tail) {
		return 0
	}
	dec, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxMemory(endLength))
	if err != nil {
		return 0
	}
	defer dec.Close()
	before := tail
	for range endPlaces {
		at := bytes.LastIndex(before, frameMagic)
		if at < 0 {
			return 0
		}
		before = tail[:at]
		b, err := dec.DecodeAll(tail[at:], nil)
		if err != nil {
			continue
		}
		var line Line
		if json.Unmarshal(b, &line) != nil || line.End == nil || line.End.check() != nil {
			return 0
		}
		return max(line.End.Sent-line.End.Unwritten, 0)
	}
	return 0
}
