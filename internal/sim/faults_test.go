package sim

import (
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/inferometer/inferometer/internal/memnet"
	"github.com/inferometer/inferometer/internal/sim/dialect"
	"github.com/inferometer/inferometer/internal/sim/random"
)

func TestFaultsFollowSharesAndIDs(t *testing.T) {
	f, _ := ParseFaults("truncate=0.05,error-event=0.1,reset=0.2,short=0.05")
	const n = 20000
	counts := map[string]int{}
	for i := range n {
		counts[f.pick(random.Mix(7, random.HashString(fmt.Sprint("req-", i))))]++
	}
	for _, name := range append([]string{""}, faultNames...) {
		want := f[name]
		if name == "" {
			want = 0.6
		}
		// Four standard deviations of a binomial share.
		if got := float64(counts[name]) / n; math.Abs(got-want) > 4*math.Sqrt(want*(1-want)/n) {
			t.Errorf("%q: share %.4f, want %.4f", name, got, want)
		}
	}
}

// classify says what a client saw, by the wire alone.
func classify(resp *http.Response, err error) (string, *got) {
	if resp != nil {
		if resp.StatusCode != http.StatusOK {
			_, _ = io.Copy(io.Discard, resp.Body)
			resp.Body.Close()
			return fmt.Sprint("http-", resp.StatusCode), &got{status: resp.StatusCode}
		}
	}
	g := read(resp, err)
	last := ""
	if len(g.kinds) > 0 {
		last = g.kinds[len(g.kinds)-1]
	}
	switch {
	case errors.Is(g.err, syscall.ECONNRESET):
		return FaultReset, g
	case errors.Is(g.err, io.ErrUnexpectedEOF):
		return FaultTruncate, g
	case g.err != nil:
		return g.err.Error(), g
	case last == dialect.KindError:
		return FaultErrorEvent, g
	case !g.done && g.finish == "":
		return FaultTruncate, g
	case g.text == "":
		return FaultEmpty, g
	case g.finish == "stop":
		return FaultShort, g
	}
	return "", g
}

// TestAllFaults sends many requests at once with every fault on. What the
// client sees is what the truth says, request by request.
func TestAllFaults(t *testing.T) {
	for _, engine := range []string{EngineFixed, EngineBatch} {
		for _, path := range []string{dialect.PathCompletions, dialect.PathChat} {
			t.Run(engine+path, func(t *testing.T) { t.Parallel(); allFaults(t, engine, path) })
		}
	}
}

func allFaults(t *testing.T, engine, path string) {
	cfg := fast()
	cfg.Engine = engine
	cfg.Batch.Base, cfg.Batch.PerPrefillToken, cfg.Batch.PerSequence = 300*time.Microsecond, 0, 0
	cfg.Faults, _ = ParseFaults("truncate=0.1,error-event=0.1,http-500=0.1,http-429=0.1,reset=0.1,stall=0.1,short=0.1,empty=0.1,slow-headers=0.1,flip=0.1")
	r := start(t, cfg)
	const n = 300
	saw := make([]string, n)
	streams := make([]*got, n)
	var all sync.WaitGroup
	limit := make(chan struct{}, 20)
	for i := range n {
		all.Go(func() {
			limit <- struct{}{}
			defer func() { <-limit }()
			body := fmt.Sprintf(`{"prompt":"p %d","messages":[{"role":"user","content":"hello %d"}],"max_tokens":%d,"stream":true,"stream_options":{"include_usage":true}}`, i, i, 1+i%12)
			saw[i], streams[i] = classify(r.post(path, fmt.Sprint("req-", i), body))
		})
	}
	all.Wait()
	truth := r.truth()
	seen := map[string]int{}
	for i := range n {
		rec, ok := truth[fmt.Sprint("req-", i)]
		if !ok {
			t.Fatalf("no record of request %d", i)
		}
		seen[rec.Fault]++
		want := rec.Fault
		if want == FaultStall || want == FaultSlowHeaders || want == FaultFlip {
			want = "" // whole answers, only late or others
		}
		if want == FaultReset && saw[i] == FaultTruncate {
			t.Errorf("request %d: a reset looked like an end", i)
		}
		if saw[i] != want {
			t.Errorf("request %d (%d tokens): client saw %q, truth says %q", i, rec.MaxTokens, saw[i], rec.Fault)
		}
		checkFault(t, cfg, rec, streams[i])
	}
	for _, name := range faultNames {
		if seen[name] < 8 {
			t.Errorf("fault %s came %d times in %d requests of share 0.1", name, seen[name], n)
		}
	}
}

