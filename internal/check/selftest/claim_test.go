package selftest

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/inferometer/inferometer/internal/journal"
)

const tick = 10 * time.Millisecond

// good is what a client that keeps up shows at a load.
func good(l Load) *Errors {
	return &Errors{
		Requests: l.Requests(), PeakStreams: l.Streams, StreamRate: 1 / l.ITL.Seconds(),
		TTFT: Spread{P99: time.Millisecond, P999: 2 * time.Millisecond}, Gap: Spread{P99: time.Millisecond / 10, P999: time.Millisecond / 5},
	}
}

func TestLoad(t *testing.T) {
	l := Load{Streams: 200, ITL: tick, Tokens: 50, Hold: time.Second}
	if got := l.TokensPerS(); got != 20_000 {
		t.Errorf("%v tokens a second, want 20000", got)
	}
	if got := l.RequestsPerS(); got != 400 { // each is open for half a second
		t.Errorf("%v requests a second, want 400", got)
	}
	if got := l.Requests(); got != 600 {
		t.Errorf("%v requests, want 600", got)
	}
}

// The quick ladder ends within its 20 seconds, if it goes to its end.
func TestQuickIsQuick(t *testing.T) {
	sum := time.Duration(0)
	for _, ladder := range Quick(0) {
		for _, l := range ladder {
			sum += time.Duration(l.Rounds) * l.Takes()
		}
	}
	if sum > 18*time.Second {
		t.Errorf("it takes %v", sum)
	}
}

func TestMaxStreamsIsTheHighestStep(t *testing.T) {
	for _, c := range []struct {
		most int
		want []int
	}{
		{0, []int{10, 50, 200, 500, 1000}},
		{50, []int{10, 50}},
		{60, []int{10, 50, 60}},
		{3, []int{3}},
		{5000, []int{10, 50, 200, 500, 1000}},
	} {
		var got []int
		for _, l := range Quick(c.most)[0] {
			got = append(got, l.Streams)
		}
		if !reflect.DeepEqual(got, c.want) {
			t.Errorf("--max-streams %d: %v, want %v", c.most, got, c.want)
		}
	}
}

