package sim

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/inferometer/inferometer/internal/memnet"
)

// status asks for a path; an empty body is a GET.
func (r *running) status(path, body string) int {
	r.t.Helper()
	method := http.MethodPost
	if body == "" {
		method = http.MethodGet
	}
	req, err := http.NewRequestWithContext(r.t.Context(), method, r.url+path, strings.NewReader(body))
	if err != nil {
		r.t.Fatal(err)
	}
	resp, err := r.client.Do(req)
	if err != nil {
		r.t.Fatal(err)
	}
	_, _ = io.Copy(io.Discard, resp.Body)
	resp.Body.Close()
	return resp.StatusCode
}

const ask = `{"prompt":"a","max_tokens":2}`

// TestStartup: 503 until the time has come, and then not.
func TestStartup(t *testing.T) {
	cfg := DefaultConfig()
	cfg.StartupTime = 3 * time.Second
	virtual(t, cfg, func(t *testing.T, r *running, _ *memnet.Network) {
		expect := func(want int) {
			for path, body := range map[string]string{"/health": "", "/v1/models": "", "/v1/completions": ask} {
				if got := r.status(path, body); got != want {
					t.Errorf("%s: %d, want %d", path, got, want)
				}
			}
		}
		expect(503)
		time.Sleep(3*time.Second - time.Nanosecond)
		expect(503)
		time.Sleep(time.Nanosecond)
		expect(200)
	})
}

// TestSleep: a server that sleeps is alive and refuses requests; waking it takes its time, and its cache is empty.
func TestSleep(t *testing.T) {
	cfg := DefaultConfig()
	cfg.WakeTime, cfg.CountPrefixes, cfg.Batch.BlockSize = 2*time.Second, true, 1
	virtual(t, cfg, func(t *testing.T, r *running, _ *memnet.Network) {
		state := func(name string) string {
			return r.metric(`vllm:engine_sleep_state{engine="0",model_name="sim",sleep_state="` + name + `"`)
		}
		const long = `{"prompt":"a b c","max_tokens":2}`
		if got := r.status("/v1/completions", long); got != 200 || state("awake") != "1.0" {
			t.Fatal(got)
		}
		if got := r.status("/sleep?level=3", "{}"); got != 400 {
			t.Errorf("level 3: %d", got)
		}
		if got := r.status("/sleep?level=2", "{}"); got != 200 || state("discard_all") != "1.0" || state("awake") != "0.0" {
			t.Errorf("%d, %s", got, state("discard_all"))
		}
		if asleep, health := r.status("/v1/completions", ask), r.status("/health", ""); asleep != 503 || health != 200 {
			t.Errorf("asleep %d, health %d", asleep, health)
		}
		began := time.Now()
		if got := r.status("/wake_up", "{}"); got != 200 || time.Since(began) != 2*time.Second {
			t.Errorf("woke with %d after %v", got, time.Since(began))
		}
		resp, err := r.post("/v1/completions", "again", long)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if rec := r.truth()["again"]; rec.Status != 200 || rec.CachedTokens != 0 {
			t.Errorf("%+v", rec)
		}
	})
}

// TestAdapters: one is taken in, asked for, and thrown out again.
func TestAdapters(t *testing.T) {
	cfg := DefaultConfig()
	cfg.Adapters, cfg.AdapterTime = []string{"first"}, time.Second
	virtual(t, cfg, func(t *testing.T, r *running, _ *memnet.Network) {
		of := func(name string) string { return `{"model":"` + name + `","prompt":"a","max_tokens":2}` }
		const body = `{"lora_name":"mine","lora_path":"/p"}`
		began := time.Now()
		for _, step := range []struct {
			path, body string
			want       int
		}{
			{"/v1/completions", of("first"), 200},
			{"/v1/completions", of("mine"), 404},
			{"/v1/load_lora_adapter", `{"lora_name":"mine"}`, 400},
			{"/v1/load_lora_adapter", body, 200},
			{"/v1/load_lora_adapter", body, 400},
			{"/v1/completions", of("mine"), 200},
			{"/v1/unload_lora_adapter", body, 200},
			{"/v1/unload_lora_adapter", body, 404},
			{"/v1/completions", of("mine"), 404},
		} {
			if got := r.status(step.path, step.body); got != step.want {
				t.Errorf("%s %s: %d, want %d", step.path, step.body, got, step.want)
			}
		}
		if took := time.Since(began); took != 2*time.Second+2*60*time.Millisecond {
			t.Errorf("took %v", took)
		}
		if got := r.metric(`http_requests_total{handler="/v1/completions",method="POST",status="4xx"}`); got != "2.0" {
			t.Errorf("%s answers with 4xx", got)
		}
		if got := r.metric(`http_requests_total{handler="/v1/completions",method="POST",status="2xx"}`); got != "2.0" {
			t.Errorf("%s answers with 2xx", got)
		}
	})
}

// TestDrain: requests in progress run on as long as they may; new ones are refused meanwhile.
func TestDrain(t *testing.T) {
	for _, drain := range []time.Duration{0, 500 * time.Millisecond, 5 * time.Second} {
		cfg := DefaultConfig()
		cfg.Drain = drain
		virtual(t, cfg, func(t *testing.T, r *running, _ *memnet.Network) {
			resp, err := r.post("/v1/completions", "one", `{"prompt":"a","max_tokens":100,"stream":true}`) // for 1.04 s
			if err != nil {
				t.Fatal(err)
			}
			defer resp.Body.Close()
			go func() { _, _ = io.Copy(io.Discard, resp.Body) }()
			time.Sleep(100 * time.Millisecond)
			began := time.Now()
			if drain > 0 {
				go func() {
					time.Sleep(10 * time.Millisecond)
					if health, got := r.status("/health", ""), r.status("/v1/completions", ask); health != 503 || got != 503 {
						t.Errorf("while it drains: health %d, request %d", health, got)
					}
				}()
			}
			r.stop()
			took := time.Since(began)
			want, finish := drain, "abort"
			if drain > time.Second {
				want, finish = 940*time.Millisecond, "length"
			}
			if rec := r.truth()["one"]; took != want || rec.Finish != finish {
				t.Errorf("drain %v: took %v, %+v", drain, took, rec)
			}
		})
	}
}
