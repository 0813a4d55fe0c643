package lock

import (
	"errors"
	"path/filepath"
	"testing"
)

func TestFolder(t *testing.T) {
	folder := t.TempDir()
	unlock, err := Folder(folder)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Folder(folder); !errors.Is(err, ErrHeld) {
		t.Errorf("locked twice: %v", err)
	}
	unlock()
	unlock, err = Folder(folder)
	if err != nil {
		t.Fatal(err)
	}
	unlock()
	if _, err := Folder(filepath.Join(folder, "absent")); err == nil || errors.Is(err, ErrHeld) {
		t.Errorf("what is not there: %v", err)
	}
}
