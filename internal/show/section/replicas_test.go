package section

import (
	"fmt"
	"strings"
	"testing"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/judge/measure"
	"github.com/inferometer/inferometer/internal/judge/replica"
	"github.com/inferometer/inferometer/internal/show/table"
)

// console is a section as a terminal shows it.
func console(s *Section) string {
	var b strings.Builder
	for _, t := range s.Tables {
		(&table.Console{}).Write(&b, t)
	}
	return b.String()
}

func replicasOf(n int) *measure.Replicas {
	all := &measure.Replicas{}
	for i := range n {
		one := measure.ReplicaResult{Requests: 100, Completed: 100}
		one.Name = fmt.Sprintf("http://10.0.0.%d:8000", i)
		one.TTFT = measure.Summary{Mean: 50, P50: 50, P99: 60, Count: 100}
		all.Each = append(all.Each, one)
	}
	return all
}

func shownReplicas(all *measure.Replicas) *Section {
	return replicas(&Run{Result: &measure.Result{Run: &journal.Run{}, Duration: 100, Requests: 100, Replicas: all}})
}

// Of two hundred the one that is odd comes first, and a terminal has room for the others.
func TestManyReplicasFit(t *testing.T) {
	all := replicasOf(200)
	all.Each[150].Requests, all.Each[150].TTFT.Mean = 900, 500
	all.Each[151].Failed, all.Each[151].Outcomes = 100, []measure.OutcomeCount{{Outcome: journal.Reset, Count: 100}}
	last := 30.0
	all.Each[151].Last = &last
	s := shownReplicas(all)
	out := console(s)
	if rows := strings.Count(out, "10.0.0."); rows > 2*maxOnConsole || !strings.HasPrefix(strings.Split(out, "\n")[1], "10.0.0.150:8000") {
		t.Errorf("%d rows:\n%s", rows, out)
	}
	if want := "10.0.0.151:8000: 100 reset; it answered nothing after 30.0 s"; !strings.Contains(out, want) {
		t.Errorf("no %q in\n%s", want, out)
	}
	if len(s.Tables[0].Rows) != 200 {
		t.Errorf("files have %d rows", len(s.Tables[0].Rows))
	}
}

func TestReplicasInWords(t *testing.T) {
	all := replicasOf(3)
	all.Load, all.LoadBy = replica.LoadOf([]float64{300, 20, 10}), measure.ByCounters
	all.Unknown = &measure.ReplicaResult{Requests: 40, Share: 0.4, Outcomes: []measure.OutcomeCount{{Outcome: journal.HTTP5xx, Count: 40}}}
	all.Unknown.Name = "not known"
	all.Prefillers = []measure.ReplicaResult{{Replica: replica.Replica{Name: "p\x1b[2J", Role: journal.Prefill}, Requests: 7}}
	chance := 0.4
	all.Affinity = &replica.Affinity{Turns: 10, Kept: 9, KeptFirst: 8, Chance: &chance, Prefixed: 20, Elsewhere: 5, Prefixes: 4, Copies: 6}
	s := shownReplicas(all)
	out := console(s)
	for _, want := range []string{
		"not known", "the busiest has 2.73 times the mean, CoV 1.22, max/min 30.00; by the replicas' own counters",
		"90.0 % of 10 later turns on the replica of the turn before, 80.0 % on that of the first; 40.0 % by chance",
		"25.0 % of 20 prompts went elsewhere than most with the same prefix; a prefix was on 1.5 replicas", "40 requests, 40.0 % of all: 40 http_5xx", "prefill",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	if s.Title != "3 replicas behind a router" || strings.Contains(out, "\x1b") {
		t.Errorf("%q: %q", s.Title, out)
	}
	if shownReplicas(nil) != nil {
		t.Error("a run against one server has a section of replicas")
	}
}

// What no answer names is not known, and no 0.
func TestReplicasThatNobodyNames(t *testing.T) {
	all := replicasOf(2)
	for i := range all.Each {
		all.Each[i].Requests, all.Each[i].Completed, all.Each[i].TTFT = 0, 0, measure.Summary{}
	}
	all.Unknown = &measure.ReplicaResult{Requests: 100, Completed: 100, Share: 1}
	out := console(shownReplicas(all))
	if want := "10.0.0.0:8000       n/a     n/a    n/a"; !strings.Contains(out, want) {
		t.Errorf("no %q in\n%s", want, out)
	}
}
