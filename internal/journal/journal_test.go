package journal

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func text(s string) *string { return &s }

var examples = []Request{
	{Outcome: Refused, Error: "dial tcp 127.0.0.1:1: connection refused"},
	{
		Index: 7, ID: "bench-7", Due: 5, Released: 6, Sent: 10, Headers: 20, End: 99, Outcome: Complete, Status: 200,
		ServerID: "cmpl-1", NewConn: true, Reconnects: 1, Retransmits: -1, Reordered: 2, RTT: 90_000, Sample: true, PromptTokens: 3, OutputTokens: 4,
		UsagePrompt: 3, UsageOutput: 4, UsageCached: 2, UsageReasoning: 3, ReasoningKnown: true, ServerPromptNs: 5, ServerOutputNs: 6, FinishReason: "length", SharedReads: 1, UnstampedRead: 2,
		Events: Events{
			At: []int64{10, 5, 0}, Lag: []int64{3, 4, 5}, Tokens: []int{1, 2, -1}, TokensBy: "usage",
			Kind: []EventKind{EventChoices | EventText, EventChoices, EventUsage},
			Size: []int{12, 0, 0},
		},
		PromptHash: "00000000000000ff", TextHash: "ff00000000000000",
		Prompt: text("why?"), Text: text("a \"quote\", a\nline and ünïcode"),
	},
	{Index: 8, Warmup: true, Target: 3, Cut: true, Due: -5, Sent: -4, End: -1, Outcome: Protocol, TextTokens: 9, Error: "bad \x00 byte"},
	{Index: 9, Conversation: 2, Turn: 3, Model: "sql", After: []int{4, 5}, Delay: 1, Due: 5, Sent: 5, End: 6, Outcome: Timeout},
}

func TestAppendRequestIsWhatEncodingJSONReads(t *testing.T) {
	for _, want := range examples {
		line := AppendRequest(nil, &want)
		var got Line
		if err := json.Unmarshal(line, &got); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		if diff := cmp.Diff(&want, got.Request); diff != "" {
			t.Errorf("round trip (-want +got):\n%s", diff)
		}
		std, err := json.Marshal(Line{Request: &want})
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(append(std, '\n'), line) {
			t.Errorf("not what encoding/json writes:\n got %s\nwant %s", line, std)
		}
	}
}

func TestAppendRequestAllocatesNothing(t *testing.T) {
	r := examples[1]
	r.Prompt, r.Text = nil, nil
	buf := make([]byte, 0, 4096)
	if n := testing.AllocsPerRun(100, func() { buf = AppendRequest(buf[:0], &r) }); n != 0 {
		t.Errorf("%v allocations a line, want 0", n)
	}
}

