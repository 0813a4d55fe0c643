package main

import (
	"errors"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
)

// A machine is not quiet where more than this of its time went elsewhere: then what came by itself is the situation.
const (
	mostStolen = 0.02
	mostOthers = 0.10
)

// The names of what comes by itself.
const (
	stealCame  = "steal as it came"
	othersCame = "other programs as they came"
)

// judged is a run and what its verdict was worth.
type judged struct {
	situation situation
	seed      uint64
	level     string
	reasons   []string
	sentences []string
	unmade    int // of the checks that could name the situation
	numbers   []number

	stolen, others float64
	kept           string // the run's folder, where it is left
}

const valid = "VALID"

// spoiled: the situation is one in which the verdict must name what is wrong with the run itself.
func (j *judged) spoiled() bool { return len(j.situation.reasons) > 0 }

// off are the numbers that miss a truth.
func (j *judged) off() []number {
	return slices.DeleteFunc(slices.Clone(j.numbers), func(n number) bool { _, off := n.off(); return !off })
}

// miss: it says that all is well, and a number is off.
func (j *judged) miss() bool { return !j.spoiled() && j.level == valid && len(j.off()) > 0 }

// falseAlarm: it says that something is wrong, and no number is off.
func (j *judged) falseAlarm() bool { return !j.spoiled() && j.level != valid && len(j.off()) == 0 }

// answer grades it.
func (j *judged) answer() answer {
	named := slices.ContainsFunc(j.reasons, func(r string) bool { return slices.Contains(j.situation.reasons, r) })
	switch {
	case j.spoiled() && j.level == valid && j.unmade == len(j.situation.reasons):
		return undecided // the verdict says that it did not look for any of them
	case j.spoiled() && (j.level == valid || !named), j.miss():
		return wrong
	case j.falseAlarm() && slices.ContainsFunc(j.numbers, number.wide):
		return undecided
	case j.falseAlarm():
		return wrong
	}
	return right
}

// came is the situation under which it is counted: where the machine was not quiet by itself, that is it.
func (j *judged) came() (name string, quiet bool) {
	switch {
	case !j.situation.quiet:
		return j.situation.name, false
	case j.stolen > mostStolen:
		return stealCame, false
	case j.others > mostOthers:
		return othersCame, false
	}
	return j.situation.name, true
}

// verdictTrials judges the verdict of drawn runs, one after the other.
func verdictTrials(o *options) ([]tally, error) {
	interrupt := make(chan os.Signal, 1)
	signal.Notify(interrupt, os.Interrupt, syscall.SIGTERM)
	defer signal.Stop(interrupt)
	plan := verdictPlan(o)
	if len(plan) == 0 {
		return nil, fmt.Errorf("there is no situation %q; there are %s", o.within, situationNames())
	}
	var all []judged
	failed := 0
	for i, s := range plan {
		j, err := judgeOne(o, s, o.seed+uint64(i))
		switch {
		case err != nil:
			err = fmt.Errorf("%s, seed %d: %w", s.name, o.seed+uint64(i), err)
			if failed++; failed > len(plan)/mostFailed {
				return nil, err
			}
			fmt.Fprintf(os.Stderr, "judgement: not counted: %v\n", err)
		default:
			all = append(all, *j)
			if o.verbose && (j.answer() != right || len(j.off()) > 0) {
				fmt.Print(j.show())
			}
		}
		select {
		case <-interrupt:
			return nil, errors.New("interrupted")
		default:
		}
	}
	if failed > 0 {
		o.note("verdict: %d trials could not be played, and are not in the table", failed)
	}
	return verdictTallies(o, all), nil
}

// mostFailed: of so many trials one may fail to be played, as on a machine that is too busy to end a process in time.
const mostFailed = 20

func situationNames() string {
	var names []string
	for _, s := range situations {
		names = append(names, s.name)
	}
	return strings.Join(names, ", ")
}

// verdictPlan is which situations are played, in which order: in full each as often as it says, else some of them.
func verdictPlan(o *options) []situation {
	var list []situation
	for _, s := range situations {
		if o.within == "" || o.within == s.name {
			list = append(list, slices.Repeat([]situation{s}, o.pick(1, s.trials))...)
		}
	}
	if len(list) == 0 {
		return nil
	}
	newDice(o.seed).Shuffle(len(list), func(a, b int) { list[a], list[b] = list[b], list[a] })
	n := o.pick(min(12, len(list)), len(list))
	if o.trials > 0 {
		n = o.trials
	}
	return slices.Repeat(list, 1+n/len(list))[:n]
}

