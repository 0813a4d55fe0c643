package merge

import (
	"cmp"
	"fmt"
	"iter"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/inferometer/inferometer/internal/fleet/message"
	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/judge/judged"
	"github.com/inferometer/inferometer/internal/judge/measure"
	"github.com/inferometer/inferometer/internal/send/share"
)

const (
	ms    = int64(1e6)
	start = int64(1794700000_000000000)
)

// single is a run of one client: open loop, answers of drawn lengths and times, some of
// which fail.
func single(n int) []journal.Request {
	random := rand.New(rand.NewPCG(1, 2))
	list := make([]journal.Request, n)
	for i := range list {
		r := &list[i]
		due := int64(i) * 2 * ms
		*r = journal.Request{
			Index: i, ID: fmt.Sprintf("bench-%d", i), Due: due, Released: due + 1000, Sent: due + 20_000 + random.Int64N(ms), Outcome: journal.Complete, Status: 200,
			PromptTokens: 8 + i%5, OutputTokens: 16, UsagePrompt: 9 + i%5, PromptHash: fmt.Sprintf("%016x", i), TextHash: fmt.Sprintf("%016x", -i),
		}
		at := int64(0)
		for range 1 + random.IntN(16) {
			gap := 5*ms + random.Int64N(20*ms)
			r.Events.At = append(r.Events.At, gap)
			r.Events.Lag = append(r.Events.Lag, random.Int64N(50_000))
			r.Events.Kind = append(r.Events.Kind, journal.EventChoices|journal.EventText)
			at += gap
		}
		r.UsageOutput, r.Headers, r.End = len(r.Events.At), r.Sent+ms, r.Sent+at
		if i%37 == 5 {
			r.Outcome, r.Error, r.Events = journal.HTTP5xx, "503: overloaded", journal.Events{}
		}
	}
	return list
}

func firstLine(at int64) *journal.Run {
	return &journal.Run{
		Schema: journal.Schema, Version: "test", StartUnixNs: at, Clock: "kernel",
		Options: journal.Options{
			Backend: "vllm", Endpoint: "/v1/completions", Dataset: "random", Pace: "constant", RequestRate: 500, NumPrompts: 1000,
			PercentileMetrics: []string{"ttft", "tpot", "itl", "e2el"}, MetricPercentiles: []float64{50, 90, 99, 99.9}, Goodput: map[string]float64{"ttft": 15},
		},
		Environment: journal.Environment{OS: "linux", Arch: "amd64", CPUs: 4, GoMaxProcs: 4},
	}
}

