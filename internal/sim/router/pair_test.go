package router

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/inferometer/inferometer/internal/memnet"
	"github.com/inferometer/inferometer/internal/sim"
	"github.com/inferometer/inferometer/internal/sim/handoff"
	"github.com/inferometer/inferometer/internal/sim/random"
	"github.com/inferometer/inferometer/internal/simtest"
)

// The times of the servers below.
const (
	prefillTime = 40 * time.Millisecond
	decodeTime  = 10 * time.Millisecond // to the first token, once the prompt is there
	latency     = 5 * time.Millisecond
	perToken    = 50 * time.Microsecond // of a transfer
)

// startPair starts prefill and decode servers behind a router.
func startPair(t *testing.T, cfg Config, change func(p, d *sim.Config)) (s *system, prefills, decodes []*simtest.Server) {
	t.Helper()
	s = &system{t: t, network: &memnet.Network{}}
	p, d := sim.DefaultConfig(), sim.DefaultConfig()
	p.Role, p.TTFT = handoff.Prefill, random.Constant(prefillTime)
	d.Role, d.TTFT, d.Dial = handoff.Decode, random.Constant(decodeTime), s.network.DialContext
	d.KV = handoff.Config{BytesPerToken: 1000, Bandwidth: 1000 / perToken.Seconds(), Latency: latency}
	if change != nil {
		change(&p, &d)
	}
	for range 2 {
		one := simtest.Start(t, s.network, p)
		prefills = append(prefills, one)
		cfg.Replicas = append(cfg.Replicas, Replica{one.URL, RolePrefill})
		one = simtest.Start(t, s.network, d)
		decodes = append(decodes, one)
		cfg.Replicas = append(cfg.Replicas, Replica{one.URL, RoleDecode})
	}
	s.serve(cfg)
	return s, prefills, decodes
}

func prompt(tokens, max int, stream bool) string {
	ids := make([]int, tokens)
	for i := range ids {
		ids[i] = 300 + i%50
	}
	b, _ := json.Marshal(map[string]any{"prompt": ids, "max_tokens": max, "stream": stream})
	return string(b)
}

// records are those of several servers by id.
func records(servers []*simtest.Server) map[string]sim.Record {
	all := map[string]sim.Record{}
	for _, one := range servers {
		for id, r := range one.Truth() {
			all[id] = r
		}
	}
	return all
}

// TestApart: the time to the first token is that of the prompt, of its transfer and of the decode server's first step, to
// the nanosecond, in both ways and streamed or not; and the truth of both servers has each part.
func TestApart(t *testing.T) {
	for _, policy := range []string{PDVLLM, PDSGLang} {
		synctest.Test(t, func(t *testing.T) {
			cfg := DefaultConfig()
			cfg.Policy = policy
			s, prefills, decodes := startPair(t, cfg, nil)
			lengths := map[string]int{}
			for i, tokens := range []int{100, 1000, 4000} {
				for _, stream := range []bool{true, false} {
					id := fmt.Sprint(policy, i, stream)
					lengths[id] = tokens
					r := s.post(id, prompt(tokens, 11, stream))
					want := prefillTime + latency + time.Duration(tokens)*perToken + 10*10*time.Millisecond
					if policy == PDVLLM {
						want += decodeTime
					}
					if r.status != 200 || r.took != want {
						t.Errorf("%s, %d tokens, stream %v: took %v, want %v: %s", policy, tokens, stream, r.took, want, r.body)
					}
					if r.header.Get(headerPrefiller) == "" || r.header.Get(headerReplica) == r.header.Get(headerPrefiller) {
						t.Errorf("headers %v", r.header)
					}
				}
			}
			truth, p, d := s.truth(), records(prefills), records(decodes)
			for id, tokens := range lengths {
				if got := p[id].Ended - p[id].Received; p[id].CompletionTokens != 1 || got != int64(prefillTime) {
					t.Errorf("%s: prefill %v, %+v", id, time.Duration(got), p[id])
				}
				r := d[id]
				if r.TransferBegun != p[id].Ended || r.TransferEnded-r.TransferBegun != int64(latency+time.Duration(tokens)*perToken) || r.TransferredTokens != tokens || r.TransferredBytes != int64(1000*tokens) {
					t.Errorf("%s: %+v", id, r)
				}
				cached := tokens
				if policy == PDVLLM {
					cached-- // its last token is computed again
				}
				if r.CompletionTokens != 11 || r.CachedTokens != cached {
					t.Errorf("%s: cached %d of %d", id, r.CachedTokens, tokens)
				}
				if tries := truth[id].Tries; len(tries) != 2 || tries[0].Role != RolePrefill || tries[1].Role != RoleDecode {
					t.Errorf("%s: %+v", id, tries)
				}
			}
		})
	}
}

// TestSharedLink: transfers on one link follow one another, and what waits for them is seen in the metrics.
func TestSharedLink(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cfg := DefaultConfig()
		cfg.Policy = PDVLLM
		s, _, decodes := startPair(t, cfg, func(_, d *sim.Config) { d.KV.Shared = true })
		for i := range 4 {
			go s.post(fmt.Sprint(i), prompt(2000, 2, true))
		}
		time.Sleep(prefillTime + latency)
		synctest.Wait()
		resp, err := s.client.Get(decodes[0].URL + "/metrics")
		if err != nil {
			t.Fatal(err)
		}
		text, _ := io.ReadAll(resp.Body)
		resp.Body.Close()
		if !strings.Contains(string(text), `reason="deferred"} 2.0`) {
			t.Errorf("%s", text)
		}
		time.Sleep(10 * time.Second)
		s.stop()
		for _, one := range decodes {
			var ends []int64
			for _, r := range one.Truth() {
				ends = append(ends, r.TransferEnded)
			}
			if len(ends) != 2 || (ends[0]-ends[1]) != int64(latency+2000*perToken) && (ends[1]-ends[0]) != int64(latency+2000*perToken) {
				t.Errorf("ended at %v", ends)
			}
		}
	})
}

