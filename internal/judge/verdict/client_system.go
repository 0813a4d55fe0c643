package verdict

import (
	"fmt"
	"strings"

	"github.com/inferometer/inferometer/internal/journal"
)

// counter is a check on how much a counter of the samples grew over the run.
type counter struct {
	of     func(*journal.Sample) int64
	procs  func(*journal.Environment) int // the share is of so many processors; nil: of the time
	absent string
	words  string  // with the share for %s
	grain  float64 // ns that are no finding, however short the run: what the counter can't tell
}

func cpuShare() check {
	return &counter{
		func(s *journal.Sample) int64 { return s.CPUNs }, func(e *journal.Environment) int { return e.GoMaxProcs },
		"the client's processor time", "the client used %s of the processors available to it", 0,
	}
}

func cpuWait() check {
	return &counter{
		func(s *journal.Sample) int64 { return s.WaitNs }, func(e *journal.Environment) int { return e.GoMaxProcs },
		"the time that threads waited for a processor", "the client's threads waited for a processor for %s of the time", 0,
	}
}

func stolen() check {
	return &counter{
		func(s *journal.Sample) int64 { return s.StealNs }, func(e *journal.Environment) int { return e.CPUs },
		"stolen time", "the hypervisor took %s of the machine's time", 20e6, // the system counts in ticks of 10 ms
	}
}

func gcPauses() check {
	return &counter{
		func(s *journal.Sample) int64 { return s.GCPauseNs }, nil,
		"pauses of the garbage collector", "the client was paused for %s of the time for garbage collection", 0,
	}
}

func (c *counter) add(*view) {}

func (c *counter) result(f *facts, l limits) Check {
	grown, span, ok := f.change(c.of)
	procs := 1
	if c.procs != nil {
		procs = c.procs(&f.run.Environment)
	}
	if !ok || procs < 1 {
		return skip("%s: not in the journal (the system does not report it, or the run was too short)", c.absent)
	}
	share := grown / (span * float64(procs))
	k := found(l, share, percent(share), c.words, percent(share))
	if grown <= c.grain {
		k.Level = OK
	}
	return k
}

// exhausted is a limit of the machine that requests have failed by.
func exhausted(l limits, failed int, why string) Check {
	k := found(l, 1, counted(failed, "request"), "%s failed because %s", counted(failed, "request"), why)
	k.Level = Invalid
	return k.brief("%s failed because %s", counted(failed, "request"), why)
}

// files looks at descriptors: who has none left can't connect.
type files struct{ failed int }

func (c *files) add(v *view) {
	if strings.Contains(v.Error, "too many open files") {
		c.failed++
	}
}

func (c *files) result(f *facts, l limits) Check {
	if c.failed > 0 {
		return exhausted(l, c.failed, "too many files were open")
	}
	most := -1
	for i := range f.samples {
		most = max(most, f.samples[i].Files)
	}
	limit := f.run.Environment.FDLimit
	if most < 0 || limit == 0 {
		return skip("the number of open files or its limit is not in the journal")
	}
	share := float64(most) / float64(limit)
	return found(l, share, percent(share), "at most %d files were open, and the limit is %d", most, limit).
		brief("the client had %d files open, and the limit is %d", most, limit)
}

// ports looks at connections opened in a minute: a port rests so long after its
// connection was closed. The journal does not hold the range; Linux's usual one is taken.
type ports struct{ failed int }

const (
	usualPorts = 60999 - 32768 + 1
	portRests  = 60e9
)

func (c *ports) add(v *view) {
	if strings.Contains(v.Error, "cannot assign requested address") {
		c.failed++
	}
}

func (c *ports) result(f *facts, l limits) Check {
	if c.failed > 0 {
		return exhausted(l, c.failed, "no port was free")
	}
	if f.measured == 0 {
		return skip("no request was sent")
	}
	most := f.open.mostConns(portRests)
	share := float64(most) / usualPorts
	return found(l, share, percent(share), "at most %d connections were opened within a minute, and there are %d ports", most, usualPorts).
		brief("%d connections were opened within a minute, and there are %d ports", most, usualPorts)
}

// retransmits counts the requests that lost a segment: on its way to the server, then
// the kernel had to send it again; or on its way to us, then later ones came before it.
type retransmits struct{ known, hit, resent, reordered int }

func (c *retransmits) add(v *view) {
	if v.Warmup {
		return
	}
	if v.Retransmits >= 0 {
		c.known++
	}
	if v.Retransmits > 0 {
		c.resent++
	}
	if v.Reordered > 0 {
		c.reordered++
	}
	if v.Retransmits > 0 || v.Reordered > 0 {
		c.hit++
	}
}

func (c *retransmits) result(f *facts, l limits) Check {
	if c.known == 0 {
		return skip("segments sent again: not in the journal (the system does not report them)")
	}
	const few = 3
	share := float64(c.hit) / float64(c.known)
	k := found(l, share, percent(share), "%s lost segments: %d had to send some again, and %d received some out of order",
		counted(c.hit, "request"), c.resent, c.reordered)
	if f.sameMachine() { // where there is no network to lose anything
		k.Sentence = fmt.Sprintf("%s had segments dropped or delayed inside this machine: %d had to send some again, and %d received some out of order",
			counted(c.hit, "request"), c.resent, c.reordered)
	}
	if c.hit < few {
		k.Level = OK
	}
	if f.sameMachine() && k.Level == Noted {
		k.Hint = "look for a process on this machine that can't read in time: too few processors, or too little memory for sockets"
	}
	if k.Level == Noted {
		k.Effect = fmt.Sprintf("a lost segment arrives a round trip later, or about 200 ms: percentiles above p%.4g include that, and ITL has pauses and bursts; the check bounds says how much it is", max(100*(1-share), 0))
	}
	return k
}
