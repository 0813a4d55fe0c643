package verdict

import (
	"slices"
	"strings"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/judge/bounds"
	"github.com/inferometer/inferometer/internal/judge/hardware"
	"github.com/inferometer/inferometer/internal/judge/measure"
	"github.com/inferometer/inferometer/internal/judge/recovery"
	"github.com/inferometer/inferometer/internal/judge/row"
)

// Collector judges a run request by request. It is a row.Collector.
type Collector struct {
	facts  *facts
	table  []entry
	checks []check
	view   view
}

// check is one check while the journal is read. add gets every request, warm-ups
// too; result is asked once, after the last.
type check interface {
	add(v *view)
	result(f *facts, l limits) Check
}

// atEnd makes a check that needs nothing of single requests.
func atEnd(judge judgement) func(*facts) check { return func(*facts) check { return judge } }

// judgement is a check of facts alone.
type judgement func(f *facts, l limits) Check

func (judgement) add(*view) {}

func (j judgement) result(f *facts, l limits) Check { return j(f, l) }

// NewCollector begins a verdict.
func NewCollector(run *journal.Run, opt Options) *Collector {
	c := &Collector{facts: newFacts(run, opt.withDefaults(&run.Options)), table: table()}
	if c.facts.fleet == nil {
		c.table = slices.DeleteFunc(c.table, func(e entry) bool { return e.group == fleetGroup })
	}
	for _, e := range c.table {
		c.checks = append(c.checks, e.make(c.facts))
	}
	return c
}

// Add takes the next request; it keeps nothing of it.
func (c *Collector) Add(r *row.Request) error {
	if r.Sample { // sent after the load: for one check alone
		for _, k := range c.checks {
			if k, ok := k.(*integrity); ok {
				k.again(r.Request)
			}
		}
		return nil
	}
	c.view.read(r)
	c.facts.add(&c.view)
	for _, k := range c.checks {
		k.add(&c.view)
	}
	return nil
}

// Hardware gives what devices told, before the verdict.
func (c *Collector) Hardware(s *hardware.Summary) { c.facts.hardware = s }

// Bounds gives what the shown numbers can be off by, before the verdict.
func (c *Collector) Bounds(b *bounds.Bounds) { c.facts.bounds = b }

// Jobs gives what was measured of conversations as a whole, before the verdict; nil: there were none.
func (c *Collector) Jobs(j *measure.Jobs) { c.facts.jobs = j }

// Recovery gives what was felt of faults on purpose, before the verdict; nil: there were none.
func (c *Collector) Recovery(r *recovery.Recovery) { c.facts.recovery = r }

// Verdict is called once, after the last request.
func (c *Collector) Verdict(end *journal.End, samples []journal.Sample, scrapes []journal.Scrape) *Verdict {
	f := c.facts
	if f.jobs == nil {
		c.leaveOut(jobsGroup)
	}
	if f.recovery == nil {
		c.leaveOut(faultsGroup)
	}
	f.end, f.samples = end, samples
	f.server = newServer(f.run, scrapes)
	f.judge = c.judged()
	if f.fleet != nil {
		f.fleet.ended(end, samples, f.judge)
	}
	v := &Verdict{Level: TrustValid, Reasons: []string{}}
	for i := range c.table {
		v.Checks = append(v.Checks, *f.judge(c.table[i].name))
	}
	v.Requests = f.measured
	for i := range v.Checks {
		if v.Checks[i].Level != NotChecked {
			v.Made++
		}
	}
	v.Unsupported = c.unsupported()
	c.explain(v)
	v.sum()
	return v
}

// leaveOut drops the checks of a group, of which the run has nothing.
func (c *Collector) leaveOut(group string) {
	for i := len(c.table) - 1; i >= 0; i-- {
		if c.table[i].group == group {
			c.table, c.checks = slices.Delete(c.table, i, i+1), slices.Delete(c.checks, i, i+1)
		}
	}
}

// unsupported is known after the check samples was made.
func (c *Collector) unsupported() []string {
	for _, k := range c.checks {
		if k, ok := k.(*samples); ok {
			return k.unsupported
		}
	}
	return nil
}

// judged gives each check's result by name, and makes it once. A check may ask
// for another one's result in its own, so long as they do not ask in a circle.
func (c *Collector) judged() func(name string) *Check {
	done := map[string]*Check{}
	return func(name string) *Check {
		if k := done[name]; k != nil {
			return k
		}
		i := slices.IndexFunc(c.table, func(e entry) bool { return e.name == name })
		e := &c.table[i]
		k := c.checks[i].result(c.facts, e.limits)
		c.facts.forgive(e.name, &k)
		k.Name, k.Group, k.Threshold = e.name, e.group, e.limits.String()
		if k.Level.Bad() || k.Level == Noted {
			if k.Hint == "" { // else the check knows better what can be done
				k.Hint = e.hint
			}
		}
		done[name] = &k
		return &k
	}
}

// explain names the cause of a bad check where another bad one, no milder, is known to
// make it so: of several the worst, and then the first of the table's. Where there is none it is the first that is noted.
func (c *Collector) explain(v *Verdict) {
	for i, e := range c.table {
		k := &v.Checks[i]
		if !k.Level.Bad() || k.Because != "" {
			continue
		}
		worst := k.Level.weight() - 1
		for _, name := range e.because {
			cause := v.Check(name)
			if cause == nil {
				continue // only a fleet has it
			}
			weight := cause.Level.weight()
			if cause.Level == Noted && k.Because == "" || cause.Level.Bad() && weight > worst {
				k.Because, worst = name, max(weight, worst)
			}
		}
	}
	v.countFailures()
}

// countFailures has a restart that explains failed requests say how many: what failed is named wherever
// reasons are, also where it is not the reason.
func (v *Verdict) countFailures() {
	failed, restart := v.Check("outcomes"), v.Check("restart")
	if failed == nil || restart == nil || failed.Because != restart.Name {
		return
	}
	words, _, _ := strings.Cut(failed.Sentence, "; ") // without the words of the first
	restart.Effect += "; " + words
}

// sum takes the worst of the checks, and lists the reasons, worst first.
func (v *Verdict) sum() {
	for _, level := range []Level{Invalid, Suspect} {
		for i := range v.Checks {
			if v.Checks[i].Level != level {
				continue
			}
			switch {
			case level == Invalid:
				v.Level = TrustInvalid
			case v.Level == TrustValid:
				v.Level = TrustSuspect
			}
			// What is noted is a cause and by itself no harm: the reason is what it did.
			if cause := v.Check(v.Checks[i].Because); cause == nil || !cause.Level.Bad() {
				v.Reasons = append(v.Reasons, v.Checks[i].Name)
			}
		}
	}
}
