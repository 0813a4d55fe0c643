package spool

import (
	"errors"
	"os"
	"strings"
	"testing"
)

func TestRoom(t *testing.T) {
	for _, c := range []struct {
		size, free   uint64
		usable, keep uint64
	}{
		{100 << 30, 50 << 30, 49 << 30, 1 << 30},
		{100 << 30, 1 << 30, 0, 1 << 30},
		{100 << 30, 0, 0, 1 << 30},
		{1000 << 20, 500 << 20, 400 << 20, 100 << 20},
		{1000 << 20, 50 << 20, 0, 100 << 20},
	} {
		if usable, keep := room(c.size, c.free); usable != c.usable || keep != c.keep {
			t.Errorf("of %d with %d free: %d, %d kept", c.size, c.free, usable, keep)
		}
	}
	if usable, _ := room(0, 0); usable < 1<<40 {
		t.Errorf("a disk of unknown size has %d", usable)
	}
}

func TestTemporaryHasNoName(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	f, err := NewTemporary()
	if err != nil {
		t.Fatal(err)
	}
	defer f.File.Close()
	if _, err := f.Write([]byte("x")); err != nil {
		t.Fatal(err)
	}
	if left, _ := os.ReadDir(os.TempDir()); len(left) > 0 {
		t.Errorf("%v is left behind where the process is killed", left)
	}
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip("needs /dev/full")
	}
	defer full.Close()
	if _, err := (&Temporary{File: full, folder: "there"}).Write([]byte("x")); !errors.Is(err, ErrNoRoom) || !strings.Contains(err.Error(), "in there: its disk is full; name a folder") {
		t.Errorf("a full disk says %v", err)
	}
}
