package spool

import (
	"errors"
	"fmt"
	"os"
	"syscall"

	"github.com/inferometer/inferometer/internal/errno"
)

// What is left free of the disk that temporary files lie on: others need it, too.
const (
	leftFree   = 1 << 30
	leftFreeOf = 10 // a tenth, where that is less
	lookEvery  = 8 << 20
)

// Temporary is a file without a name, which is gone when it is closed, or with the process, however
// that ends. What is written to it stops before the disk is full.
type Temporary struct {
	File   *os.File
	folder string
	sure   int // bytes that can be written before the disk is looked at again
}

// NewTemporary makes a file in the temporary folder.
func NewTemporary() (*Temporary, error) {
	t := &Temporary{folder: os.TempDir()}
	var err error
	if t.File, err = createNameless(t.folder); err != nil {
		return nil, err
	}
	return t, nil
}

func (t *Temporary) Write(p []byte) (int, error) {
	if t.sure < len(p) {
		step := max(lookEvery, len(p))
		if size, free, err := disk(t.File); err == nil {
			if free, keep := room(size, free); free < uint64(step) {
				return 0, t.full(fmt.Sprintf("of its disk %d MiB are left free", keep>>20))
			}
		} // a disk that does not say how full it is says so when it is
		t.sure = step
	}
	n, err := t.File.Write(p)
	t.sure -= n
	if errno.Is(err, syscall.ENOSPC, syscall.EDQUOT) {
		err = t.full("its disk is full")
	}
	return n, err
}

// room is what of a disk's free bytes can be used, and what is kept. One that does not know its size is not judged.
func room(size, free uint64) (usable, keep uint64) {
	if size == 0 {
		return lookEvery << 32, 0
	}
	keep = min(leftFree, size/leftFreeOf)
	return free - min(free, keep), keep
}

// ErrNoRoom says that the temporary folder has no room.
var ErrNoRoom = errors.New("no room for a temporary file")

func (t *Temporary) full(why string) error {
	return fmt.Errorf("%w in %s: %s; name a folder with more by %s", ErrNoRoom, t.folder, why, byVariable)
}
