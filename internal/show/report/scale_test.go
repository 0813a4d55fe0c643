package report

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/judge/measure"
	"github.com/inferometer/inferometer/internal/testfiles"
)

// writeJournal makes the journal of a closed loop of n requests with 64 slots and
// tokens tokens each, one each 10 ms or so, in a new file.
func writeJournal(t testing.TB, n, tokens int) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), journal.FileName)
	w, err := journal.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	first := run()
	first.Options.NumPrompts, first.Options.MaxConcurrency = n, 64
	if err := w.Run(first); err != nil {
		t.Fatal(err)
	}
	var line []byte
	free := make([]int64, 64) // when each slot is free
	noise := uint64(1)
	for i := range n {
		slot := i % len(free)
		r := scaleRequest(i, free[slot], tokens, &noise)
		free[slot] = r.End
		line = journal.AppendRequest(line[:0], &r)
		w.Append(line)
	}
	last := end()
	last.Sent, last.PeakInFlight = n, len(free)
	if err := w.End(last); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

func scaleRequest(i int, sent int64, tokens int, noise *uint64) journal.Request {
	jitter := func(width uint64) int64 {
		*noise = *noise*6364136223846793005 + 1442695040888963407
		return int64(*noise >> 33 % width)
	}
	r := journal.Request{
		Index: i, ID: fmt.Sprintf("bench-8c1f-%d", i), Due: sent, Released: sent, Sent: sent + 1000, Headers: sent + 3*ms,
		Outcome: journal.Complete, Status: 200, ServerID: fmt.Sprintf("cmpl-%d", i), PromptTokens: 16, OutputTokens: tokens,
		UsagePrompt: 16, UsageOutput: tokens, FinishReason: "length",
	}
	at := int64(0)
	for k := range tokens + 1 {
		gap, kind := 10*ms+jitter(1<<20), text
		if k == tokens {
			gap, kind = 0, journal.EventUsage
		}
		at += gap
		r.Events.At = append(r.Events.At, gap)
		r.Events.Lag = append(r.Events.Lag, 50_000+jitter(1<<18))
		r.Events.Kind = append(r.Events.Kind, kind)
	}
	r.End = r.Sent + at + 100_000
	return r
}

// reportFile is what `inferometer report --format json` does with a journal.
func reportFile(path string, opt measure.Options, w io.Writer) error {
	j, err := journal.Open(path)
	if err != nil {
		return err
	}
	defer j.Close()
	r, err := measure.Measure(j, opt)
	if err != nil {
		return err
	}
	return JSON(w, r, Options{})
}

// BenchmarkReport is what a report costs for each event, all in all:
// go test -bench Report -run '^$' ./internal/show/report
func BenchmarkReport(b *testing.B) {
	for _, shape := range []struct{ requests, tokens int }{{2000, 128}, {50_000, 4}, {200_000, 4}} {
		b.Run(fmt.Sprintf("%dx%d", shape.requests, shape.tokens), func(b *testing.B) {
			path := writeJournal(b, shape.requests, shape.tokens)
			before := cpuTime()
			for b.Loop() {
				if err := reportFile(path, measure.Options{}, io.Discard); err != nil {
					b.Fatal(err)
				}
			}
			events := shape.requests * (shape.tokens + 1)
			b.ReportMetric(float64((cpuTime()-before).Nanoseconds())/float64(b.N*events), "cpu-ns/event")
		})
	}
}

// cpuTime is what this process has used, the garbage collector's threads included.
func cpuTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

const (
	journalVar  = "INFEROMETER_TEST_JOURNAL"
	limitVar    = "INFEROMETER_TEST_LIMIT"
	requestsVar = "INFEROMETER_TEST_REQUESTS"
)

// TestPeakOfOneReport is no test by itself: TestMemoryIsBounded runs it as a process
// of its own, because the peak of memory belongs to a process.
func TestPeakOfOneReport(t *testing.T) {
	path := os.Getenv(journalVar)
	if path == "" {
		t.Skip("only for TestMemoryIsBounded")
	}
	limit, err := strconv.Atoi(os.Getenv(limitVar))
	if err != nil {
		t.Fatal(err)
	}
	if err := reportFile(path, measure.Options{RowLimit: limit}, io.Discard); err != nil {
		t.Fatal(err)
	}
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Fatal(err)
	}
	_, after, _ := bytes.Cut(status, []byte("VmHWM:"))
	var kb int
	if _, err := fmt.Sscan(string(after), &kb); err != nil {
		t.Fatal(err)
	}
	fmt.Printf("peak %d kB\n", kb)
}

// peakKB is the peak of resident memory of a report: the least of three, as a garbage
// collector that gets no processor comes late.
func peakKB(t *testing.T, path string, limit int) int {
	t.Helper()
	return min(onePeakKB(t, path, limit), onePeakKB(t, path, limit), onePeakKB(t, path, limit))
}

func onePeakKB(t *testing.T, path string, limit int) int {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^TestPeakOfOneReport$", "-test.v")
	cmd.Env = append(os.Environ(), journalVar+"="+path, limitVar+"="+strconv.Itoa(limit), "GOGC=50") // less that nobody needs any more
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	_, after, found := bytes.Cut(out, []byte("peak "))
	var kb int
	if _, err := fmt.Sscan(string(after), &kb); !found || err != nil {
		t.Fatalf("no peak in %s", out)
	}
	t.Logf("CPU %v", cmd.ProcessState.UserTime()+cmd.ProcessState.SystemTime())
	return kb
}

// TestMemoryIsBounded: a report takes no more for many requests than for as many as
// are kept one by one. The true limit with a million requests takes half a minute:
// INFEROMETER_TEST_REQUESTS=1000000 go test -v -run MemoryIsBounded ./internal/show/report
func TestMemoryIsBounded(t *testing.T) {
	if _, err := os.Stat("/proc/self/status"); err != nil {
		t.Skip("needs /proc")
	}
	if testfiles.RaceDetector {
		t.Skip("the race detector's own memory would be measured: CI runs this test without it")
	}
	// Slots and histograms have a size of their own, which counts beside so few requests.
	few, many, fixed := 10_000, 100_000, 8<<10
	if n, err := strconv.Atoi(os.Getenv(requestsVar)); err == nil {
		few, many, fixed = measure.RowLimit, n, 0
	}
	before := peakKB(t, writeJournal(t, few, 4), few)
	after := peakKB(t, writeJournal(t, many, 4), few)
	t.Logf("peak of resident memory: %d MB for %d requests, %d MB for %d", before>>10, few, after>>10, many)
	if after > before*12/10+fixed {
		t.Errorf("%d kB for %d requests, %d kB for %d: more than 1.2 times", before, few, after, many)
	}
}