// write makes a journal of n requests, and returns its bytes with the size of
// the file after each request had been flushed.
func write(t *testing.T, n int, end bool) ([]byte, []int64) {
	t.Helper()
	path := filepath.Join(t.TempDir(), FileName)
	w, err := Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Run(&Run{Schema: Schema, Version: "test"}); err != nil {
		t.Fatal(err)
	}
	var sizes []int64
	for i := range n {
		r := examples[1]
		r.Index = i
		w.Append(AppendRequest(nil, &r))
		w.flushNow()
		st, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		sizes = append(sizes, st.Size())
	}
	if end {
		if err := w.End(&End{Sent: n}); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Errorf("second Close: %v", err)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b, sizes
}

// flushNow makes the flusher run and waits for it, as the second's tick would.
func (w *Writer) flushNow() {
	for {
		w.asks.full <- struct{}{}
		w.mu.Lock()
		empty := len(w.pending) == 0
		w.mu.Unlock()
		if empty {
			w.asks.full <- struct{}{} // taken only after the flush before it has ended
			w.asks.full <- struct{}{}
			return
		}
	}
}

func readAll(b []byte) (requests []int, end *End, damage, err error) {
	r, err := NewReader(bytes.NewReader(b))
	if err != nil {
		return nil, nil, nil, err
	}
	defer r.Close()
	for {
		q, err := r.Next()
		if err != nil {
			if !errors.Is(err, io.EOF) {
				return requests, nil, nil, err
			}
			return requests, r.End(), r.Damage(), nil
		}
		requests = append(requests, q.Index)
	}
}

func TestReadBack(t *testing.T) {
	b, _ := write(t, 5, true)
	got, end, damage, err := readAll(b)
	if err != nil || damage != nil {
		t.Fatal(err, damage)
	}
	if diff := cmp.Diff([]int{0, 1, 2, 3, 4}, got); diff != "" {
		t.Error(diff)
	}
	if end == nil || end.Sent != 5 {
		t.Errorf("end = %+v", end)
	}
}

// A writer that is killed leaves a file cut at any byte: every request flushed
// before that byte is read, and nothing that was never written.
func TestReadableAfterAKillAtAnyByte(t *testing.T) {
	b, sizes := write(t, 6, false)
	for cut := range len(b) + 1 {
		flushed := 0
		for flushed < len(sizes) && sizes[flushed] <= int64(cut) {
			flushed++
		}
		got, end, _, err := readAll(b[:cut])
		if err != nil {
			if flushed > 0 {
				t.Fatalf("cut at %d of %d: %v, but %d requests had been flushed", cut, len(b), err, flushed)
			}
			continue
		}
		if end != nil {
			t.Fatalf("cut at %d: an end line out of nowhere", cut)
		}
		if len(got) < flushed {
			t.Fatalf("cut at %d of %d: %d requests, want at least the %d that were flushed", cut, len(b), len(got), flushed)
		}
		for i, index := range got {
			if index != i {
				t.Fatalf("cut at %d: request %d reads as %d", cut, i, index)
			}
		}
	}
}

func TestReaderReusesItsRequest(t *testing.T) {
	path := filepath.Join(t.TempDir(), FileName)
	w, err := Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Run(&Run{Schema: Schema, Targets: make([]Target, 4)}); err != nil {
		t.Fatal(err)
	}
	for i := range examples {
		w.Append(AppendRequest(nil, &examples[i]))
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	r, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	for _, want := range examples {
		want.clean()
		got, err := r.Next()
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(&want, got, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("a column of the request before is left over (-want +got):\n%s", diff)
		}
	}
}

func TestNotAJournal(t *testing.T) {
	newer := filepath.Join(t.TempDir(), "newer")
	w, err := Create(newer)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(w.Run(&Run{Schema: Schema + 1}), w.Close()); err != nil {
		t.Fatal(err)
	}
	plain := filepath.Join(t.TempDir(), "plain")
	if err := os.WriteFile(plain, []byte("hello"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{newer, plain, filepath.Join(t.TempDir(), "absent")} {
		if _, err := Open(path); err == nil {
			t.Errorf("Open(%s) gave no error", filepath.Base(path))
		}
	}
}

func TestPruneKeepsTheNewestAndWhatIsNotOurs(t *testing.T) {
	root := t.TempDir()
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	var runs []string
	for i := range 5 {
		dir, err := NewFolder(root, now.Add(time.Duration(i/2)*time.Second)) // two in the same second
		if err != nil {
			t.Fatal(err)
		}
		if i == 2 { // a command of several runs
			dir := filepath.Join(dir, "pp512")
			if err := os.Mkdir(dir, 0o755); err != nil {
				t.Fatal(err)
			}
			touch(t, filepath.Join(dir, FileName))
		} else {
			touch(t, filepath.Join(dir, FileName))
		}
		if i == 1 { // a fleet's, with the journals of its agents
			if err := os.MkdirAll(filepath.Join(dir, "agents", "a1"), 0o755); err != nil {
				t.Fatal(err)
			}
			touch(t, filepath.Join(dir, FleetName))
			touch(t, filepath.Join(dir, "agents", "a1", FileName))
		}
		runs = append(runs, dir)
	}
	notOurs := filepath.Join(root, "00-notes")
	mixed := runs[0]
	if err := os.Mkdir(notOurs, 0o755); err != nil {
		t.Fatal(err)
	}
	touch(t, filepath.Join(mixed, "my-notes.md"))
	if err := Prune(root, 2); err != nil {
		t.Fatal(err)
	}
	want := map[string]bool{notOurs: true, mixed: true, runs[1]: false, runs[2]: false, runs[3]: true, runs[4]: true}
	for path, kept := range want {
		if _, err := os.Stat(path); (err == nil) != kept {
			t.Errorf("%s: kept %v, want %v", filepath.Base(path), err == nil, kept)
		}
	}
}

// TestPruneSparesRunsInProgress: a run may take longer than many that began after it.
func TestPruneSparesRunsInProgress(t *testing.T) {
	root := t.TempDir()
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	var runs []string
	for range 12 { // more than nine in one second: 10 comes after 9
		dir, err := NewFolder(root, now)
		if err != nil {
			t.Fatal(err)
		}
		if info, err := os.Stat(dir); err != nil || info.Mode().Perm() != 0o700 {
			t.Errorf("%v, %v", info.Mode(), err)
		}
		touch(t, filepath.Join(dir, FileName))
		runs = append(runs, dir)
	}
	done := InProgress(runs[1])
	if err := Prune(root, 2); err != nil {
		t.Fatal(err)
	}
	left := func() (left []int) {
		for i, run := range runs {
			if _, err := os.Stat(run); err == nil {
				left = append(left, i)
			}
		}
		return left
	}
	if diff := cmp.Diff([]int{1, 10, 11}, left()); diff != "" {
		t.Errorf("(-want +left):\n%s", diff)
	}
	done()
	if err := Prune(root, 2); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]int{10, 11}, left()); diff != "" {
		t.Errorf("(-want +left):\n%s", diff)
	}
}

func touch(t *testing.T, path string) {
	t.Helper()
	if err := os.WriteFile(path, nil, 0o644); err != nil {
		t.Fatal(err)
	}
}

func FuzzReader(f *testing.F) {
	f.Add([]byte("hello"))
	f.Add([]byte{0x28, 0xb5, 0x2f, 0xfd})
	f.Fuzz(func(t *testing.T, b []byte) {
		_, _, _, _ = readAll(b) // must neither panic nor hang
	})
}

func BenchmarkAppendRequest(b *testing.B) {
	r := examples[1]
	r.Prompt, r.Text = nil, nil
	r.Events = Events{}
	for range 128 {
		r.Events.At = append(r.Events.At, 10_000_123)
		r.Events.Lag = append(r.Events.Lag, 201_234)
		r.Events.Kind = append(r.Events.Kind, EventChoices|EventText)
	}
	var buf []byte
	for b.Loop() {
		buf = AppendRequest(buf[:0], &r)
	}
	b.ReportMetric(float64(len(buf)), "bytes/line")
}
