//go:build linux

package routers

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/inferometer/inferometer/internal/judge/roles"
)

// transfer is how long the KV of a prompt is on its way to decode in TestRoles.
const transfer = 100 * time.Millisecond

// apart are routers that send each prompt to a server for prefill and to one for decode, serially as vLLM's does or to both at once.
var apart = []router{
	func() router {
		r := vllmRouter
		r.ready = "/health" // with roles its /readiness counts no workers; it waits for them before it opens its port
		r.arguments = func(_ testing.TB, port, metrics string, list []served) []string {
			w := list[0].workers
			return []string{"--host", "127.0.0.1", "--port", port, "--prometheus-port", metrics, "--policy", "round_robin", "--vllm-pd-disaggregation", "--prefill", w[0], "--decode", w[1]}
		}
		return r
	}(),
	func() router {
		r := sglangRouter
		r.arguments = func(_ testing.TB, port, metrics string, list []served) []string {
			w := list[0].workers
			bootstrap := w[0][strings.LastIndexByte(w[0], ':')+1:]
			return []string{"launch", "--host", "127.0.0.1", "--port", port, "--prometheus-port", metrics, "--policy", "round_robin", "--pd-disaggregation", "--prefill", w[0], bootstrap, "--decode", w[1]}
		}
		return r
	}(),
}

// Behind real routers for prefill and decode: each request is computed by one and answered by the other, which the result counts apart, and the
// time of the transfer is in the time to the first token.
func TestRoles(t *testing.T) {
	for _, r := range apart {
		t.Run(r.name, func(t *testing.T) {
			t.Parallel()
			prefill := startReplica(t, "--name", "p", "--role", "prefill", "--ttft", "30ms", "--itl", "5ms")
			decode := startReplica(t, "--name", "d", "--role", "decode", "--ttft", "30ms", "--itl", "5ms", "--kv-latency", transfer.String())
			through := r.start(t, prefill.Base, decode.Base)
			const n = 30
			got := bench(t, through.Base, n, 0, "--request-rate", "20", "--role", "prefill="+prefill.Base, "--role", "decode="+decode.Base)
			if got.Completed != n {
				t.Fatalf("%d completed, outcomes %v, errors %v", got.Completed, got.Inferometer.Outcomes, got.Inferometer.Errors)
			}
			transferred := map[string]bool{}
			for _, rec := range decode.records(t) {
				if !rec.Stream {
					continue // a question before the run
				}
				if transferred[rec.TextSHA256] = true; rec.TransferredTokens < rec.PromptTokens-1 { // the last one is computed
					t.Errorf("decode computed a prompt of %d tokens: %d were transferred, error %q", rec.PromptTokens, rec.TransferredTokens, rec.TransferError)
				}
			}
			late, alone := 0, 30*time.Millisecond+transfer
			for _, q := range got.requests {
				if !transferred[text(q)] {
					t.Errorf("request %d is not in decode's truth", q.Index)
				}
				if len(q.Events.At) == 0 || time.Duration(q.Events.At[0]) < alone {
					t.Errorf("request %d had its first token before its KV was there: %v", q.Index, q.Events.At)
				}
				if time.Duration(q.Events.At[0]) > alone+100*time.Millisecond {
					late++
				}
			}
			if late > n/2 {
				t.Errorf("%d of %d had their first token 100 ms later than prefill and transfer take", late, n)
			}
			var own struct{ Roles *roles.Roles }
			if err := json.Unmarshal(got.Fields["inferometer"], &own); err != nil || own.Roles == nil || len(own.Roles.Each) != 2 {
				t.Fatalf("roles: %+v, %v", own.Roles, err)
			}
			for _, k := range got.Inferometer.Verdict.Checks {
				if k.Level.Bad() && k.Group == "server" {
					t.Errorf("%s is %s: %s", k.Name, k.Level, k.Sentence)
				}
			}
			t.Log(got.Inferometer.Verdict.Line())
		})
	}
}
