package cli

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/inferometer/inferometer/internal/cli/command"
	"github.com/inferometer/inferometer/internal/fleet/bus"
	"github.com/inferometer/inferometer/internal/fleet/fleettest"
	"github.com/inferometer/inferometer/internal/fleet/message"
	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/sim"
	"github.com/inferometer/inferometer/internal/spec"
)

// agentProcess is an agent in a process of its own.
type agentProcess struct {
	*exec.Cmd
	id   string
	said *syncBuffer
}

var agentID = regexp.MustCompile(`the agent (\S+) is ready`)

func startAgentProcess(t *testing.T, url, state string, flags ...string) *agentProcess {
	t.Helper()
	a := &agentProcess{Cmd: exec.Command(program(t), append([]string{"agent", "--nats", url, "--allow", "127.0.0.1"}, flags...)...), said: &syncBuffer{}}
	a.Env = append(os.Environ(), "XDG_STATE_HOME="+state)
	a.Stderr = a.said
	if err := a.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = a.Process.Kill() // it may have ended
		_ = a.Wait()
	})
	a.await(t, "is ready")
	a.id = agentID.FindStringSubmatch(a.said.String())[1]
	return a
}

func (a *agentProcess) await(t *testing.T, words string) {
	t.Helper()
	for deadline := time.Now().Add(60 * time.Second); !strings.Contains(a.said.String(), words); {
		if time.Now().After(deadline) {
			t.Fatalf("it never said %q: %s", words, a.said.String())
		}
		time.Sleep(10 * time.Millisecond) // a process of its own tells nothing else
	}
}

// offeredRun gives an agent a run and starts it.
func offeredRun(t *testing.T, b *bus.Bus, agent, run string, s *spec.Spec) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 60*time.Second)
	defer cancel()
	a, err := b.Ask(ctx, agent, &message.Ask{Kind: message.Offer, Run: run, Spec: s.Encode(), Version: command.Version(), Lease: int64(20 * time.Second)})
	if err != nil || a.Error != "" {
		t.Fatalf("%+v, %v", a, err)
	}
	for {
		said, err := b.Ask(ctx, agent, &message.Ask{Kind: message.State, Run: run})
		if err != nil {
			t.Fatal(err)
		}
		if said.Status.Phase == message.Ready {
			break
		}
		time.Sleep(10 * time.Millisecond) // as a leader that asks
	}
	if a, err = b.Ask(ctx, agent, &message.Ask{Kind: message.Start, Run: run, Nonce: a.Nonce, At: time.Now().UnixNano()}); err != nil || a.Error != "" {
		t.Fatalf("%+v, %v", a, err)
	}
}

// An agent that is killed loses at most the last second of its records: it is started again
// and hands on what it left behind. What the server got and it has no record of is below
// what it had reserved. A first Ctrl-C ends it in peace.
func TestRealAgentKilled(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	truth := filepath.Join(dir, "truth.jsonl")
	server, err := startSim(exec.Command(program(t), "sim", "--listen", "127.0.0.1:0", "--ttft", "10ms", "--itl", "5ms", "--truth", truth))
	if err != nil {
		t.Fatal(err)
	}
	defer server.stop()
	nats := fleettest.Start(t)
	b, err := bus.Open(t.Context(), bus.Place{URL: nats.URL}, bus.Options{Name: "leader"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.Close)
	if err := b.Prepare(t.Context()); err != nil {
		t.Fatal(err)
	}
	s, err := spec.Decode(strings.NewReader(`{"version":1,"server":{"urls":["` + server.url + `"],"skip_tokenizer_init":true,"request_id_prefix":"k-"},` +
		`"dataset":{"name":"random","input_len":8,"output_len":10},"load":{"num_prompts":100000,"max_concurrency":4}}`))
	if err != nil {
		t.Fatal(err)
	}
	agent := startAgentProcess(t, nats.URL, filepath.Join(dir, "state"))
	offeredRun(t, b, agent.id, "r", s)
	err = server.waitMetric("request_success_total", 600) // about ten seconds
	killed := time.Now()
	_ = agent.Process.Kill()
	_ = agent.Wait()
	if err != nil {
		t.Fatalf("%v; it said %s", err, agent.said.String())
	}
	var mu sync.Mutex
	var got bytes.Buffer
	stop, err := b.Journals(t.Context(), "r", func(id string, offset int64, piece []byte) {
		mu.Lock()
		defer mu.Unlock()
		if id == agent.id && offset == int64(got.Len()) {
			got.Write(piece)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	defer stop()
	again := startAgentProcess(t, nats.URL, filepath.Join(dir, "state"))
	again.await(t, "handed on what an earlier agent left of the run r")
	last, err := b.LastStatus(t.Context(), "r", agent.id)
	if err != nil || last == nil || last.Phase != message.Failed || last.Error != "the agent died during the run" {
		t.Fatalf("%+v, %v", last, err)
	}
	for arrived := false; !arrived; time.Sleep(10 * time.Millisecond) { // the store tells it in its own time
		mu.Lock()
		arrived = int64(got.Len()) == last.Journal
		mu.Unlock()
	}
	run := filepath.Join(dir, "run")
	if err := os.Mkdir(run, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(run, journal.FileName), got.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := server.stop(); err != nil {
		t.Fatal(err)
	}
	kept, _ := journalIDs(t, run)
	checkAgentTruth(t, readTruth(t, truth), kept, killed, last.Reserved)

	if err := again.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if err := again.Wait(); err != nil {
		t.Errorf("Ctrl-C: %v; it said %s", err, again.said.String())
	}
}

func checkAgentTruth(t *testing.T, all []sim.Record, kept map[string]bool, killed time.Time, reserved int) {
	t.Helper()
	const flush = 6 * time.Second // one, and what a busy machine adds
	due, highest := 0, -1
	for _, r := range all {
		index, err := strconv.Atoi(strings.TrimPrefix(r.ID, "k-"))
		if err != nil {
			continue // the ready check
		}
		highest = max(highest, index)
		if r.Ended >= killed.Add(-flush).UnixNano() {
			continue
		}
		if due++; !kept[r.ID] {
			t.Errorf("%s ended %v before the kill and is lost", r.ID, killed.Sub(time.Unix(0, r.Ended)))
		}
	}
	t.Logf("%d requests had ended in time, the journal has %d; the highest index is %d, and %d were reserved", due, len(kept), highest, reserved)
	if due < 20 {
		t.Errorf("only %d requests had ended %v before the kill: the test shows nothing", due, flush)
	}
	if highest >= reserved {
		t.Errorf("the request %d was sent, and only %d were reserved", highest, reserved)
	}
}
