package prepare

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/inferometer/inferometer/internal/send/load"
	"github.com/inferometer/inferometer/internal/send/share"
	"github.com/inferometer/inferometer/internal/spec"
)

func plainHost() *Host {
	return &Host{Environment: spec.Environment{Lookup: func(string) (string, bool) { return "", false }, Proxy: func(*http.Request) (*url.URL, error) { return nil, nil }}}
}

// A plan lists what its shares send, request for request.
func TestPlanIsTheShares(t *testing.T) {
	for name, text := range map[string]string{
		"open loop":     `{"version":1,` + nobody + `},"pace":{"rate":50},"load":{"num_prompts":300},"dataset":{"input_len":20,"output_len":5}}`,
		"by time":       `{"version":1,` + nobody + `},"pace":{"rate":50},"load":{"duration":"4s"},"dataset":{"input_len":20,"output_len":5}}`,
		"closed loop":   `{"version":1,` + nobody + `},"load":{"num_prompts":200,"max_concurrency":7},"dataset":{"input_len":20,"output_len":5}}`,
		"conversations": `{"version":1,` + nobody + `,"backend":"openai-chat"},"dataset":{"name":"multi-turn"},"load":{"num_prompts":40,"max_conversations":9}}`,
	} {
		for _, weights := range [][]int{{1}, {1, 1, 1}, {3, 0, 1}} {
			asked, err := spec.Decode(strings.NewReader(text))
			if err != nil {
				t.Fatal(err)
			}
			p, err := NewPlan(t.Context(), asked, plainHost())
			if err != nil {
				t.Fatal(err)
			}
			got := make([][]sent, len(weights))
			whole, parts, err := p.Requests(t.Context(), weights, func(w *load.Planned, client int) {
				got[client] = append(got[client], sent{client: client, index: w.Request.Index, conversation: w.Request.Conversation, due: w.Due})
			})
			if err != nil || len(whole) != 64 || len(parts) != len(weights) {
				t.Fatalf("%s: %s, %v, %v", name, whole, parts, err)
			}
			if len(weights) == 1 && parts[0] != whole {
				t.Errorf("%s: the only share is another run than the whole", name)
			}
			n := 0
			for i := range weights {
				want := list(t, text, share.Share{Index: i, Weights: weights})
				for k := range want {
					want[k].body = [32]byte{}
				}
				if !slices.Equal(want, got[i]) {
					t.Errorf("%s, share %d of %v: the plan has %d requests, the client %d", name, i, weights, len(got[i]), len(want))
				}
				n += len(want)
			}
			if n < 40 {
				t.Errorf("%s: only %d requests", name, n)
			}
			p.Close()
		}
	}
}

// Without a list there is none: time decides how many requests a closed loop sends.
func TestPlanWithoutList(t *testing.T) {
	for _, load := range []string{`{"duration":"4s","max_concurrency":4}`, `{"duration":"4s","max_concurrency":4,"num_prompts":100}`} {
		asked, err := spec.Decode(strings.NewReader(`{"version":1,` + nobody + `},"load":` + load + `}`))
		if err != nil {
			t.Fatal(err)
		}
		if asked.Listed() {
			t.Errorf("%s has a list", load)
		}
	}
}

func TestFleetRefuses(t *testing.T) {
	for flags, want := range map[string]string{
		`"load":{"until":"p99_ttft±5%","max_concurrency":4}`:   "can't be used with fleet.nats",
		`"load":{"share":"1/2"}`:                               "the leader gives each agent its share",
		`"load":{"profile":true}`:                              "can't be used with fleet.nats",
		`"judge":{"power":"300"}`:                              "can't be used with fleet.nats",
		`"fleet":{"nats":"nats://me:secret@127.0.0.1:4222"}`:   "a password",
		`"fleet":{"nats":"nats://127.0.0.1:4222","agents":-1}`: "at least 0",
		`"fleet":{"agents":3}`:                                 "needs fleet.nats",
	} {
		if !strings.Contains(flags, `"fleet"`) {
			flags += `,"fleet":{"nats":"nats://127.0.0.1:4222"}`
		}
		if _, err := spec.Decode(strings.NewReader(`{"version":1,` + flags + `}`)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", flags, err)
		}
	}
	s, err := spec.Decode(strings.NewReader(`{"version":1,"fleet":{"nats":"nats://127.0.0.1:4222","agents":3,"labels":{"region":"eu"},"wait":"5s"}}`))
	if err != nil || !s.InFleet() {
		t.Fatal(err)
	}
	if own := s.ForAgent(share.Equal(1, 3)); own.InFleet() || own.Share.String() != "2/3" || own.Validate() != nil {
		t.Errorf("an agent's Spec: %s, %v", own.Encode(), own.Validate())
	}
}
