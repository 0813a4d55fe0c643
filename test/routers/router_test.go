//go:build linux

package routers

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/inferometer/inferometer/test/realserver"
)

const (
	model = "sim"
	key   = "sk-test" // LiteLLM wants one
)

// router is a real one: how it is started in front of workers, in the order of these, each in turn.
type router struct {
	name      string
	variable  string // that names its command
	arguments func(t testing.TB, port, metrics string, list []served) []string
	ready     string // a path that answers once it is up
	env       []string
	many      bool                    // it serves several models, each by workers of its own
	lists     bool                    // it lists its workers
	tells     bool                    // its answers say how often it sent the request again
	retries   string                  // a counter of these
	sign      func(url string) string // how its answers name a worker; nil: they name none, and the worker's own name comes through
}

var (
	vllmRouter = router{
		name: "vllm-router", variable: "INFEROMETER_VLLM_ROUTER", lists: true, retries: "vllm_router_retries_total", ready: "/readiness",
		arguments: func(_ testing.TB, port, metrics string, list []served) []string {
			return append([]string{"--host", "127.0.0.1", "--port", port, "--policy", "round_robin", "--prometheus-port", metrics, "--worker-urls"}, list[0].workers...)
		},
	}
	sglangRouter = router{
		name: "sglang-router", variable: "INFEROMETER_SGLANG_ROUTER", lists: true, retries: "smg_worker_retries_total", ready: "/readiness",
		arguments: func(_ testing.TB, port, metrics string, list []served) []string {
			return append([]string{"launch", "--host", "127.0.0.1", "--port", port, "--policy", "round_robin", "--prometheus-port", metrics, "--worker-urls"}, list[0].workers...)
		},
	}
	smg = router{
		name: "smg", variable: "INFEROMETER_SMG", lists: true, retries: "smg_worker_retries_total", ready: "/readiness", sign: func(url string) string { return url },
		arguments: func(_ testing.TB, port, metrics string, list []served) []string {
			return append([]string{
				"launch", "--host", "127.0.0.1", "--port", port, "--policy", "round_robin", "--prometheus-port", metrics,
				"--model-path", model, "--disable-tokenizer-autoload", "--worker-urls",
			}, list[0].workers...)
		},
	}
	liteLLM = router{
		name: "LiteLLM", variable: "INFEROMETER_LITELLM", ready: "/health/liveliness", env: []string{"LITELLM_LOCAL_MODEL_COST_MAP=True"}, many: true, tells: true, sign: func(url string) string { return url + "/v1" },
		arguments: func(t testing.TB, port, _ string, list []served) []string {
			var models strings.Builder
			for _, s := range list {
				for _, w := range s.workers {
					fmt.Fprintf(&models, "  - {model_name: %s, litellm_params: {model: openai/%s, api_base: \"%s/v1\", api_key: none}}\n", s.model, model, w)
				}
			}
			config := filepath.Join(t.TempDir(), "litellm.yaml")
			text := "model_list:\n" + models.String() + "general_settings: {master_key: " + key + "}\n"
			if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			return []string{"--config", config, "--host", "127.0.0.1", "--port", port, "--telemetry", "False"}
		},
	}
	routers = []router{vllmRouter, sglangRouter, smg, liteLLM}
)

// served is a model and the workers that serve it.
type served struct {
	model   string
	workers []string
}

// with is the router with further flags.
func (r router) with(flags ...string) router {
	before := r.arguments
	r.arguments = func(t testing.TB, port, metrics string, list []served) []string {
		own := before(t, port, metrics, list)
		return append(own[:1:1], append(flags, own[1:]...)...) // behind the command's name, before the workers
	}
	return r
}

// front is a router that runs.
type front struct {
	*realserver.Server
	metrics string // where its own metrics are
}

// start starts the router before the workers and waits until it sends to each of them; where it is not installed the test is skipped.
func (r router) start(t testing.TB, workers ...string) *front {
	t.Helper()
	return r.startModels(t, served{model, workers})
}

// startModels is start with several models, where the router can have these.
func (r router) startModels(t testing.TB, list ...served) *front {
	t.Helper()
	command := realserver.Lines(t, r.variable, 1, "make test-routers")[0]
	port, metrics := realserver.FreePort(t), realserver.FreePort(t)
	env := append([]string{"HOME=" + t.TempDir()}, r.env...)
	f := &front{Server: realserver.StartAs(t, port, r.ready, 2*time.Minute, env, command, r.arguments(t, port, metrics, list)...), metrics: "http://127.0.0.1:" + metrics}
	if r.ready == "/readiness" {
		await(t, time.Minute, "all workers", func() bool {
			var state struct {
				Healthy int `json:"healthy_workers"`
			}
			return json.Unmarshal([]byte(fetch(f.Base+r.ready)), &state) == nil && state.Healthy == len(list[0].workers)
		})
	}
	return f
}

// await waits until something holds.
func await(t testing.TB, patience time.Duration, what string, holds func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); !holds(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("no %s within %v", what, patience)
		}
	}
}

// fetch is what a page says, or nothing.
func fetch(url string) string {
	resp, err := http.Get(url)
	if err != nil {
		return ""
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(io.LimitReader(resp.Body, 4<<20))
	if err != nil || resp.StatusCode != http.StatusOK {
		return ""
	}
	return string(text)
}
