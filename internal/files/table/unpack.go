package table

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/klauspost/compress/zstd"

	"github.com/inferometer/inferometer/internal/files/spool"
)

// unpacked gives f itself or, where it is packed, a file without a name that holds what
// it becomes: rows are read by their place. It closes f where it gives another.
func unpacked(f *os.File) (*os.File, error) {
	head := make([]byte, 4)
	n, _ := io.ReadFull(f, head)
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return f, err
	}
	var in io.Reader
	switch {
	case bytes.HasPrefix(head[:n], []byte{0x1f, 0x8b}):
		z, err := gzip.NewReader(bufio.NewReaderSize(f, 1<<20))
		if err != nil {
			return f, err
		}
		in = z
	case bytes.Equal(head[:n], []byte{0x28, 0xb5, 0x2f, 0xfd}):
		z, err := zstd.NewReader(f, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxRow))
		if err != nil {
			return f, err
		}
		defer z.Close()
		in = z
	default:
		return f, nil
	}
	return copied(f, in, maxUnpacked)
}

func copied(f *os.File, in io.Reader, most int64) (*os.File, error) {
	out, err := spool.NewTemporary()
	if err != nil {
		return f, err
	}
	n, err := io.Copy(out, io.LimitReader(in, most+1))
	switch {
	case errors.Is(err, spool.ErrNoRoom):
		err = fmt.Errorf("it is packed, and there is %w, or unpack it by hand (gzip -d, zstd -d)", err)
	case err != nil:
	case n > most:
		err = fmt.Errorf("unpacked it has more than %d MiB, and no more is put into the temporary folder: unpack it by hand (gzip -d, zstd -d) and name what comes of it", most>>20)
	default:
		_, err = out.File.Seek(0, io.SeekStart)
	}
	if err != nil {
		out.File.Close()
		return f, err
	}
	f.Close()
	return out.File, nil
}
