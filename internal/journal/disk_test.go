package journal

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// fullDisk is a file on a disk with so much room.
type fullDisk struct {
	*os.File
	room atomic.Int64
}

func (f *fullDisk) Write(b []byte) (int, error) {
	at, err := f.Seek(0, io.SeekCurrent)
	if err != nil {
		return 0, err
	}
	if n := max(0, f.room.Load()-at); int64(len(b)) > n {
		n, _ := f.File.Write(b[:n]) // as much as there is room for, as a disk does
		return n, syscall.ENOSPC
	}
	return f.File.Write(b)
}

// onFullDisk is a journal on a disk with so much room, of which so much may wait.
func onFullDisk(t *testing.T, room int64, most int, trouble func(error)) (*Writer, *fullDisk, string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), FileName)
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	full := &fullDisk{File: f}
	full.room.Store(room)
	w, err := Config{Trouble: trouble}.writer(full, path)
	if err != nil {
		t.Fatal(err)
	}
	w.disk.limit = most // nothing was flushed yet
	if err := w.Run(&Run{Schema: Schema}); err != nil {
		t.Fatal(err)
	}
	return w, full, path
}

func appendOne(w *Writer, i int) {
	r := examples[1]
	r.Index = i
	w.Append(AppendRequest(nil, &r))
	w.flushNow()
}

func readJournal(r *Reader, err error) (requests []int, end *End, _ error) {
	if err != nil {
		return nil, nil, err
	}
	defer r.Close()
	for {
		q, err := r.Next()
		if err != nil {
			return requests, r.End(), r.Damage()
		}
		requests = append(requests, q.Index)
	}
}

func TestDiskFull(t *testing.T) {
	const n = 6
	var all []int
	for i := range n {
		all = append(all, i)
	}
	_, sizes := write(t, n, false)
	for room := sizes[0]; room < sizes[n-2]; room += 7 {
		var told []error
		w, _, path := onFullDisk(t, room, maxWaiting, func(err error) { told = append(told, err) })
		for i := range n {
			appendOne(w, i)
		}
		_ = w.End(&End{Sent: n})
		if err := w.Close(); !errors.Is(err, syscall.ENOSPC) {
			t.Fatalf("room for %d: Close gave %v", room, err)
		}
		if len(told) != 1 || !errors.Is(told[0], syscall.ENOSPC) {
			t.Fatalf("room for %d: told %v", room, told)
		}
		got, end, damage := readJournal(w.Reopen())
		if diff := cmp.Diff(all, got); diff != "" || damage != nil || end == nil || end.Unwritten != 0 || w.Lost() != 0 {
			t.Fatalf("room for %d: from memory %v, %v, end %+v", room, got, damage, end)
		}
		got, end, damage = readJournal(Open(path))
		if damage != nil || (end != nil && end.Unwritten != n-len(got)) {
			t.Fatalf("room for %d: the file has %v, %v, end %+v", room, got, damage, end)
		}
		if end == nil && len(got) > 1 { // the first frame never gives way, and then no end may fit
			t.Fatalf("room for %d: the file has %v and looks killed", room, got)
		}
	}
}

// TestDiskFullAndFreed: who makes room during the run has the whole journal.
func TestDiskFullAndFreed(t *testing.T) {
	_, sizes := write(t, 4, false)
	var told []error
	w, disk, path := onFullDisk(t, sizes[1]+3, maxWaiting, func(err error) { told = append(told, err) })
	for i := range 5 {
		if i == 3 {
			disk.room.Store(1 << 20) // the flusher is idle: appendOne has waited for it
		}
		appendOne(w, i)
	}
	_ = w.End(&End{})
	if err := w.Close(); err != nil {
		t.Error(err)
	}
	if len(told) != 2 || told[0] == nil || told[1] != nil {
		t.Errorf("told %v", told)
	}
	if got, end, damage := readJournal(Open(path)); len(got) != 5 || end == nil || end.Unwritten != 0 || damage != nil {
		t.Errorf("%v, %+v, %v", got, end, damage)
	}
}

// TestDiskFullForLong: memory is bounded, and what is lost is counted.
func TestDiskFullForLong(t *testing.T) {
	_, sizes := write(t, 4, false)
	frame := int(sizes[3] - sizes[2])
	w, _, _ := onFullDisk(t, sizes[0], 2*frame+frame/2, nil)
	for i := range 9 {
		appendOne(w, i)
	}
	_ = w.End(&End{Sent: 9})
	if w.Close() == nil {
		t.Error("no error")
	}
	got, end, _ := readJournal(w.Reopen())
	if diff := cmp.Diff([]int{0, 1, 2}, got); diff != "" || end == nil || end.Unwritten != 6 || w.Lost() != 6 {
		t.Errorf("%v, %+v, %d lost", got, end, w.Lost())
	}
}
