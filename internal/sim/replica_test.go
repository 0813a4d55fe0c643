package sim

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/inferometer/inferometer/internal/memnet"
)

// metric reads one sample of /metrics by its beginning.
func (r *running) metric(begin string) string {
	r.t.Helper()
	resp, err := r.client.Get(r.url + "/metrics")
	if err != nil {
		r.t.Fatal(err)
	}
	defer resp.Body.Close()
	all, err := io.ReadAll(resp.Body)
	if err != nil {
		r.t.Fatal(err)
	}
	for line := range strings.Lines(string(all)) {
		if strings.HasPrefix(line, begin) {
			return line[strings.LastIndexByte(line, ' ')+1 : len(line)-1]
		}
	}
	return ""
}

// TestReplicaName: every answer names the replica, be it a stream or not.
func TestReplicaName(t *testing.T) {
	cfg := DefaultConfig()
	cfg.Name = "r1"
	virtual(t, cfg, func(t *testing.T, r *running, _ *memnet.Network) {
		for _, body := range []string{`{"prompt":"a","max_tokens":2,"stream":true}`, `{"prompt":"a","max_tokens":2}`, `{"prompt":""}`} {
			resp, err := r.post("/v1/completions", "", body)
			if err != nil {
				t.Fatal(err)
			}
			_, _ = io.Copy(io.Discard, resp.Body)
			resp.Body.Close()
			if got := resp.Header.Get(ReplicaHeader); got != "r1" {
				t.Errorf("%s: answered by %q", body, got)
			}
		}
	})
	cfg.Name = "a\r\nb: c"
	if _, err := New(cfg, nil); err == nil {
		t.Error("a name with a line end was taken")
	}
}

// TestFlush: both paths empty the prefix cache, and the truth has when.
func TestFlush(t *testing.T) {
	cfg := DefaultConfig()
	cfg.CountPrefixes, cfg.Batch.BlockSize = true, 4
	virtual(t, cfg, func(t *testing.T, r *running, _ *memnet.Network) {
		ask := func(id string) {
			resp, err := r.post("/v1/completions", id, `{"prompt":[1,2,3,4,5,6,7,8,9],"max_tokens":2}`)
			if err != nil {
				t.Fatal(err)
			}
			resp.Body.Close()
		}
		ask("one")
		ask("two")
		at := map[string]int64{}
		for _, path := range []string{"/flush_cache", "/reset_prefix_cache"} {
			time.Sleep(time.Second)
			at[path] = time.Now().UnixNano()
			resp, err := r.post(path, "", "")
			if err != nil {
				t.Fatal(err)
			}
			resp.Body.Close()
			if resp.StatusCode != http.StatusOK {
				t.Errorf("%s: %s", path, resp.Status)
			}
			ask("after " + path)
		}
		truth := r.truth()
		if truth["two"].CachedTokens != 8 {
			t.Errorf("cached %d", truth["two"].CachedTokens)
		}
		seen := 0
		for _, rec := range truth {
			if when, ok := at[rec.Path]; ok {
				if seen++; rec.Received != when || rec.Status != http.StatusOK {
					t.Errorf("%+v, want it at %d", rec, when)
				}
			} else if strings.HasPrefix(rec.ID, "after") && rec.CachedTokens != 0 {
				t.Errorf("%s: cached %d", rec.ID, rec.CachedTokens)
			}
		}
		if seen != 2 {
			t.Errorf("%d resets in the truth", seen)
		}
	})
}

// TestHangUp: a server stops for a client that has gone, or generates to the end for nobody; the truth and the counters
// have what it made.
func TestHangUp(t *testing.T) {
	for _, on := range []bool{false, true} {
		for _, stream := range []string{"true", "false"} {
			cfg := DefaultConfig()
			cfg.IgnoreDisconnect = on
			virtual(t, cfg, func(t *testing.T, r *running, _ *memnet.Network) {
				ctx, hangUp := context.WithCancel(t.Context())
				req, err := http.NewRequestWithContext(ctx, http.MethodPost, r.url+"/v1/completions", strings.NewReader(`{"prompt":"a","max_tokens":100,"stream":`+stream+`}`))
				if err != nil {
					t.Fatal(err)
				}
				req.Header.Set("X-Request-Id", "x")
				go func() {
					resp, err := r.client.Do(req)
					if err != nil {
						return
					}
					_, _ = io.Copy(io.Discard, resp.Body)
					resp.Body.Close()
				}()
				began := time.Now()
				time.Sleep(255 * time.Millisecond) // tokens are at 50, 60, … 250 ms
				hangUp()
				left := time.Now().UnixNano()
				time.Sleep(2 * time.Second)
				synctest.Wait()
				made, reason := "21.0", "abort"
				if on {
					made, reason = "100.0", "length"
				}
				if got := r.metric("vllm:generation_tokens_total"); got != made {
					t.Errorf("ignored %v, stream %s: %s tokens generated, want %s", on, stream, got, made)
				}
				if got := r.metric(`vllm:request_success_total{engine="0",model_name="sim",finished_reason="` + reason); got != "1.0" {
					t.Errorf("ignored %v, stream %s: %s ended by %s", on, stream, got, reason)
				}
				rec := r.truth()["x"]
				sent, generated := 21, 0
				if stream == "false" {
					sent, generated = 0, 21
				}
				if on {
					generated = 100
				}
				if rec.Finish != "abort" || rec.Left != left || rec.CompletionTokens != sent || rec.Generated != generated {
					t.Errorf("ignored %v, stream %s, after %v: %+v", on, stream, time.Unix(0, left).Sub(began), rec)
				}
			})
		}
	}
}

// TestStopForNobody: a server that generates for nobody ends at once when it is told to.
func TestStopForNobody(t *testing.T) {
	cfg := DefaultConfig()
	cfg.IgnoreDisconnect = true
	virtual(t, cfg, func(t *testing.T, r *running, _ *memnet.Network) {
		resp, err := r.post("/v1/completions", "x", `{"prompt":"a","max_tokens":10000,"stream":true}`)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		time.Sleep(time.Second)
		began := time.Now()
		r.stop()
		if took := time.Since(began); took > time.Second {
			t.Errorf("it took %v to stop", took)
		}
		if rec := r.truth()["x"]; rec.Finish != "abort" || rec.Generated < 90 || rec.Generated > 100 {
			t.Errorf("%+v", rec)
		}
	})
}
