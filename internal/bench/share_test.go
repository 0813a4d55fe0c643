package bench

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/inferometer/inferometer/internal/send/load"
	"github.com/inferometer/inferometer/internal/send/share"
	"github.com/inferometer/inferometer/internal/spec"
)

// sent is a request as one client would send it.
type sent struct {
	client, index, conversation int
	due                         time.Duration
	body                        [32]byte
}

// list makes the requests of a share and sends none.
func list(t *testing.T, text string, s share.Share) []sent {
	t.Helper()
	asked, err := spec.Decode(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	asked.Share = s
	r := newRun(asked, &Host{Environment: spec.Environment{Lookup: func(string) (string, bool) { return "", false }, Proxy: func(*http.Request) (*url.URL, error) { return nil, nil }}})
	defer r.close()
	if err := r.connectDry(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := r.makeWorkload(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := r.makePace(); err != nil {
		t.Fatal(err)
	}
	r.takeShare()
	var all []sent
	if _, err := load.Dry(r.loadConfig(nil, nil), func(p *load.Planned) bool {
		all = append(all, sent{s.Index, p.Request.Index, p.Request.Conversation, p.Due, sha256.Sum256(p.Body)})
		return len(all) < 400 // of a run without a number of requests
	}); err != nil {
		t.Fatal(err)
	}
	return all
}

const nobody = `"server":{"urls":["http://127.0.0.1:1"],"model":"m","skip_tokenizer_init":true`

// The shares of any number of clients are the single run's list: the same bytes at the
// same times, each once.
func TestSharesAreTheWhole(t *testing.T) {
	specs := map[string]string{
		"open loop":     `{"version":1,` + nobody + `},"pace":{"rate":50},"load":{"num_prompts":300},"dataset":{"input_len":20,"output_len":5,"range_ratio":{"input":0.5,"output":0.5}}}`,
		"closed loop":   `{"version":1,` + nobody + `},"load":{"num_prompts":300,"max_concurrency":7},"dataset":{"input_len":20,"output_len":5}}`,
		"few slots":     `{"version":1,` + nobody + `},"load":{"num_prompts":100,"max_concurrency":2},"dataset":{"input_len":20,"output_len":5}}`,
		"prefixes":      `{"version":1,` + nobody + `},"load":{"num_prompts":100},"dataset":{"input_len":20,"output_len":5,"prefix_share":0.5,"prefix_count":3,"range_ratio":{"input":0.5,"output":0}}}`,
		"ramp":          `{"version":1,` + nobody + `},"pace":{"ramp_up_strategy":"linear","ramp_up_start_rps":5,"ramp_up_end_rps":50},"load":{"num_prompts":200},"dataset":{"input_len":20,"output_len":5}}`,
		"conversations": `{"version":1,` + nobody + `,"backend":"openai-chat"},"dataset":{"name":"multi-turn"},"load":{"num_prompts":40,"max_conversations":9}}`,
	}
	splits := [][]int{{1}, {1, 1}, {1, 1, 1, 1, 1}, slices.Repeat([]int{1}, 8), {3, 0, 1}, {100, 1, 7}}
	for name, text := range specs {
		whole := list(t, text, share.Share{})
		if len(whole) < 40 {
			t.Fatalf("%s: only %d requests", name, len(whole))
		}
		for _, weights := range splits {
			t.Run(fmt.Sprint(name, weights), func(t *testing.T) {
				var union []sent
				of := map[int]int{} // who has a conversation
				for i := range weights {
					part := list(t, text, share.Share{Index: i, Weights: weights})
					if weights[i] == 0 && len(part) > 0 {
						t.Errorf("a client of weight 0 sends %d requests", len(part))
					}
					for _, s := range part {
						if other, ok := of[s.conversation]; ok && s.conversation > 0 && other != i {
							t.Errorf("conversation %d is divided among clients %d and %d", s.conversation, other, i)
						}
						of[s.conversation] = i
						s.client = 0
						union = append(union, s)
					}
				}
				slices.SortStableFunc(union, func(a, b sent) int { return cmp.Compare(a.index, b.index) })
				if !slices.Equal(whole, union) {
					t.Errorf("%d requests together, %d alone, or others", len(union), len(whole))
				}
			})
		}
	}
}

// Slots are divided as well, and what is written down is the whole with its share.
func TestShareOfSlots(t *testing.T) {
	asked, err := spec.Decode(strings.NewReader(`{"version":1,"load":{"num_prompts":300,"max_concurrency":7,"num_warmups":3,"share":"2/2:5,2"}}`))
	if err != nil {
		t.Fatal(err)
	}
	r := newRun(asked, &Host{})
	r.takeShare()
	if *r.MaxConcurrency != 2 || r.NumWarmups != 1 {
		t.Errorf("%d slots and %d warm-ups", *r.MaxConcurrency, r.NumWarmups)
	}
	back, err := spec.Decode(strings.NewReader(string(r.written())))
	if err != nil || *back.MaxConcurrency != 7 || back.NumWarmups != 3 || back.Share.String() != "2/2:5,2" {
		t.Errorf("%v\n%s", err, r.written())
	}
	if _, err := spec.Decode(strings.NewReader(`{"version":1,"load":{"until":"p99_ttft±5%","share":"1/2"}}`)); err == nil {
		t.Error("until and share go together")
	}
}
