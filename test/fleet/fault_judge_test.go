//go:build linux

package fleet

import (
	"cmp"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/inferometer/inferometer/test/fleet/stage"
)

// TestFaults plays the table of faults. By the server's truth: each planned request has one outcome
// and a true one, and nothing is destroyed that the leader does not hold.
//
//	go test ./test/fleet -run Faults -faults all -parallel 6 -v
func TestFaults(t *testing.T) {
	for i := range faultRuns {
		f := &faultRuns[i]
		if !f.few && *faults != "all" {
			continue
		}
		t.Run(strings.ReplaceAll(f.name, " ", "-"), func(t *testing.T) {
			t.Parallel()
			f.play(t, i)
		})
	}
}

// TestCutOffThenKilled: an agent is cut off NATS for so long that it gives its connection up, goes on by
// itself within its lease, and is killed. What it had told before comes through when the cut is
// mended, and then the end of its connection: that looks like the death of an agent in contact.
func TestCutOffThenKilled(t *testing.T) {
	if *faults != "all" {
		t.Skip("-faults all plays it")
	}
	t.Parallel()
	f := &faultRun{lease: 20 * time.Second, seconds: 14, during: func(p *play) {
		p.at(time.Second)
		p.cut("nats", 0)
		p.at(time.Second + 11*time.Second)
		p.agents[0].Kill()
		p.mend("nats", 0)
	}}
	f.play(t, 0)
}

func (f *faultRun) play(t *testing.T, number int) {
	p := newPlay(t, faultAgents)
	if f.before != nil {
		f.before(p)
	}
	flags := f.flags
	if flags == nil {
		flags = []string{"--request-rate", strconv.Itoa(faultRate)}
	}
	p.open("fault-", faultRate, cmp.Or(f.seconds, faultSeconds), append(flags, "--seed", strconv.Itoa(number), "--fleet-lease", cmp.Or(f.lease, faultLease).String(), "--fleet-wait", "6s")...)
	p.lead()
	if f.early != nil {
		f.early(p)
		f.nothingSent(p)
		return
	}
	p.awaitLoad()
	if f.during != nil {
		f.during(p)
	}
	code := p.awaitLeader()
	p.note("the leader ends with %d", code)
	f.judge(p)
}

// nothingSent is what a run that could not begin is held to.
func (f *faultRun) nothingSent(p *play) {
	if code := p.awaitLeader(); code == 0 {
		p.t.Error("a run that did not begin ends with 0")
	}
	f.saysWhy(p)
	if truth := p.truth(); len(truth) > 0 {
		p.t.Errorf("the server saw %d requests", len(truth))
	}
}

// judge is what every run is held to, once its leader has ended.
func (f *faultRun) judge(p *play) {
	t := p.t
	f.saysWhy(p)
	var first *stage.Journal
	if p.over() {
		first = must[*stage.Journal](t)(stage.ReadJournal(p.Run("fleet")))
	}
	lacking := p.lacking()
	for _, j := range lacking {
		t.Logf("the leader lacks the journal of %s, or a part of it", j.Name)
	}
	run := ""
	if len(lacking) > 0 {
		run = p.named(lacking)
	} else if first == nil {
		t.Error("the leader has all journals, and no result")
	}
	if f.after != nil {
		f.after(p)
	}
	if run != "" {
		p.attach(run)
	}
	truth := p.truth()
	if first != nil {
		tally := p.account("the leader's result", first, truth)
		if f.killed > 0 {
			f.bound(p, tally, first, truth)
		}
	}
	if run == "" {
		p.wholeOf(first)
		return
	}
	if !p.over() {
		t.Fatal("there is no result")
	}
	last := must[*stage.Journal](t)(stage.ReadJournal(p.Run("fleet")))
	p.account("after attach", last, truth)
	p.wholeOf(last)
}

// saysWhy looks for the cause in what leaders printed.
func (f *faultRun) saysWhy(p *play) {
	p.t.Helper()
	for _, word := range f.says {
		if !regexp.MustCompile(word).MatchString(p.leader.Said()) {
			p.t.Errorf("the leader does not say %q:\n%s", word, p.leader.Said())
		}
	}
	for _, word := range f.not {
		if regexp.MustCompile(word).MatchString(p.leader.Said()) {
			p.t.Errorf("the leader says %q", word)
		}
	}
}

// bound holds what is called lost against what the server saw of it: at most twice as much, and what
// an agent sends in a second.
func (f *faultRun) bound(p *play, tally stage.Tally, j *stage.Journal, truth stage.Truth) {
	p.t.Helper()
	seen := 0
	for i, all := range j.Requests {
		if all[0].Outcome == stage.Lost && len(truth[i]) > 0 {
			seen++
		}
	}
	most := 2*seen + f.killed*faultRate/faultAgents
	p.t.Logf("%d are called lost; the server saw %d of them, so that %d are allowed", tally.Lost, seen, most)
	if tally.Lost > most {
		p.t.Errorf("%d are called lost, and the server saw %d of them: more than %d", tally.Lost, seen, most)
	}
}

// over says whether the run's journal is made, to its last line.
func (p *play) over() bool {
	j, err := stage.ReadJournal(p.Run("fleet"))
	return err == nil && j.End != nil
}