// verdictTallies counts them, in the order of the situations, and notes what point is made of false alarms and misses.
func verdictTallies(o *options, all []judged) []tally {
	var out []tally
	for _, s := range situations {
		out = append(out, tally{situation: s.name, quiet: s.quiet})
	}
	out = append(out, tally{situation: stealCame}, tally{situation: othersCame})
	alarms, open, misses, machine, isValid, wide, wideTail := 0, 0, 0, 0, 0, 0, 0
	for i := range all {
		j := &all[i]
		name, _ := j.came()
		out[slices.IndexFunc(out, func(t tally) bool { return t.situation == name })].add(j.answer())
		if j.spoiled() {
			continue
		}
		machine++
		if j.level == valid {
			isValid++
			wide += count(j.numbers, func(n number) bool { return n.wide() && !n.tail() })
			wideTail += count(j.numbers, func(n number) bool { return n.wide() && n.tail() })
		}
		if j.falseAlarm() {
			alarms++
		}
		if j.answer() == undecided {
			open++
		}
		if j.miss() {
			misses++
		}
	}
	if machine == 0 {
		return slices.DeleteFunc(out, func(t tally) bool { return t.trials() == 0 })
	}
	o.note("verdict: false alarms (not VALID, though every shown number lies within 2 %% of the truth or its interval holds it) %s, of which %d state an interval wider than 10 %% of a number; misses (VALID, though one does not) %s",
		share(alarms, machine), open, share(misses, machine))
	o.note("verdict: of the runs called VALID, %s state an interval wider than 10 %% for a mean, a median or a rate, and %s for a p99",
		share(wide, isValid), share(wideTail, isValid))
	return slices.DeleteFunc(out, func(t tally) bool { return t.trials() == 0 })
}

// count is 1 where some number is so.
func count(numbers []number, is func(number) bool) int {
	if slices.ContainsFunc(numbers, is) {
		return 1
	}
	return 0
}

// judgeOne plays a run and reads its verdict.
func judgeOne(o *options, s situation, seed uint64) (_ *judged, err error) {
	set, err := s.draw(newDice(seed))
	if err != nil {
		return nil, err
	}
	if set.done != nil {
		defer func() { err = errors.Join(err, set.done()) }()
	}
	set.binary, set.server, set.seed = o.binary, o.server, seed
	before := readUsage()
	p, err := set.perform()
	if err != nil {
		return nil, err
	}
	j := &judged{situation: s, seed: seed}
	j.stolen, j.others = readUsage().since(before)
	err = j.read(p, set.constants)
	if o.keep && (err != nil || j.answer() != right) {
		j.kept = p.folder
	} else {
		p.done()
	}
	return j, err
}

// read takes the verdict and the numbers out of what a run left.
func (j *judged) read(p *played, c *constants) error {
	var r result
	if err := p.result(&r); err != nil {
		return err
	}
	v := &r.Inferometer.Verdict
	j.level, j.reasons = v.Level, v.Reasons
	for _, check := range v.Checks {
		if check.Level == "not checked" && slices.Contains(j.situation.reasons, check.Name) {
			j.unmade++
		}
		if slices.Contains(v.Reasons, check.Name) {
			j.sentences = append(j.sentences, fmt.Sprintf("%s (%s): %s", check.Name, check.Level, check.Sentence))
		}
	}
	if j.spoiled() {
		return nil
	}
	j.numbers = r.numbers()
	if _, quiet := j.came(); quiet || !j.situation.whole && !j.situation.quiet {
		c = nil // the log is the truth
	}
	return truths(j.numbers, p, c)
}

// word is what it is called in the list of trials.
func (j *judged) word() string {
	switch {
	case j.miss():
		return "miss"
	case j.falseAlarm():
		return "false alarm"
	case j.answer() == undecided:
		return "not checked"
	case j.answer() == wrong:
		return "not named"
	}
	return "right"
}

// show is what an engineer needs to see why it was not right.
func (j *judged) show() string {
	var b strings.Builder
	name, _ := j.came()
	fmt.Fprintf(&b, "%s: seed %d, %s: %s; stolen %.1f %%, others %.1f %%\n", j.word(), j.seed, name, j.level, 100*j.stolen, 100*j.others)
	if name != j.situation.name {
		fmt.Fprintf(&b, "  drawn as: %s\n", j.situation.name)
	}
	if j.kept != "" {
		fmt.Fprintf(&b, "  in %s\n", j.kept)
	}
	for _, s := range j.sentences {
		fmt.Fprintf(&b, "  reason %s\n", s)
	}
	for _, n := range j.off() {
		t, _ := n.off()
		fmt.Fprintf(&b, "  off by %+.1f %% (%s): %v\n", 100*(n.shown/t.value-1), t.by, n)
	}
	for _, n := range j.numbers {
		if n.wide() {
			fmt.Fprintf(&b, "  wide: %v\n", n)
		}
	}
	return b.String()
}
