//go:build linux

package routers

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/judge/recovery"
	"github.com/inferometer/inferometer/internal/sim"
	"github.com/inferometer/inferometer/test/realserver"
)

// played are faults as a scenario has them.
type played struct {
	name, yaml string
	few        bool // it is played where -faults says few
}

var faultCases = []played{
	{name: "kill", yaml: "{at: 4s, kill: backend-2}", few: true},
	{name: "kill and start", yaml: "{at: 4s, kill: backend-1}, {at: 6s, start: backend-1}"},
	{name: "kill after 100 requests", yaml: "{after: 100, kill: backend-2}"},
	{name: "kill one and then the other and start both", yaml: "{at: 4s, kill: backend-1}, {at: 5s, kill: backend-2}, {at: 7s, start: backend-1}, {at: 7s, start: backend-2}"},
	{name: "stop for 3 s", yaml: "{at: 4s, stop: backend-1, for: 3s}", few: true},
	{name: "stop for 2 s", yaml: "{at: 4500ms, stop: backend-2, for: 2s}"},
	{name: "drain", yaml: "{at: 4s, drain: backend-1}"},
	{name: "drain and start", yaml: "{at: 4s, drain: backend-2}, {at: 7s, start: backend-2}"},
	{name: "cut for 2 s", yaml: "{at: 4s, cut: backend-1, for: 2s}"},
	{name: "slow by 700 ms for 3 s", yaml: "{at: 4s, slow: backend-2, by: 700ms, for: 3s}"},
}

// Faults behind three routers, with two replicas: the requests that users lost are those which no replica has sent to its end, and the system has
// recovered when the last request that the replicas were late with is over.
func TestFaults(t *testing.T) {
	for _, r := range []router{vllmRouter, sglangRouter, smg} {
		for _, f := range faultCases {
			t.Run(r.name+"/"+f.name, func(t *testing.T) {
				if *faults != "all" && !f.few {
					t.Skip("-faults all plays it")
				}
				t.Parallel()
				f.play(t, r)
			})
		}
	}
}

func (f played) play(t *testing.T, r router) {
	dir, got := f.run(t, r)
	truth := readTruth(t, filepath.Join(dir, "backend-1.jsonl"), filepath.Join(dir, "backend-2.jsonl"))
	felt := got.recovery(t)
	failed, told := map[int]bool{}, map[int]bool{}
	for _, q := range got.requests {
		whole := slices.ContainsFunc(truth[q.ID], func(rec sim.Record) bool { return rec.Finish == "length" })
		if (q.Outcome == journal.Complete) != whole {
			t.Errorf("request %d is %s (%s), and the replicas say %+v", q.Index, q.Outcome, q.Error, ends(truth[q.ID]))
		}
		if q.Outcome != journal.Complete {
			failed[q.Index] = true
		}
	}
	for _, e := range felt.Episodes {
		for _, i := range e.Indexes {
			told[i] = true
		}
	}
	if !maps.Equal(failed, told) {
		t.Errorf("lost are %v; the result names %v", slices.Sorted(maps.Keys(failed)), slices.Sorted(maps.Keys(told)))
	}
	if len(felt.NotDone) > 0 || len(got.faults) == 0 {
		t.Errorf("faults not made: %+v of %+v", felt.NotDone, got.faults)
	}
	for _, e := range felt.Episodes {
		t.Logf("%s at %.2f s: %s, recovery %v s, %d lost, first failure %v", e.Faults[0].Do, e.Faults[0].At, e.State, value(e.Seconds), e.Lost, value(e.FirstFailure))
	}
	holdRecovery(t, got, truth, felt)
}

// spread is how far apart two requests may be of what is felt as one: in between they may have gone to another replica.
const spread = 20

// holdRecovery holds the end of what was felt against the truth of the replicas: the last request that was lost, that a replica began to
// answer later than the result's own limit allows, or whose stream stood still there. It is over with the next request that is sent.
func holdRecovery(t *testing.T, got *run, truth map[string][]sim.Record, felt *recovery.Recovery) {
	t.Helper()
	if len(felt.Episodes) == 0 || len(got.faults) == 0 {
		t.Error("no episode")
		return
	}
	first := got.faults[0].At
	requests := slices.Clone(got.requests)
	slices.SortFunc(requests, func(a, b *journal.Request) int { return cmp.Compare(a.Sent, b.Sent) })
	requests = slices.DeleteFunc(requests, func(q *journal.Request) bool { return q.End <= first })
	ttft, gap := limits(felt)
	want, atLeast := first, first // by all, and by those that were lost alone
	late, last := 0, -1
	for i, q := range requests {
		lost, slow, until := q.Outcome != journal.Complete, false, int64(0)
		for _, rec := range truth[q.ID] {
			for k, e := range rec.Events {
				switch e -= got.StartUnixNs; {
				case rec.Finish != "length" || e <= first:
				case k == 0:
					slow = slow || e-q.Sent > ttft
				case e-(rec.Events[k-1]-got.StartUnixNs) > gap:
					slow, until = true, max(until, e)
				}
			}
		}
		if !lost && !slow || last >= 0 && i-last > spread && !felled(requests, got.faults, i) {
			continue
		}
		last = i
		if until == 0 && i+1 < len(requests) {
			until = requests[i+1].Sent
		}
		if want = max(want, until); lost {
			atLeast = max(atLeast, until)
		} else {
			late++
		}
	}
	end, cut := first, false
	for _, e := range felt.Episodes {
		cut = cut || e.State == recovery.Cut
		if e.State == recovery.Recovered && e.Seconds != nil {
			end = max(end, int64((e.Faults[0].At+*e.Seconds)*1e9))
		}
	}
	t.Logf("%d were late; over at %.3f s by the truth, at %.3f s by the result, not within the run: %v", late, seconds(want), seconds(end), cut)
	const near = int64(100 * time.Millisecond)
	switch {
	case last >= len(requests)-8:
		if !cut {
			t.Error("it was felt until the end")
		}
	case cut:
		t.Error("it is said to be felt until the end")
	case end < want-near && (late >= fewLate || end < atLeast-near):
		t.Error("it is said to be over too early")
	case end > want+near && !slowOnTheWay(requests, end, ttft, gap):
		t.Error("it is said to be over too late, and no request was slow then")
	}
}

