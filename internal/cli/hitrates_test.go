package cli

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/judge/measure"
	"github.com/inferometer/inferometer/internal/judge/row"
)

// writeChatTokenizer writes a tokenizer of 256 words that are one token each, with a blank before them and without, and a
// chat template.
func writeChatTokenizer(t *testing.T, folder string) {
	t.Helper()
	file := filepath.Join(folder, "tokenizer.json")
	if err := writeTinyTokenizer(file); err != nil {
		t.Fatal(err)
	}
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var all map[string]any
	if err := json.Unmarshal(raw, &all); err != nil {
		t.Fatal(err)
	}
	model := all["model"].(map[string]any)
	vocab := model["vocab"].(map[string]any)
	next := len(vocab)
	var merges []any // before those that are there
	merge := func(a, b string) {
		merges = append(merges, a+" "+b)
		vocab[a+b] = next
		next++
	}
	var parts, words []string
	for _, c := range "bdfgklmn" {
		for _, v := range "ao" {
			merge(string(c), string(v))
			parts = append(parts, string(c)+string(v))
		}
	}
	for _, a := range parts {
		for _, b := range parts {
			merge(a, b)
			words = append(words, a+b)
		}
	}
	for _, w := range words {
		merge("Ġ", w)
	}
	model["merges"] = append(merges, model["merges"].([]any)...)
	all["added_tokens"] = []any{
		map[string]any{"id": next, "content": "<|im_start|>", "special": true},
		map[string]any{"id": next + 1, "content": "<|im_end|>", "special": true},
	}
	config := map[string]any{"eos_token": "<|im_end|>", "chat_template": "{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n{% endfor %}" +
		"{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"}
	for name, v := range map[string]any{"tokenizer.json": all, "tokenizer_config.json": config} {
		b, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(folder, name), b, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// wekaJob draws a recorded job: turns that grow, of which some go back behind what was said before, and sub-agents that begin
// with a part of the root's prompt. It returns how many blocks its prompts have, and how many of these stood at the beginning
// of an earlier prompt of the same job.
func wekaJob(r *rand.Rand, id string, block, subs int) (job map[string]any, hit, of int) {
	fresh := 0
	grow := func(from []int, n int) []int {
		ids := slices.Clone(from)
		for range n {
			ids = append(ids, fresh)
			fresh++
		}
		return ids
	}
	known := map[int]bool{} // a block stands at one place only
	now := 0.0
	request := func(ids []int) map[string]any {
		leading := true
		for _, one := range ids {
			leading = leading && known[one]
			if of++; leading {
				hit++
			}
			known[one] = true
		}
		v := map[string]any{"t": now, "type": "s", "model": "m", "in": len(ids)*block + r.IntN(block), "out": 1 + r.IntN(6), "hash_ids": ids, "api_time": 0.01}
		now += 0.02
		return v
	}
	var requests []any
	ids := grow(nil, 4+r.IntN(6))
	for range 4 + r.IntN(5) {
		requests = append(requests, request(ids))
		for s := range subs {
			own := grow(ids[:r.IntN(len(ids))], 3+r.IntN(4))
			var inner []any
			from := now
			for range 1 + r.IntN(3) {
				inner = append(inner, request(own))
				own = grow(own, 1+r.IntN(3))
			}
			requests = append(requests, map[string]any{
				"t": from, "type": "subagent", "agent_id": fmt.Sprintf("%d-%d", len(requests), s), "subagent_type": "Explore", "status": "completed",
				"duration_ms": (now - from) * 1000, "models": []string{"m"}, "requests": inner,
			})
		}
		if keep := len(ids); r.IntN(4) == 0 {
			ids = ids[:keep-1-r.IntN(min(keep-1, 3))]
		}
		ids = grow(ids, 2+r.IntN(5))
	}
	return map[string]any{"id": id, "models": []string{"m"}, "block_size": block, "hash_id_scope": "local", "requests": requests}, hit, of
}

// cachedTurns are the turns of a run by their ids.
type cachedTurns map[string]journal.Request

// Add takes in one.
func (c cachedTurns) Add(r *row.Request) error {
	c[r.ID] = journal.Request{SentBefore: r.SentBefore, SentOf: r.SentOf, UsagePrompt: r.UsagePrompt, UsageCached: r.UsageCached}
	return nil
}

// TestRealHitRates: the three hit rates of jobs that are played against a simulator with a prefix cache, whose log tells the
// truth of each turn.
func TestRealHitRates(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	writeChatTokenizer(t, folder)
	for name, tt := range map[string]struct {
		subs, lanes int
		blocks      int // of the cache; 0: no bound
		inOrder     bool
	}{
		"one after the other": {0, 1, 0, true},
		"at once":             {2, 4, 0, false},
		"bounded":             {2, 4, 2000, false},
		"far too small":       {2, 4, 60, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := rand.New(rand.NewPCG(29, uint64(tt.subs)))
			dir := t.TempDir()
			jobs, hit, of := filepath.Join(dir, "traces.jsonl"), 0, 0
			out, err := os.Create(jobs)
			if err != nil {
				t.Fatal(err)
			}
			const plays = 24
			for i := range plays {
				block := 16 + 4*r.IntN(13)
				job, h, o := wekaJob(r, fmt.Sprint("job", i), block, tt.subs)
				hit, of = hit+h*block, of+o*block
				if err := json.NewEncoder(out).Encode(job); err != nil {
					t.Fatal(err)
				}
			}
			if err := out.Close(); err != nil {
				t.Fatal(err)
			}
			turns, truth, run := cachedTurns{}, filepath.Join(dir, "truth.jsonl"), filepath.Join(dir, "run")
			server, err := startSim(exec.Command(program(t), "sim", "--listen", "127.0.0.1:0", "--ttft", "2ms", "--itl", "1ms", "--max-model-len", "100000",
				"--prefix-cache", "--num-blocks", fmt.Sprint(tt.blocks), "--block-size", "16", "--tokenizer", folder, "--chat-template", "--truth", truth))
			if err != nil {
				t.Fatal(err)
			}
			defer server.stop()
			said, err := exec.Command(program(t), "bench", "serve", "--base-url", server.url, "--backend", "openai-chat", "--tokenizer", folder, "--run-dir", run,
				"--dataset-name", "trace", "--dataset-path", jobs, "--max-conversations", fmt.Sprint(tt.lanes), "--num-prompts", fmt.Sprint(plays)).CombinedOutput()
			if err != nil {
				t.Fatalf("%v\n%s", err, said)
			}
			if err := server.stop(); err != nil {
				t.Fatal(err)
			}
			result := measured(t, run, turns)
			checkHitRates(t, turns, truth, result, tt.inOrder)
			c := &result.Cached
			if c.Planned == nil || c.Sent == nil || c.Measured == nil {
				t.Fatalf("a rate is unknown: %+v\n%s", c.HitShares, said)
			}
			t.Logf("by the recording %.5f, by what was sent %.5f, as the server says %.5f", *c.Planned, *c.Sent, *c.Measured)
			if want := float64(hit) / float64(of); *c.Planned != want {
				t.Errorf("by the recording %v, want %v", *c.Planned, want)
			}
			switch off := *c.Sent - *c.Measured; {
			case tt.blocks == 0 && off != 0:
				t.Errorf("by what was sent %v, as the server says %v", *c.Sent, *c.Measured)
			case tt.blocks == 2000 && (off < 0 || off > 0.02):
				t.Errorf("a cache for what is live: by what was sent %v, as the server says %v", *c.Sent, *c.Measured)
			case tt.blocks == 60 && off < 0.1:
				t.Errorf("a cache that is too small for anybody: by what was sent %v, as the server says %v", *c.Sent, *c.Measured)
			}
		})
	}
}

// checkHitRates holds each turn against the truth. What was sent at once may have come to the server in another order: then the
// one has what the other lacks.
func checkHitRates(t *testing.T, turns cachedTurns, truth string, r *measure.Result, inOrder bool) {
	t.Helper()
	swapped, distinct := 0, 0
	for _, tr := range readTruth(t, truth) {
		q, ok := turns[tr.ID]
		if !ok { // the probe before the run
			continue
		}
		delete(turns, tr.ID)
		if q.SentOf != tr.PromptTokens || q.UsagePrompt != tr.PromptTokens || q.UsageCached != tr.CachedTokens {
			t.Errorf("%s: %d tokens sent, the server says %d of %d, its log %d of %d", tr.ID, q.SentOf, q.UsageCached, q.UsagePrompt, tr.CachedTokens, tr.PromptTokens)
		}
		if q.SentBefore != tr.CachedTokens {
			swapped++
		}
		distinct += (q.SentOf - q.SentBefore) / 16
	}
	t.Logf("%d requests; %d with another hit than by what was sent; %d blocks were new", r.Requests, swapped, distinct)
	if len(turns) > 0 || inOrder && swapped > 0 {
		t.Errorf("%d requests are not in the server's log, %d have another hit", len(turns), swapped)
	}
}
