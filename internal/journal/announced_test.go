package journal

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// ended is a journal of some requests whose end speaks of as many.
func ended(t testing.TB, requests, unwritten int) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), FileName)
	w, err := Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Run(&Run{Schema: Schema}); err != nil {
		t.Fatal(err)
	}
	for i := range requests {
		w.Append(AppendRequest(nil, &Request{Index: i, Outcome: Complete}))
	}
	w.disk.lost = unwritten
	if err := w.End(&End{Sent: requests}); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

func announcedBy(t *testing.T, path string) int {
	t.Helper()
	r, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	return r.Announced()
}

func TestTheEndIsReadAhead(t *testing.T) {
	path := ended(t, 5000, 0)
	if n := announcedBy(t, path); n != 5000 {
		t.Errorf("%d requests are announced", n)
	}
	if n := announcedBy(t, ended(t, 50, 8)); n != 42 {
		t.Errorf("%d of 50 are announced where 8 could not be written", n)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	last := bytes.LastIndex(b, frameMagic)
	for _, size := range []int{last, last + 3, len(b) - 1} { // killed, at its end
		if err := os.WriteFile(path, b[:size], 0o666); err != nil {
			t.Fatal(err)
		}
		if n := announcedBy(t, path); n != 0 {
			t.Errorf("%d bytes of %d announce %d requests", size, len(b), n)
		}
	}
}

// Whatever stands at the end of a file, it is read in bounded time and memory.
func FuzzAnnounced(f *testing.F) {
	b, err := os.ReadFile(ended(f, 20, 0))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(b)
	f.Add(b[:len(b)-1])
	f.Add(bytes.Repeat(frameMagic, 100))
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, b []byte) {
		if n := announced(bytes.NewReader(b), int64(len(b))); n < 0 || n > maxIndex {
			t.Errorf("%d requests are announced", n)
		}
	})
}