// fewLate are so many late requests that they can't be chance, with 70 requests before the fault to know that by.
const fewLate = 8

func seconds(ns int64) float64 { return float64(ns) / 1e9 }

// slowOnTheWay says that a request was slow until that moment which its replica was not slow with: this machine was busy, and its user felt that.
func slowOnTheWay(requests []*journal.Request, end, ttft, gap int64) bool {
	const near = int64(60 * time.Millisecond) // a request is sent each 50 ms
	return slices.ContainsFunc(requests, func(q *journal.Request) bool {
		if len(q.Events.At) > 0 && q.Events.At[0] > ttft && q.Sent <= end && q.Sent >= end-near {
			return true
		}
		at := q.Sent
		for i, d := range q.Events.At {
			if at += d; i > 0 && d > gap && max(at-end, end-at) < near {
				return true
			}
		}
		return false
	})
}

// felled says that a fault was made, or was over, within the second before a request was sent: what it felt is of that.
func felled(requests []*journal.Request, faults []journal.Fault, i int) bool {
	return slices.ContainsFunc(faults, func(f journal.Fault) bool {
		since := requests[i].Sent - max(f.At, f.Done)
		return since > -int64(time.Second) && since < int64(time.Second)
	})
}

// limits are those of the result, in nanoseconds: of the first token, and of a pause.
func limits(felt *recovery.Recovery) (ttft, gap int64) {
	ttft, gap = math.MaxInt64, math.MaxInt64
	for _, s := range felt.Episodes[0].Signals {
		switch {
		case s.Limit == nil:
		case s.Name == "ttft":
			ttft = int64(*s.Limit * 1e6)
		case s.Name == "gaps":
			gap = int64(*s.Limit * 1e6)
		}
	}
	return ttft, gap
}

// run plays the scenario and gives the folder with the replicas' truth, and the run.
func (f played) run(t *testing.T, r router) (dir string, got *run) {
	t.Helper()
	command := realserver.Lines(t, r.variable, 1, "make test-routers")[0]
	dir = t.TempDir()
	front := strings.Join(append([]string{command}, r.arguments(t, "{port}", realserver.FreePort(t), []served{{model, []string{"{backends}"}}})...), " ")
	text := fmt.Sprintf(`name: faults
targets:
  router:
    command: %s
    backends: {command: "%s sim --listen 127.0.0.1:{port} --model %s --name {name} --ttft 30ms --itl 20ms --truth %s/{name}.jsonl --truth-at-once", replicas: 2}
workload: {dataset: custom, path: %s, output_len: 40, num_prompts: 260, backend: openai-chat, model: %s, ignore_eos: true}
pace: {rate: 20, burstiness: inf}
flags: {skip-tokenizer-init: true, request-timeout: 20s, recovery-within: 100}
faults: [%s]
`, front, program, model, dir, prompts(t, 260), model, f.yaml)
	path := filepath.Join(dir, "scenario.yaml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program, "run", path, "-o", filepath.Join(dir, "out"))
	cmd.Env = append(os.Environ(), "XDG_STATE_HOME="+dir, "HOME="+dir)
	cmd.WaitDelay = time.Minute
	if out, err := cmd.CombinedOutput(); err != nil && cmd.ProcessState.ExitCode() != 1 {
		t.Fatalf("%v: %s", err, out)
	} else if found, err := filepath.Glob(filepath.Join(dir, "out", "points", "*", "run")); err != nil || len(found) != 1 {
		t.Fatalf("points %v, %v: %s", found, err, out)
	} else {
		got = read(t, found[0])
		data, err := os.ReadFile(filepath.Join(found[0], "result.json"))
		if err != nil {
			t.Fatal(err)
		}
		got.Result = &realserver.Result{}
		got.Keys, got.Fields = realserver.Object(t, data)
	}
	return dir, got
}

// recovery is what the result says that users felt.
func (r *run) recovery(t testing.TB) *recovery.Recovery {
	t.Helper()
	var own struct{ Recovery *recovery.Recovery }
	if err := json.Unmarshal(r.Fields["inferometer"], &own); err != nil {
		t.Fatal(err)
	}
	if own.Recovery == nil {
		t.Fatal("the result says nothing of a recovery")
	}
	return own.Recovery
}

// readTruth reads the truth of replicas by the requests' ids, in the order of time.
func readTruth(t testing.TB, paths ...string) map[string][]sim.Record {
	t.Helper()
	all := map[string][]sim.Record{}
	for _, path := range paths {
		for _, rec := range (&replica{truth: path}).records(t) {
			all[rec.ID] = append(all[rec.ID], rec)
		}
	}
	for _, list := range all {
		slices.SortFunc(list, func(a, b sim.Record) int { return cmp.Compare(a.Ended, b.Ended) })
	}
	return all
}

// ends are how a request ended at replicas, in words.
func ends(list []sim.Record) (words []string) {
	for _, rec := range list {
		words = append(words, fmt.Sprintf("%d %q after %d tokens", rec.Status, rec.Finish, rec.CompletionTokens))
	}
	return words
}

// value is a number for a log.
func value(v *float64) string {
	if v == nil {
		return "unknown"
	}
	return fmt.Sprintf("%.3f", *v)
}
