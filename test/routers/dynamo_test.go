//go:build linux

package routers

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/test/realserver"
)

// dynamo is NVIDIA Dynamo: its frontend, and mock workers for prefill and decode behind it. Frontend, router, KV events and handoff are real.
type dynamo struct {
	*realserver.Server
	prefill, decode []*mock
}

// mock is a worker. Its own metrics are its truth: the frontend has no part in them.
type mock struct {
	*realserver.Server
	id string // as the frontend names it
}

const mockModel = "mock"

// startDynamo starts a worker for prefill and two for decode.
func startDynamo(t testing.TB, flags ...string) *dynamo {
	t.Helper()
	python := realserver.Lines(t, "INFEROMETER_DYNAMO", 1, "make test-routers")[0]
	env := []string{
		"DYN_DISCOVERY_BACKEND=file", "DYN_FILE_KV=" + t.TempDir(), "DYN_REQUEST_PLANE=tcp", "DYN_EVENT_PLANE=zmq", "HF_HUB_OFFLINE=1", "HOME=" + t.TempDir(),
		"DYN_TCP_RPC_HOST=127.0.0.1", "DYN_EVENT_PLANE_HOST=127.0.0.1", "DYN_TCP_RESPONSE_STREAM_HOST=127.0.0.1", "DYN_SYSTEM_HOST=127.0.0.1",
	}
	worker := func(role string) *mock {
		port := lowPort(t)
		w := &mock{Server: realserver.StartAs(t, port, "/metrics", 2*time.Minute, append(env, "DYN_SYSTEM_PORT="+port), python, append([]string{
			"-m", "dynamo.mocker", "--model-path", filepath.Join(filepath.Dir(filepath.Dir(python)), "model"), "--model-name", mockModel, "--disaggregation-mode", role,
		}, flags...)...)}
		await(t, time.Minute, "worker's name", func() bool {
			_, rest, _ := strings.Cut(fetch(w.Base+"/metrics"), `dynamo_endpoint="generate",dynamo_namespace="dynamo",worker_id="`)
			hex, _, _ := strings.Cut(rest, `"`)
			id, err := strconv.ParseUint(hex, 16, 64)
			w.id = strconv.FormatUint(id, 10)
			return err == nil
		})
		return w
	}
	d := &dynamo{prefill: []*mock{worker("prefill")}, decode: []*mock{worker("decode"), worker("decode")}}
	port := realserver.FreePort(t)
	d.Server = realserver.Start(t, port, 2*time.Minute, env, python, "-m", "dynamo.frontend", "--http-host", "127.0.0.1", "--http-port", port,
		"--router-mode", "kv", "--migration-limit", "3")
	// It is of use once it has split a request.
	await(t, 2*time.Minute, "answer from both kinds of workers", func() bool {
		resp, err := http.Post(d.Base+"/v1/chat/completions", "application/json", strings.NewReader(
			`{"model":"mock","max_tokens":2,"messages":[{"role":"user","content":"hi"}]}`))
		if err != nil {
			return false
		}
		defer resp.Body.Close()
		return resp.StatusCode == http.StatusOK && d.prefill[0].served(t) > 0
	})
	return d
}

// lowPort is a free port that a signed number of 16 bits holds, which is what Dynamo reads.
func lowPort(t testing.TB) string {
	t.Helper()
	for {
		l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", 20000+rand.N(12000)))
		if err != nil {
			continue // somebody has it
		}
		_, port, err := net.SplitHostPort(l.Addr().String())
		l.Close()
		if err != nil {
			t.Fatal(err)
		}
		return port
	}
}

// served is how many requests the worker has been sent.
func (m *mock) served(t testing.TB) int {
	t.Helper()
	n := 0
	for line := range strings.Lines(fetch(m.Base + "/metrics")) {
		if strings.HasPrefix(line, "dynamo_component_requests_total{") && strings.Contains(line, `dynamo_endpoint="generate"`) {
			value, err := strconv.ParseFloat(strings.TrimSpace(line[strings.LastIndexByte(line, ' ')+1:]), 64)
			if err != nil {
				t.Fatal(err)
			}
			n += int(value)
		}
	}
	return n
}