// TestBatchApart: the batch engine of a decode server computes only the last token of a prompt that came, and its
// counters say where the tokens came from.
func TestBatchApart(t *testing.T) {
	for _, policy := range []string{PDVLLM, PDSGLang} {
		synctest.Test(t, func(t *testing.T) {
			cfg := DefaultConfig()
			cfg.Policy = policy
			s, _, decodes := startPair(t, cfg, func(p, d *sim.Config) {
				p.Engine, d.Engine = sim.EngineBatch, sim.EngineBatch
				p.Batch.PerCachedToken, d.Batch.PerCachedToken = 0, 0
			})
			for i := range 2 { // the second on the other pair
				for _, max := range []int{1, 5} {
					r := s.post(fmt.Sprint(i, max), prompt(1000, max, true))
					if r.status != 200 || strings.Count(r.body, "data: ") != max+1 {
						t.Errorf("%s: %+v", policy, r)
					}
					b := sim.DefaultConfig().Batch
					want := b.Base + 1000*b.PerPrefillToken + latency + 1000*perToken
					steps := max
					if policy == PDSGLang {
						steps-- // the first token came with the prompt
					}
					for step := range steps {
						if want += b.Base; step == 0 {
							want += b.PerPrefillToken
						} else {
							want += b.PerSequence
						}
					}
					if r.took != want && i == 0 { // later the prefill servers have it cached
						t.Errorf("%s, %d tokens: took %v, want %v", policy, max, r.took, want)
					}
				}
			}
			for _, one := range decodes {
				resp, err := s.client.Get(one.URL + "/metrics")
				if err != nil {
					t.Fatal(err)
				}
				text, _ := io.ReadAll(resp.Body)
				resp.Body.Close()
				came := 2 * 1000
				if policy == PDVLLM {
					came = 2 * 999
				}
				for _, want := range []string{
					fmt.Sprintf(`source="external_kv_transfer"} %d.0`, came), fmt.Sprintf(`source="local_compute"} %d.0`, 2000-came),
					`source="local_cache_hit"} 0.0`, `nixl_bytes_transferred_sum{engine="0",model_name="sim"} 2e+06`, `nixl_xfer_time_seconds_count{engine="0",model_name="sim"} 2.0`,
				} {
					if !strings.Contains(string(text), want) {
						t.Errorf("%s: no %s in %s", policy, want, text)
					}
				}
			}
			s.stop()
		})
	}
}

// TestPrefillDead: without its prefill server a request fails, or is computed by the decode server if that may.
func TestPrefillDead(t *testing.T) {
	for _, recompute := range []bool{false, true} {
		for _, stream := range []bool{false, true} {
			synctest.Test(t, func(t *testing.T) {
				network := &memnet.Network{}
				d := sim.DefaultConfig()
				d.Role, d.Dial, d.KV.Recompute = handoff.Decode, network.DialContext, recompute
				one := simtest.Start(t, network, d)
				body := strings.TrimSuffix(prompt(100, 3, stream), "}") + `,"kv_transfer_params":{"do_remote_prefill":true,"remote_host":"10.0.0.9","remote_port":1,"remote_request_id":"x"}}`
				s := &system{t: t, url: one.URL, client: one.Client()}
				r := s.post("a", body)
				failed := r.status == 500 || strings.Contains(r.body, `"error"`)
				if failed == recompute {
					t.Errorf("recompute %v, stream %v: %+v", recompute, stream, r)
				}
				rec := one.Truth()["a"]
				if rec.TransferError == "" || (rec.CompletionTokens == 3) != recompute {
					t.Errorf("%+v", rec)
				}
			})
		}
	}
}

// TestPairRetried: one request to a dead prefill server is one more to another pair.
func TestPairRetried(t *testing.T) {
	for _, policy := range []string{PDVLLM, PDSGLang} {
		synctest.Test(t, func(t *testing.T) {
			cfg := DefaultConfig()
			cfg.Policy, cfg.Retries, cfg.HealthEvery = policy, 1, time.Hour
			s, prefills, _ := startPair(t, cfg, nil)
			prefills[0].Truth() // ends it
			for i := range 3 {
				if r := s.post(fmt.Sprint(i), prompt(100, 3, true)); r.status != 200 || !strings.Contains(r.body, "[DONE]") {
					t.Errorf("%s: %+v", policy, r)
				}
			}
			retried := 0
			for _, r := range s.truth() {
				if len(r.Tries) > 2 {
					retried++
				}
			}
			if retried != 1 {
				t.Errorf("%s: %d retried", policy, retried)
			}
		})
	}
}

// TestLeavesTransfer: a client that hangs up while its prompt is on the way.
func TestLeavesTransfer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cfg := DefaultConfig()
		cfg.Policy = PDVLLM
		s, _, decodes := startPair(t, cfg, func(_, d *sim.Config) { d.KV.Latency = time.Minute })
		s.client.Timeout = 10 * time.Second
		s.post("a", prompt(100, 3, true))
		time.Sleep(5 * time.Minute)
		s.stop()
		if r := records(decodes)["a"]; r.Finish != "abort" || r.CompletionTokens != 0 || r.TransferEnded != 0 {
			t.Errorf("%+v", r)
		}
	})
}