func checkFault(t *testing.T, cfg Config, rec Record, g *got) {
	t.Helper()
	if g.status == http.StatusOK && g.text != rec.Text {
		t.Errorf("%s (%s): read %q, truth %q", rec.ID, rec.Fault, g.text, rec.Text)
	}
	waited := time.Duration(0)
	for i := 1; i < len(rec.Events); i++ {
		waited = max(waited, time.Duration(rec.Events[i]-rec.Events[i-1]))
	}
	switch rec.Fault {
	case "", FaultSlowHeaders, FaultStall, FaultFlip:
		if rec.CompletionTokens != rec.MaxTokens || rec.Finish != "length" {
			t.Errorf("%s (%s): %d of %d tokens, finish %q", rec.ID, rec.Fault, rec.CompletionTokens, rec.MaxTokens, rec.Finish)
		}
		if rec.Fault == FaultSlowHeaders && time.Duration(rec.Started-rec.Received) < cfg.SlowHeaders {
			t.Errorf("%s: started %v after it came", rec.ID, time.Duration(rec.Started-rec.Received))
		}
		if rec.Fault == FaultStall && rec.MaxTokens > 1 && waited < cfg.Stall {
			t.Errorf("%s: longest gap %v is shorter than the stall", rec.ID, waited)
		}
	case FaultShort:
		if rec.CompletionTokens >= rec.MaxTokens || rec.CompletionTokens < 1 {
			t.Errorf("%s: short with %d of %d tokens", rec.ID, rec.CompletionTokens, rec.MaxTokens)
		}
	case FaultTruncate, FaultReset, FaultErrorEvent:
		if rec.CompletionTokens < 1 || (rec.CompletionTokens >= rec.MaxTokens && rec.MaxTokens > 1) || rec.Finish != "" {
			t.Errorf("%s (%s): %d of %d tokens, finish %q", rec.ID, rec.Fault, rec.CompletionTokens, rec.MaxTokens, rec.Finish)
		}
	}
}

// TestImpossibleFaults: the truth names no fault where none could be.
func TestImpossibleFaults(t *testing.T) {
	for fault, body := range map[string]string{
		FaultShort:      `{"prompt":"a","max_tokens":1,"stream":true}`,
		FaultErrorEvent: `{"prompt":"a","max_tokens":9}`,
		FaultStall:      `{"prompt":"a","max_tokens":1,"stream":true}`,
	} {
		cfg := fast()
		cfg.Faults = Faults{fault: 1}
		r := start(t, cfg)
		resp, err := r.post(dialect.PathCompletions, "x", body)
		if err != nil {
			t.Fatal(err)
		}
		drain(t, resp)
		if rec := r.truth()["x"]; rec.Fault != "" || rec.Finish != "length" {
			t.Errorf("%s: truth says %q, finish %q", fault, rec.Fault, rec.Finish)
		}
	}
}

func TestFaultsOfWholeAnswers(t *testing.T) {
	for fault, want := range map[string]string{
		FaultTruncate: "unexpected EOF", FaultReset: "reset", FaultShort: `"stop"`, FaultEmpty: `"completion_tokens":0`,
		FaultHTTP500: "InternalServerError", FaultHTTP429: "RateLimitError", FaultStall: `"length"`, FaultSlowHeaders: `"length"`,
	} {
		cfg := fast()
		cfg.Faults = Faults{fault: 1}
		r := start(t, cfg)
		resp, err := r.post(dialect.PathChat, "x", `{"messages":[{"role":"user","content":"hello"}],"max_tokens":50}`)
		text := ""
		if err == nil {
			var b []byte
			b, err = io.ReadAll(resp.Body)
			resp.Body.Close()
			text = string(b)
		}
		if text += fmt.Sprint(err); !strings.Contains(text, want) {
			t.Errorf("%s: %q, want %q in it", fault, text, want)
		}
		if fault == FaultHTTP429 && resp.Header.Get("Retry-After") == "" {
			t.Error("429 without Retry-After")
		}
		if rec := r.truth()["x"]; rec.Fault != fault {
			t.Errorf("%s: truth says %q", fault, rec.Fault)
		}
	}
}

// TestFlip: the same prompt gets the same text alone, and another one in company.
func TestFlip(t *testing.T) {
	cfg := fast()
	cfg.Faults = Faults{FaultFlip: 1}
	virtual(t, cfg, func(t *testing.T, r *running, _ *memnet.Network) {
		send := func(id string) {
			t.Helper()
			resp, err := r.post(dialect.PathCompletions, id, `{"prompt":"a","max_tokens":9,"stream":true}`)
			if err != nil {
				t.Error(err)
				return
			}
			drain(t, resp)
		}
		send("alone")
		var company sync.WaitGroup
		for i := range 8 {
			company.Go(func() { send(fmt.Sprint("company-", i)) })
			synctest.Wait() // the engine has it, and no time has passed
		}
		company.Wait()
		send("again")
		truth := r.truth()
		if truth["alone"].Fault != "" || truth["alone"].Text != truth["again"].Text {
			t.Errorf("alone %+v, again %+v", truth["alone"], truth["again"])
		}
		flipped := 0
		for i := range 8 {
			rec := truth[fmt.Sprint("company-", i)]
			if rec.Fault == FaultFlip {
				flipped++
			}
			if (rec.Text != truth["alone"].Text) != (rec.Fault == FaultFlip) {
				t.Errorf("%q: %q, alone %q", rec.Fault, rec.Text, truth["alone"].Text)
			}
		}
		if flipped != 7 { // the first one was alone when it came
			t.Errorf("%d of 8 texts were others", flipped)
		}
	})
}