func TestRoundFails(t *testing.T) {
	l := Load{Streams: 100, ITL: tick, Tokens: 50}
	for name, c := range map[string]struct {
		change func(*Errors)
		want   string
	}{
		"none":         {func(*Errors) {}, ""},
		"a request":    {func(e *Errors) { e.Failed = 1 }, "1 of 101 requests failed"},
		"a slow sim":   {func(e *Errors) { e.StreamRate = 79 }, "7900 tok/s came, of 10000"},
		"a late send":  {func(e *Errors) { e.PeakStreams = 70 }, "7000 tok/s came, of 10000"},
		"more streams": {func(e *Errors) { e.PeakStreams = 120 }, ""}, // answers overlap a little
		"TTFT":         {func(e *Errors) { e.TTFT.P99 = 11 * time.Millisecond }, "TTFT is off by 11.0 ms, more than 10"},
		"gaps":         {func(e *Errors) { e.Gap.P99 = 2 * time.Millisecond }, "inter-token times are off by 2.00 ms, more than 1"},
	} {
		t.Run(name, func(t *testing.T) {
			e := good(l)
			e.Requests = 100
			c.change(e)
			if got := l.Round(e).Fails; got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

// One bad round of three is the machine's; two are the client's.
func TestStepFailsIfMostRoundsDo(t *testing.T) {
	bad := Round{Fails: "late"}
	for _, c := range []struct {
		rounds []Round
		want   string
	}{
		{[]Round{{}, {}, {}}, ""},
		{[]Round{{}, bad, {}}, ""},
		{[]Round{bad, {}}, ""},
		{[]Round{bad, {}, bad}, "late"},
		{[]Round{bad}, "late"},
	} {
		if got := (Load{ITL: tick}).Step(c.rounds).Fails; got != c.want {
			t.Errorf("%v: got %q, want %q", c.rounds, got, c.want)
		}
	}
}

func step(streams int, rate, ttft, itl float64, fails string) Step {
	return Step{Streams: streams, Asked: rate, Fails: fails, Rounds: []Round{{}, {TTFTP999: ttft, ITLP999: itl, TokensPerS: 0.96 * rate}, {TTFTP999: ttft / 2}}}
}

func TestPoints(t *testing.T) {
	got := Points([]Step{
		step(10, 1000, 1.31, 0.001, ""),
		step(50, 5000, 0.9, 0.2, ""),    // no narrower than the smaller load
		step(100, 10_000, 0.9, 0.2, ""), // holds, but the next one does not: too close to the edge
		step(200, 20_000, 50, 9, "late"),
		step(10, 5000, 4, 0.1, ""),   // few quick streams
		step(500, 5000, 12.4, 1, ""), // many slow ones: all smaller loads
	})
	want := []journal.ProvenPoint{
		{Streams: 10, TokensPerS: 1000, TTFTMS: 5, ITLMS: 0.05}, // never better than a time slice
		{Streams: 50, TokensPerS: 5000, TTFTMS: 12, ITLMS: 0.6},
		{Streams: 10, TokensPerS: 5000, TTFTMS: 12, ITLMS: 0.3},
		{Streams: 500, TokensPerS: 5000, TTFTMS: 38, ITLMS: 3},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got\n%v\nwant\n%v", got, want)
	}
}

// What did not come is not claimed.
func TestRateIsWhatCame(t *testing.T) {
	for came, want := range map[float64]float64{20_100: 20_000, 19_000: 20_000, 18_999: 18_000, 17_321: 17_000} {
		s := Step{Asked: 20_000, Rounds: []Round{{TokensPerS: came / 2}, {TokensPerS: came}}}
		if got := s.rate(); got != want {
			t.Errorf("%v of 20000 came: %v is claimed, want %v", came, got, want)
		}
	}
}

func TestConclude(t *testing.T) {
	r := Result{Steps: []Step{
		step(10, 1000, 1, 0.1, ""), step(200, 20_000, 2, 0.2, ""), step(500, 50_000, 2, 0.2, ""), step(1000, 100_000, 2, 0.2, "late"), step(900, 9000, 1, 1, ""),
	}}
	r.Conclude(4)
	// The same as a later run is told: 500 holds, but is too close to the edge to be claimed.
	want := "on this machine, up to 200 streams at 20,000 tok/s, TTFT is right to ±6 ms and inter-token times to ±0.6 ms (p99)"
	if r.Sentence != want || r.Claim == nil || r.Claim.Streams != 200 || r.Busy != "" {
		t.Errorf("got %q and %v\nwant %q", r.Sentence, r.Claim, want)
	}
	if !slices.Contains(r.Points, *r.Claim) {
		t.Errorf("the claim %v is not among what later runs are told: %v", *r.Claim, r.Points)
	}
	none := Result{Steps: []Step{step(10, 1000, 1, 0.1, "late")}}
	none.Conclude(1)
	if none.Claim != nil || !strings.Contains(none.Sentence, "nothing could be proven") {
		t.Errorf("got %q and %v", none.Sentence, none.Claim)
	}
}

// What was proven while others had the machine is marked, in the sentence and for later runs.
func TestBusy(t *testing.T) {
	quiet, loud := 0.02, 0.45
	for name, c := range map[string]struct {
		others *float64
		fails  string
		want   string
	}{
		"quiet":     {&quiet, "", ""},
		"not told":  {nil, "", ""},
		"others":    {&loud, "", "other programs used 45 % of its processors"},
		"disturbed": {nil, "late", "1 of 6 rounds were beyond the limits at loads that the client can take"},
	} {
		t.Run(name, func(t *testing.T) {
			r := Result{OthersCPU: c.others, Steps: []Step{step(10, 1000, 1, 0.1, ""), step(50, 5000, 1, 0.1, "")}}
			r.Steps[0].Rounds[1].Fails = c.fails
			r.Conclude(2)
			if r.Busy != c.want || strings.Contains(r.Sentence, "the machine was busy: "+c.want) != (c.want != "") {
				t.Errorf("busy %q: %q", r.Busy, r.Sentence)
			}
			if p := r.Proven("", "", Machine{}); p == nil || p.Busy != c.want {
				t.Errorf("a run is told %+v", p)
			}
		})
	}
}

// A claim holds for the program and the machine that it was made with.
func TestProven(t *testing.T) {
	m := Machine{Host: "h", CPU: "c", CPUs: 4, GoMaxProcs: 4}
	r := Result{
		Schema: Schema, At: time.Unix(1000, 0).UTC(), Version: "1", Engine: "loop", Machine: m,
		Steps: []Step{step(10, 1000, 1, 0.1, "")},
	}
	r.Conclude(1)
	b, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	read, err := Decode(b)
	if err != nil || !reflect.DeepEqual(*read, r) {
		t.Fatalf("read %+v (%v)\nwrote %+v", read, err, r)
	}
	want := &journal.Proven{At: 1000, Version: "1", Engine: "loop", Points: r.Points}
	if got := read.Proven("1", "loop", m); !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	smaller := m
	smaller.GoMaxProcs = 1
	for name, got := range map[string]*journal.Proven{
		"version": read.Proven("2", "loop", m), "engine": read.Proven("1", "nethttp", m), "machine": read.Proven("1", "loop", smaller),
	} {
		if got != nil {
			t.Errorf("another %s: %+v is proven", name, got)
		}
	}
}

func TestDecodeRefuses(t *testing.T) {
	for text, want := range map[string]string{"{": "read the self-test's result", `{"schema":2}`: "run inferometer selftest again"} {
		if _, err := Decode([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", text, err, want)
		}
	}
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte(`{"schema":1,"version":"1","engine":"loop","machine":{"host":"h","cpus":1,"gomaxprocs":1},"points":[{"streams":1,"tokens_per_s":1e3}]}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		r, err := Decode(b)
		if err != nil {
			return
		}
		if p := r.Proven(r.Version, r.Engine, r.Machine); p == nil && len(r.Points) > 0 {
			t.Errorf("%s proves nothing for its own machine", b)
		}
	})
}
