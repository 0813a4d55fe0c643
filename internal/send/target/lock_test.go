package target

import (
	"path/filepath"
	"testing"
)

// Two runs in one folder would spoil each other.
func TestLock(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "out")
	unlock, err := Lock(folder, "lock")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Lock(folder, "lock"); err == nil {
		t.Error("locked twice")
	}
	unlock()
	unlock, err = Lock(folder, "lock")
	if err != nil {
		t.Fatal(err)
	}
	unlock()
}
