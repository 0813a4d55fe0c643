package journal

import (
	"errors"
	"io"
	"path/filepath"
	"testing"
)

func TestSnapshot(t *testing.T) {
	w, err := Create(filepath.Join(t.TempDir(), FileName))
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Run(&Run{Schema: Schema}); err != nil {
		t.Fatal(err)
	}
	for i := range 3 {
		if err := w.Answer(&Answer{Index: i, Outcome: Complete}); err != nil {
			t.Fatal(err)
		}
		r, err := w.Snapshot()
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Checked(&Checked{Index: i, Passed: true}); err != nil { // while it is read
			t.Fatal(err)
		}
		answers, checked := 0, 0
		r.OnAnswer(func(*Answer) { answers++ })
		r.OnChecked(func(*Checked) { checked++ })
		if _, err := r.Next(); !errors.Is(err, io.EOF) || r.Damage() != nil || answers != i+1 || checked != i {
			t.Errorf("after %d: %d answers, %d checked, %v, %v", i, answers, checked, err, r.Damage())
		}
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	r, err := w.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	_ = r.Close()
}
