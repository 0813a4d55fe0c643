package fakerun

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/inferometer/inferometer/internal/journal"
)

// TestWrite: a journal that was written reads as it was. INFEROMETER_FAKE_RUN is a folder
// for a run of questions, which test/outputs keeps.
func TestWrite(t *testing.T) {
	folder := os.Getenv("INFEROMETER_FAKE_RUN")
	if folder == "" {
		folder = t.TempDir()
	}
	path := filepath.Join(folder, journal.FileName)
	if err := (&Journal{N: 40, Words: "one", Categories: 3}).Write(path); err != nil {
		t.Fatal(err)
	}
	j, err := journal.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	requests, answers := 0, 0
	j.OnAnswer(func(a *journal.Answer) {
		if a.Number != answers || len(a.Right) != 1 {
			t.Errorf("%+v", a)
		}
		answers++
	})
	for {
		if _, err := j.Next(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		requests++
	}
	if requests != 40 || answers != 40 || j.End() == nil || j.Run().Task.Asked != 41 {
		t.Errorf("%d requests, %d answers", requests, answers)
	}
}