// Dynamo's answers name both workers of each request, and by these names each worker served as many as it counts itself.
func TestDynamo(t *testing.T) {
	t.Parallel()
	d := startDynamo(t)
	workers := append(d.prefill, d.decode...)
	before := map[string]int{}
	for _, w := range workers {
		before[w.id] = w.served(t)
	}
	const n = 40
	got := bench(t, d.Base, n, 0, "--model", mockModel, "--request-rate", "20")
	if got.Completed != n {
		t.Fatalf("%d completed, outcomes %v, errors %v", got.Completed, got.Inferometer.Outcomes, got.Inferometer.Errors)
	}
	named := map[string]int{}
	for _, q := range got.requests {
		named[q.Prefiller]++
		named[q.Replica]++
	}
	for _, w := range workers {
		if served := w.served(t) - before[w.id]; served != named[w.id] || served == 0 {
			t.Errorf("worker %s served %d requests, and %d name it", w.id, served, named[w.id])
		}
	}
	if len(named) != len(workers) {
		t.Errorf("answers name %v", named)
	}
	for _, q := range got.requests {
		ttft := time.Duration(q.Events.At[0])
		server := time.Duration(q.ServerTTFTNs)
		if server <= 0 || server > ttft || q.ServerTransferNs <= 0 || q.ServerQueueNs+q.ServerPromptNs > q.ServerTTFTNs+int64(time.Microsecond) {
			t.Errorf("request %d: our TTFT %v, its %v, of these queue %v and prefill %v; transfer %v", q.Index, ttft, server,
				time.Duration(q.ServerQueueNs), time.Duration(q.ServerPromptNs), time.Duration(q.ServerTransferNs))
		}
	}
}

// A decode worker dies in the middle of streams: Dynamo moves them to the other one, and each comes to its end with all of its tokens. The answers go
// on to name the dead worker, so only the frontend's counter says that they were moved.
func TestMigration(t *testing.T) {
	t.Parallel()
	d := startDynamo(t, "--decode-speedup-ratio", "0.5")
	const n, tokens = 8, 300
	before := d.moves(t) // by the first requests, while the workers came
	b := startBench(t, d.Base, n, "--model", mockModel, "--max-concurrency", fmt.Sprint(n), "--custom-output-len", fmt.Sprint(tokens), "--request-timeout", "2m")
	var victim *mock // the router alone knows where it sends these
	await(t, time.Minute, "worker with two requests", func() bool {
		for _, w := range d.decode {
			if w.Counter(t, "dynamo_component_inflight_requests") >= 2 {
				victim = w
			}
		}
		return victim != nil
	})
	victim.Kill()
	got := wait(t, b, 0)
	if got.Completed != n {
		t.Errorf("%d of %d completed: %v", got.Completed, n, got.Inferometer.Errors)
	}
	on := 0
	for _, q := range got.requests {
		if q.Outcome == journal.Complete && q.UsageOutput != tokens {
			t.Errorf("request %d has %d tokens", q.Index, q.UsageOutput)
		}
		if q.Replica == victim.id {
			on++
		}
	}
	moved := d.moves(t) - before
	t.Logf("%d moved, %d name the dead worker", moved, on)
	if on < 2 || moved < on {
		t.Errorf("%d name the dead worker, and only %d moves were counted", on, moved)
	}
	var own struct{ Server struct{ Migrations float64 } }
	if err := json.Unmarshal(got.Fields["inferometer"], &own); err != nil {
		t.Fatal(err)
	}
	if int(own.Server.Migrations) != moved {
		t.Errorf("the result has %v moves, the frontend counts %d", own.Server.Migrations, moved)
	}
}

// moves is how often the frontend has sent a request to another worker.
func (d *dynamo) moves(t testing.TB) int {
	t.Helper()
	const name = "dynamo_frontend_model_migration_total"
	if !strings.Contains(fetch(d.Base+"/metrics"), "\n"+name+"{") {
		return 0
	}
	return d.Counter(t, name)
}
