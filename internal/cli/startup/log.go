package startup

import (
	"io"
	"os"
)

// maxLog is how much of the log of one start is read.
const maxLog = 8 << 20

func fileSize(path string) int64 {
	info, err := os.Stat(path)
	if err != nil {
		return 0
	}
	return info.Size()
}

// readFrom is what was written behind a place; nothing where it can't be read: the log only adds to what was measured.
func readFrom(path string, at int64) []byte {
	f, err := os.Open(path)
	if err != nil {
		return nil
	}
	defer f.Close()
	b, _ := io.ReadAll(io.NewSectionReader(f, at, maxLog))
	return b
}
