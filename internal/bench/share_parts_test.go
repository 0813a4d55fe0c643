package bench

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/inferometer/inferometer/internal/send/share"
	"github.com/inferometer/inferometer/internal/send/workload"
	"github.com/inferometer/inferometer/internal/spec"
)

// shareOf is what one of several clients makes of a Spec, and what it writes down.
func shareOf(t *testing.T, text string, of share.Share) (own *Run, written *spec.Spec) {
	t.Helper()
	asked, err := spec.Decode(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	asked.Share = of
	own = newRun(asked, &Host{})
	own.takeShare()
	if written, err = spec.Decode(strings.NewReader(string(own.written()))); err != nil {
		t.Fatal(err)
	}
	return own, written
}

// A client whose share of the slots is none has one all the same: without a bound it would send as it likes.
func TestAShareWithoutASlotIsBoundedToo(t *testing.T) {
	for i := range 3 {
		own, _ := shareOf(t, `{"version":1,"load":{"max_concurrency":2}}`, share.Equal(i, 3))
		if own.MaxConcurrency == nil || *own.MaxConcurrency != 1 {
			t.Errorf("client %d of 3 with 2 slots has %v", i, own.MaxConcurrency)
		}
	}
}

// Users come at the whole's rate, whoever they are.
func TestTheRatesOfSharesAddUp(t *testing.T) {
	weights, sum := []int{5, 2}, 0.0
	for i := range weights {
		own, _ := shareOf(t, `{"version":1,"load":{"max_concurrency":7,"spawn_rate":14}}`, share.Share{Index: i, Weights: weights})
		if want := 2 * float64(weights[i]); math.Abs(own.SpawnRate-want) > 1e-3 {
			t.Errorf("client %d: %g users a second, want %g", i, own.SpawnRate, want)
		}
		sum += own.SpawnRate
	}
	if math.Abs(sum-14) > 1e-3 {
		t.Errorf("together %g users a second, not 14", sum)
	}
}

// One client probes; what is written down by each is the whole, whatever it does of it.
func TestWhatAShareWritesDownIsTheWhole(t *testing.T) {
	for i := range 2 {
		own, back := shareOf(t, `{"version":1,"load":{"max_concurrency":7,"num_warmups":6,"spawn_rate":14,"probe_request_rate":2},`+
			`"judge":{"integrity_sample":8},"request":{"temperature":0}}`, share.Equal(i, 2))
		if probes := own.ProbeRequestRate > 0; probes != (i == 0) {
			t.Errorf("client %d probes: %v", i, probes)
		}
		if l := &back.Load; *l.MaxConcurrency != 7 || l.NumWarmups != 6 || l.SpawnRate != 14 || l.ProbeRequestRate != 2 || back.IntegritySample != 8 {
			t.Errorf("client %d wrote %s", i, back.Encode())
		}
		own, back = shareOf(t, `{"version":1,"server":{"backend":"openai-chat"},"dataset":{"name":"multi-turn"},`+
			`"load":{"num_prompts":40,"max_conversations":9,"max_requests":30}}`, share.Equal(i, 2))
		if own.MaxRequests != 15 || *back.MaxConversations != 9 || back.MaxRequests != 30 {
			t.Errorf("client %d sends %d turns at most and wrote %s", i, own.MaxRequests, back.Encode())
		}
	}
}

// Conversations are counted from 1, and what they are divided by from 0, as requests are: a fleet's merge asks
// whose a conversation is by the same number.
func TestUnitsBeginAtZero(t *testing.T) {
	for _, tt := range []struct {
		r    workload.Request
		want int
	}{
		{workload.Request{Index: 0}, 0},
		{workload.Request{Index: 7}, 7},
		{workload.Request{Index: 7, Conversation: 1}, 0},
		{workload.Request{Index: 9, Conversation: 3}, 2},
	} {
		if got := Unit(&tt.r); got != tt.want {
			t.Errorf("request %d of conversation %d: %d, want %d", tt.r.Index, tt.r.Conversation, got, tt.want)
		}
	}
}

// An agent decides nothing by its own part of the results, and only the first asks for what is the same for all.
func TestWhatAnAgentDoesNotDo(t *testing.T) {
	s := spec.Default()
	s.NATS, s.GiveUp, s.SLO, s.Strict, s.ScrapeEvery = "nats://127.0.0.1:4222", "p99_ttft<200", "p99_ttft<200", true, 2*time.Second
	for i := range 3 {
		own := s.ForAgent(share.Equal(i, 3))
		if own.GiveUp != "" || own.SLO != "" || own.Strict {
			t.Errorf("agent %d gives up by %q, is judged by %q, strictly: %v", i, own.GiveUp, own.SLO, own.Strict)
		}
		if asks := own.ScrapeEvery > 0; asks != (i == 0) {
			t.Errorf("agent %d asks the servers every %v", i, own.ScrapeEvery)
		}
	}
}

// What nobody knows is refused inside a value too, and what is there twice wherever it stands.
func TestDecodeIsStrictInside(t *testing.T) {
	for text, want := range map[string]string{
		`{"version":1,"keep":{"metadata":[{"key":"a","value":"b","note":"c"}]}}`:                      `keep.metadata json: unknown field "note"`,
		`{"version":1,"load":{"num_prompts":5,"seed":1,"num_prompts":6}}`:                             `load has the key "num_prompts" twice`,
		`{"version":1,"judge":{"integrity_sample":5}}`:                                                "judge.integrity_sample needs request.temperature 0",
		`{"version":1,"judge":{"integrity_sample":-1}}`:                                               "judge.integrity_sample must be 0 or more, not -1",
		`{"version":1,"server":{"headers":[{"name":"A","valeu":"x"}]}}`:                               `server.headers json: unknown field "valeu"`,
		`{"version":1,"server":{"urls":["http://h"]},"load":{},"server":{"urls":["http://another"]}}`: `the Spec has the key "server" twice`,
	} {
		if _, err := spec.Decode(strings.NewReader(text)); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s:\n got %v\nwant %s", text, err, want)
		}
	}
}