// record writes a journal, its requests in the order of their ends. end is nil for a client that was killed.
func record(t testing.TB, path string, run *journal.Run, requests []journal.Request, end *journal.End, also ...*journal.Conversation) {
	t.Helper()
	w, err := journal.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	check(t, w.Run(run))
	requests = slices.Clone(requests)
	slices.SortStableFunc(requests, func(a, b journal.Request) int { return cmp.Compare(a.End, b.End) })
	for i := range requests {
		if i%100 == 0 {
			check(t, w.Sample(&journal.Sample{At: requests[i].End, CPUNs: int64(i) * ms, Files: i, Sent: i}))
		}
		w.Append(journal.AppendRequest(nil, &requests[i]))
	}
	for _, c := range also {
		check(t, w.Conversation(c))
	}
	if end != nil {
		check(t, w.End(end))
	}
	check(t, w.Close())
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// fleet is a run divided into journals.
type fleet struct {
	dir  string
	plan *Plan
}

func planned(list []journal.Request, weights []int) iter.Seq[Request] {
	owner := share.NewOwner(weights)
	return func(yield func(Request) bool) {
		for i := range list {
			r := &list[i]
			if !yield(Request{
				Index: r.Index, Agent: owner.Of(unit(r)), Conversation: r.Conversation, Turn: r.Turn, Due: r.Due,
				PromptTokens: r.PromptTokens, OutputTokens: r.OutputTokens,
			}) {
				return
			}
		}
	}
}

// divide writes the journals of agents whose clocks stand elsewhere, and which began at
// slightly other moments.
func divide(t testing.TB, list []journal.Request, weights []int) *fleet {
	t.Helper()
	f := &fleet{dir: t.TempDir(), plan: &Plan{
		Run: "r1", Start: start, Lease: 5 * time.Second, Planned: planned(list, weights), WorkloadSHA: "whole",
	}}
	owner := share.NewOwner(weights)
	for a := range weights {
		offset := int64(a-1) * int64(time.Hour)
		shift := int64(a) * 7000 // ns
		var own []journal.Request
		for _, r := range list {
			if owner.Of(unit(&r)) == a {
				check(t, r.Move(-shift))
				own = append(own, r)
			}
		}
		agent := Agent{
			ID: fmt.Sprintf("a%d", a), Name: fmt.Sprintf("node-%d", a), Share: share.Share{Index: a, Weights: weights}, Offset: offset, OffsetError: 20_000,
			Journal: filepath.Join(f.dir, fmt.Sprintf("%d.zst", a)), Whole: true, LastContact: start,
			Status: &message.Status{Phase: message.Ended, Sent: len(own), Reserved: len(own)},
		}
		sha := fmt.Sprintf("share %d", a)
		record(t, agent.Journal, firstLine(start+shift-offset), own, &journal.End{
			At: 1, Sent: len(own), WorkloadSHA: sha, PeakInFlight: 3, Client: journal.Client{UserCPUNs: ms, MaxRSSBytes: int64(a)},
		})
		f.plan.Agents, f.plan.ShareSHA = append(f.plan.Agents, agent), append(f.plan.ShareSHA, sha)
	}
	return f
}

// merged merges, and reads the result.
func (f *fleet) merged(t testing.TB) (*Summary, *judged.Run) {
	t.Helper()
	out := filepath.Join(f.dir, "whole")
	check(t, os.RemoveAll(out))
	check(t, os.Mkdir(out, 0o755))
	w, err := journal.Create(filepath.Join(out, journal.FileName))
	check(t, err)
	sum, err := Merge(f.plan, w)
	check(t, err)
	check(t, w.Close())
	run, err := judged.Read(out, measure.Options{})
	check(t, err)
	return sum, run
}

// What a fleet sent and measured is what one client would have, to the last digit.
func TestAFleetEqualsOneClient(t *testing.T) {
	list := single(1000)
	dir := t.TempDir()
	record(t, filepath.Join(dir, journal.FileName), firstLine(start), list, &journal.End{At: 1, Sent: len(list), WorkloadSHA: "whole"})
	one, err := judged.Read(dir, measure.Options{})
	check(t, err)
	for _, weights := range [][]int{{1}, {1, 1, 1}, {1, 4, 2, 0}} {
		f := divide(t, list, weights)
		sum, many := f.merged(t)
		if sum.Planned != 1000 || sum.Complete != one.Result.Completed || sum.Failed != one.Result.Failed || sum.Lost+sum.Unsent+sum.Skipped+sum.Duplicates+sum.Foreign != 0 {
			t.Errorf("%v: %+v", weights, sum)
		}
		a, b := *one.Result, *many.Result
		if b.End.WorkloadSHA != "whole" || b.Run.StartUnixNs != start || len(b.Run.Fleet.Agents) != len(weights) {
			t.Errorf("%v: %+v %+v", weights, b.Run, b.End)
		}
		a.Run, a.End, b.Run, b.End = nil, nil, nil, nil
		a.Client.Cost, b.Client.Cost, b.Agents = nil, nil, nil
		for i := range a.Metrics { // functions are never equal
			if a.Metrics[i].Metric.Name != b.Metrics[i].Metric.Name || !reflect.DeepEqual(a.Metrics[i].Stats, b.Metrics[i].Stats) {
				t.Errorf("%v: %s: %+v\nalone %+v", weights, a.Metrics[i].Metric.Name, b.Metrics[i].Stats, a.Metrics[i].Stats)
			}
		}
		for i := range a.More {
			if a.More[i].Metric.Name != b.More[i].Metric.Name || a.More[i].Summary != b.More[i].Summary {
				t.Errorf("%v: %s: %+v\nalone %+v", weights, a.More[i].Metric.Name, b.More[i].Summary, a.More[i].Summary)
			}
		}
		a.Metrics, b.Metrics, a.More, b.More = nil, nil, nil, nil
		if !reflect.DeepEqual(a, b) {
			av, bv := reflect.ValueOf(a), reflect.ValueOf(b)
			for i := range av.NumField() {
				if !reflect.DeepEqual(av.Field(i).Interface(), bv.Field(i).Interface()) {
					t.Errorf("%v: %s: %+v\nalone %+v", weights, av.Type().Field(i).Name, bv.Field(i).Interface(), av.Field(i).Interface())
				}
			}
		}
	}
}

// An agent that died: what it may have sent within its lease is lost, the rest is unsent; all are
// accounted for, and the run is not longer for them.
func TestAnAgentDied(t *testing.T) {
	list := single(300)
	f := divide(t, list, []int{1, 1, 1})
	a := &f.plan.Agents[1]
	var own []journal.Request
	for _, r := range list {
		if r.Index%3 == 1 && len(own) < 40 {
			own = append(own, r)
		}
	}
	a.Journal = filepath.Join(f.dir, "died.zst")
	record(t, a.Journal, firstLine(start-a.Offset), own, nil)
	a.Whole, a.Gone, a.Status = false, "no word for 5 s", &message.Status{Phase: message.Running, Sent: 45, Reserved: 47}
	a.LastContact = f.plan.Start - int64(f.plan.Lease) - a.OffsetError + list[1+3*50].Due - 1 // the lease is over before the 50th
	sum, run := f.merged(t)
	if sum.Lost != 10 || sum.Unsent != 50 || sum.Complete+sum.Failed != 240 || sum.Planned != 300 {
		t.Errorf("%+v", sum)
	}
	r := run.Result
	if r.End.WorkloadSHA != "" || r.End.Interrupted != "an agent was lost" || !r.Partial {
		t.Errorf("%+v", r.End)
	}
	last := int64(0)
	for i := range list {
		if list[i].Index%3 != 1 || list[i].Index/3 < 40 {
			last = max(last, list[i].End)
		}
	}
	if got := int64(r.Duration*1e9 + 0.5); got != last {
		t.Errorf("the run took %d ns, its last request ended at %d", got, last)
	}
}

// What is not an agent's own, or comes again, is left out and counted.
func TestLinesThatAreNotTheAgentsOwn(t *testing.T) {
	list := single(30)
	f := divide(t, list, []int{1, 1})
	a := &f.plan.Agents[0]
	own := []journal.Request{list[0], list[2], list[2], list[3], list[4]}
	own[4].Index = 1 << 39
	negative := list[6]
	negative.Index = -7
	lost := list[8]
	lost.Outcome = journal.Lost
	elsewhere := list[10]
	elsewhere.Target = 1
	run := firstLine(start - a.Offset)
	run.Targets = []journal.Target{{URL: "http://a"}, {URL: "http://b"}}
	a.Journal = filepath.Join(f.dir, "odd.zst")
	record(t, a.Journal, run, append(own, negative, lost, elsewhere), &journal.End{Sent: 8})
	f.plan.Agents[0], f.plan.Agents[1] = f.plan.Agents[1], f.plan.Agents[0] // the first line is now of one without targets
	f.plan.Planned = func(yield func(Request) bool) {
		for r := range planned(list, []int{1, 1}) {
			if r.Agent = 1 - r.Agent; !yield(r) {
				return
			}
		}
	}
	sum, _ := f.merged(t)
	if sum.Complete+sum.Failed != 15+2 || sum.Duplicates != 1 || sum.Foreign != 5 || sum.Planned != 30 || sum.Lost+sum.Unsent != 13 {
		t.Errorf("%+v", sum)
	}
	if notes := strings.Join(sum.Notes, "\n"); !strings.Contains(notes, "request 2 came twice") {
		t.Errorf("notes: %s", notes)
	}
}

// Turns that were never sent because their conversation had failed are no loss: one client has no line for them either.
func TestTurnsOfAConversationThatEnded(t *testing.T) {
	list := single(40)
	for i := range list {
		list[i].Conversation, list[i].Turn = i/4+1, i%4+1
	}
	f := divide(t, list, []int{1, 1})
	a := &f.plan.Agents[0] // conversations 1, 3, 5, 7, 9
	a.Journal = filepath.Join(f.dir, "talks.zst")
	over := func(n, sent int) *journal.Conversation {
		return &journal.Conversation{Number: n, Turns: 4, Sent: sent, Skipped: 4 - sent, Outcome: journal.ConversationFailed, End: 9}
	}
	record(t, a.Journal, firstLine(start-a.Offset), []journal.Request{list[0], list[1], list[8]}, nil, over(1, 2), over(2, 1), over(3, 1), over(3, 1), over(900, 1))
	a.Whole, a.Gone, a.Status = false, "gone", &message.Status{Phase: message.Draining, Sent: 3, Reserved: 4}
	sum, run := f.merged(t)
	// Conversation 5 and 7 lie below the four that it may have sent by their number, 9 does not.
	if sum.Skipped != 2+3 || sum.Lost != 8 || sum.Unsent != 4 || sum.Planned != 40 {
		t.Errorf("%+v", sum)
	}
	if c := run.Result.Jobs; c == nil || c.Failed != 2 {
		t.Errorf("jobs: %+v", c)
	}
}

func TestNothingCanBeRead(t *testing.T) {
	list := single(10)
	f := divide(t, list, []int{1, 1})
	for i := range f.plan.Agents {
		f.plan.Agents[i].Journal, f.plan.Agents[i].Status = "", nil
	}
	w, err := journal.Create(filepath.Join(f.dir, "x"))
	check(t, err)
	defer w.Close()
	if _, err := Merge(f.plan, w); err != ErrNothing {
		t.Errorf("%v", err)
	}
	f.plan.First = firstLine(0)
	sum, run := f.merged(t)
	if sum.Unsent != 10 || sum.Planned != 10 || run.Result.Requests != 0 {
		t.Errorf("%+v, %+v", sum, run.Result.Requests)
	}
}

// A journal of another time is not of this run, whatever it says.
func TestAJournalOfAnotherRun(t *testing.T) {
	f := divide(t, single(20), []int{1, 1})
	f.plan.Agents[1].Offset += int64(2 * time.Hour)
	sum, run := f.merged(t)
	if sum.Lost != 10 || !strings.Contains(strings.Join(sum.Notes, ""), "can't be of it") || run.Result.End.WorkloadSHA != "" {
		t.Errorf("%+v", sum)
	}
}

// A closed loop with a duration has no list: what the share owns is its agent's.
func TestWithoutAList(t *testing.T) {
	list := single(60)
	f := divide(t, list, []int{1, 2})
	f.plan.Planned = nil
	sum, _ := f.merged(t)
	if sum.Complete+sum.Failed != 60 || sum.Planned != 60 {
		t.Errorf("%+v", sum)
	}
	a := &f.plan.Agents[1]
	record(t, a.Journal+"x", firstLine(start-a.Offset), []journal.Request{list[1], list[2], list[0]}, nil)
	a.Journal += "x"
	a.Whole, a.Gone, a.Status = false, "gone", &message.Status{Phase: message.Running, Sent: 4, Reserved: 6}
	if sum, _ = f.merged(t); sum.Lost < 3 || sum.Foreign != 1 || sum.Unsent != 0 {
		t.Errorf("%+v", sum)
	}
}
