package selftest

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/inferometer/inferometer/internal/journal"
)

const (
	zero  = int64(1_700_000_000_000_000_000)
	msNs  = int64(1e6)
	chunk = journal.EventChoices | journal.EventText
)

// write makes a journal and a truth file of these.
func write(t *testing.T, requests []journal.Request, truth string) (journalPath, truthPath string) {
	t.Helper()
	dir := t.TempDir()
	journalPath, truthPath = filepath.Join(dir, journal.FileName), filepath.Join(dir, "truth.jsonl")
	w, err := journal.Create(journalPath)
	if err != nil {
		t.Fatal(err)
	}
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	check(w.Run(&journal.Run{Schema: journal.Schema, StartUnixNs: zero, Clock: "kernel"}))
	for i := range requests {
		w.Append(journal.AppendRequest(nil, &requests[i]))
	}
	check(w.End(&journal.End{At: 1e9, Sent: len(requests), PeakInFlight: 2, Client: journal.Client{UserCPUNs: 3e8, SystemCPUNs: 2e8, MaxRSSBytes: 7}}))
	check(w.Close())
	check(os.WriteFile(truthPath, []byte(truth), 0o644))
	return journalPath, truthPath
}

// answered is a request sent at 100 ms: three token chunks and the usage.
func answered(id string) journal.Request {
	return journal.Request{
		ID: id, Sent: 100 * msNs, End: 200 * msNs, Outcome: journal.Complete, SharedReads: 1,
		Events: journal.Events{
			At: []int64{50 * msNs, 11 * msNs, 9 * msNs, 0}, Lag: []int64{1 * msNs, 2 * msNs, 3 * msNs, 4 * msNs},
			Kind: []journal.EventKind{chunk, chunk, chunk | journal.EventFinish, journal.EventUsage},
		},
	}
}

// truthOf has the request read 1 ms after it was sent, and events 10 ms apart.
func truthOf(id string) string {
	at := func(ms int64) int64 { return zero + ms*msNs }
	return fmt.Sprintf(`{"id":%q,"arrived":%d,"received":%d,"events":[%d,%d,%d,%d]}`+"\n", id, at(101), at(140), at(149), at(159), at(169), at(170))
}

func TestJoin(t *testing.T) {
	failed := journal.Request{ID: "c", Outcome: journal.Reset}
	warmup := answered("w")
	warmup.Warmup = true
	e, err := Join(write(t, []journal.Request{warmup, answered("a"), failed}, truthOf("w")+truthOf("a")))
	if err != nil {
		t.Fatal(err)
	}
	ms := func(v int64) time.Duration { return time.Duration(v * msNs) }
	// Ours: 150, 161, 170, 170. The truth: 149, 159, 169, 170.
	want := Errors{
		Stamps: "kernel", Requests: 1, Failed: 1, Events: 4, Shared: 1,
		At:    Spread{N: 4, Min: 0, Median: ms(1), P99: ms(2), P999: ms(2), Max: ms(2)},
		Alone: Spread{N: 3, Min: 0, Median: ms(1), P99: ms(2), P999: ms(2), Max: ms(2)}, // without the one before the gap of nothing
		User:  Spread{N: 4, Min: ms(2), Median: ms(4), P99: ms(4), P999: ms(4), Max: ms(4)},
		TTFT:  Spread{N: 1, Min: ms(2), Median: ms(2), P99: ms(2), P999: ms(2), Max: ms(2)}, // 50 ms for 48
		Gap:   Spread{N: 2, Min: ms(1), Median: ms(1), P99: ms(1), P999: ms(1), Max: ms(1)}, // 11 and 9 ms for 10
		Lag:   Spread{N: 4, Min: ms(1), Median: ms(2), P99: ms(4), P999: ms(4), Max: ms(4)},

		StreamRate: 100, PeakStreams: 2, CPU: 0.5, RSSBytes: 7,
	}
	if *e != want {
		t.Errorf("got\n%+v\nwant\n%+v", *e, want)
	}
}

// What can't be compared is an error, never a smaller sample.
func TestJoinRefuses(t *testing.T) {
	for name, c := range map[string]struct{ truth, want string }{
		"a request that the server doesn't know": {truthOf("b"), "not in the truth"},
		"another number of events":               {`{"id":"a","received":1,"events":[1,2]}`, "we saw 4 events, the server sent 2"},
		"a broken line":                          {truthOf("a") + "{", "read the truth"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Join(write(t, []journal.Request{answered("a")}, c.truth))
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got the error %v, want %q", err, c.want)
			}
		})
	}
}

func TestSpread(t *testing.T) {
	values := make([]int64, 200)
	for i := range values {
		values[i] = int64(200 - i)
	}
	if got, want := spreadOf(values), (Spread{N: 200, Min: 1, Median: 100, P99: 198, P999: 200, Max: 200}); got != want {
		t.Errorf("got %v, want %v", got, want)
	}
	if got, want := sizes([]int64{-5, 3}), (Spread{N: 2, Min: 3, Median: 3, P99: 5, P999: 5, Max: 5}); got != want {
		t.Errorf("without signs: got %v, want %v", got, want)
	}
	if got := spreadOf(nil); got != (Spread{}) {
		t.Errorf("of nothing: %v", got)
	}
}
