package recovery

import (
	"cmp"
	"math"
	"slices"

	"github.com/inferometer/inferometer/internal/journal"
)

// The signals.
const (
	ttft       = "ttft"
	goodput    = "goodput"
	gaps       = "gaps"
	throughput = "throughput"
)

// maxEpisodes bounds what somebody else's file can make of a report: all faults after that are of the last one.
const maxEpisodes = 200

// episodes puts faults together as long as the system has not recovered from those before.
func (j *judge) episodes(faults []journal.Fault) []Episode {
	list := []Episode{}
	for i := 0; i < len(faults); {
		next := i + 1
		if len(list) == maxEpisodes-1 {
			next = len(faults)
		}
		var e Episode
		for ; ; next++ {
			e = Episode{from: faults[i].At, to: math.MaxInt64}
			if next < len(faults) {
				e.to = faults[next].At
			}
			e.Signals = j.signals(faults[i:next], e.to)
			if next == len(faults) || !slices.ContainsFunc(e.Signals, func(s Signal) bool { return s.State == Cut }) {
				break
			}
		}
		for k := i; k < next; k++ {
			e.Faults = append(e.Faults, shown(&faults[k]))
		}
		last := &faults[next-1]
		j.sum(&e, max(last.At, last.Done))
		j.count(&e)
		list, i = append(list, e), next
	}
	return list
}

// sum is what the signals say together: the system is as before when the last of them is.
func (j *judge) sum(e *Episode, last int64) {
	e.State, e.end = NotKnown, e.from
	if j.unknown != "" {
		return
	}
	e.State = NoEffect
	for i := range e.Signals {
		switch s := &e.Signals[i]; s.State {
		case Cut:
			e.State = Cut
		case Recovered:
			if e.end = max(e.end, s.end); e.State == NoEffect {
				e.State = Recovered
			}
		}
	}
	switch e.State {
	case Cut:
		e.end = min(e.to, j.last)
		e.AtLeast = new(max(seconds(e.end-e.from), 0))
	case Recovered:
		e.Seconds = new(seconds(e.end - e.from))
		if len(e.Faults) > 1 {
			e.SinceLast = new(max(seconds(e.end-last), 0))
		}
	default:
		e.Seconds = new(0.0)
	}
	if e.end > e.from {
		e.Tokens = new(j.tokensIn(e.from, e.end) / seconds(e.end-e.from))
	}
}

// signals hold the time between two moments against what was before. A request counts where it is known how it went, and
// stands where it was sent, or at the fault if it was in flight then.
func (j *judge) signals(faults []journal.Fault, to int64) []Signal {
	from := faults[0].At
	if j.unknown != "" {
		return []Signal{}
	}
	var first, good, pauses []trial
	for i := range j.list {
		s := &j.list[i]
		if s.end <= from || s.sent >= to {
			continue
		}
		at := max(s.sent, from)
		if s.end <= to && !s.neither {
			good = append(good, trial{at: at, bad: s.failed || !s.good})
		}
		// What has not come by now, and is late already, is late.
		switch known := s.firstKnown(); {
		case known <= from:
		case known <= to && (s.first >= 0 || !s.neither):
			first = append(first, trial{at: at, bad: s.late(j.ttft.us), far: s.late(beyond * j.ttft.us)})
		default:
			if waited := (min(known, to) - s.sent) / 1000; waited > j.ttft.us {
				first = append(first, trial{at: at, bad: true, far: waited > beyond*j.ttft.us, open: known > to})
			}
		}
		if s.gap < 0 {
			continue
		}
		switch began, ended := s.at(s.gapEnd-s.gap), s.at(s.gapEnd); {
		case ended <= from || began >= to:
		case ended <= to:
			pauses = append(pauses, trial{at: max(began, from), until: ended, bad: s.paused(j.gap.us), far: s.paused(beyond * j.gap.us)})
		case (to-began)/1000 > j.gap.us:
			pauses = append(pauses, trial{at: max(began, from), until: to, bad: true, far: (to-began)/1000 > beyond*j.gap.us, open: true})
		}
	}
	slices.SortStableFunc(pauses, func(a, b trial) int { return cmp.Compare(a.at, b.at) })
	return []Signal{
		j.scanned(ttft, first, &j.ttft, faults),
		j.scanned(goodput, good, &limit{us: -1, normality: j.good}, faults),
		j.scanned(gaps, pauses, &j.gap, faults),
		j.flowing(from, to),
	}
}

// scanned is a signal of single requests: over when the next one was sent after the last bad one, or with the last pause.
func (j *judge) scanned(name string, list []trial, l *limit, faults []journal.Fault) Signal {
	from := faults[0].At
	s := Signal{Name: name, State: NoEffect, end: from, Seconds: new(0.0)}
	switch {
	case l.us == 0 && !j.even():
		return Signal{Name: name, State: NotKnown, Unknown: "the rate changes as planned (" + j.run.Pace + "), and times with it"}
	case l.us == 0:
		return Signal{Name: name, State: NotKnown, Unknown: "too few requests before had one"}
	case l.us > 0:
		s.Limit = new(float64(l.us) / 1000)
	default:
		s.Limit = new(1 - l.share)
	}
	spells := scan(list, l.normality, isBad)
	if l.far.share > 0 {
		spells = append(spells, scan(list, l.far, isFar)...)
	}
	slices.SortStableFunc(spells, func(a, b spell) int { return cmp.Compare(a.from, b.from) })
	for _, p := range spells {
		if name != goodput && !caused(list[p.from].at, s.end, faults) {
			continue
		}
		if p.open || slices.ContainsFunc(list[p.from:p.to+1], func(t trial) bool { return t.open }) {
			s.State, s.Seconds = Cut, nil
			return s
		}
		end := list[p.to].at
		if list[p.to].until == 0 && p.to+1 < len(list) {
			end = list[p.to+1].at
		}
		for _, t := range list[p.from : p.to+1] {
			if t.bad {
				end = max(end, t.until)
			}
		}
		s.State, s.end = Recovered, max(s.end, end)
	}
	s.Seconds = new(seconds(s.end - from))
	return s
}

// reach is how long after a fault, or after what was felt of it, something that is felt is put down to it. A queue that comes by
// itself is a spell too, and one such that was not seen before says nothing: there is more time after a fault than before it.
const reach = 10_000_000_000 // ns

// caused says that a spell begins soon after a fault began or was done, or after the spell before.
func caused(at, end int64, faults []journal.Fault) bool {
	if at <= end+reach {
		return true
	}
	return slices.ContainsFunc(faults, func(f journal.Fault) bool {
		return at >= f.At && at <= f.At+reach || f.Done > 0 && at >= f.Done && at <= f.Done+reach
	})
}

// flowing is the signal of all tokens together.
func (j *judge) flowing(from, to int64) Signal {
	s := Signal{Name: throughput, State: NoEffect, end: from, Seconds: new(0.0)}
	if j.flow.width == 0 {
		return Signal{Name: throughput, State: NotKnown, Unknown: "the tokens of a second differed too much before, or for too short a time"}
	}
	s.Limit = new(j.flow.low)
	end, open := j.felt(from, to)
	switch {
	case open:
		s.State, s.Seconds = Cut, nil
	case end > from:
		s.State, s.end, s.Seconds = Recovered, end, new(seconds(end-from))
	}
	return s
}

// maxIndexes is how many lost requests are named.
const maxIndexes = 1000

// count is what became of the requests of an episode.
func (j *judge) count(e *Episode) {
	failedBefore := slices.ContainsFunc(j.normal, func(s *seen) bool { return s.failed })
	by, perSecond := map[uint8]int{}, map[int64]int{}
	first, last := int64(math.MaxInt64), int64(0)
	e.Indexes = []int{}
	for i := range j.list {
		s := &j.list[i]
		if s.end <= e.from || s.end > e.to {
			continue
		}
		e.Ended++
		inFlight := s.sent <= e.from
		if inFlight {
			e.InFlight++
		}
		if s.retried {
			e.Retried++
		}
		if !s.failed || !inFlight && failedBefore && s.sent > e.end {
			continue
		}
		e.Lost++
		e.LostTokens += int64(s.tokens)
		by[s.outcome]++
		perSecond[(s.end-e.from)/1_000_000_000]++
		first, last = min(first, s.end), max(last, s.end)
		if inFlight {
			e.InFlightLost++
		}
		e.Indexes = append(e.Indexes, int(s.index))
	}
	if e.Lost > 0 {
		e.FirstFailure, e.LastFailure = new(seconds(first-e.from)), new(seconds(last-e.from))
	}
	slices.Sort(e.Indexes)
	e.Indexes = e.Indexes[:min(len(e.Indexes), maxIndexes)]
	for _, n := range perSecond {
		e.PeakFailures = max(e.PeakFailures, n)
	}
	e.Outcomes = []OutcomeCount{}
	for place, o := range j.names {
		if n := by[uint8(place)]; n > 0 {
			e.Outcomes = append(e.Outcomes, OutcomeCount{o, n})
		}
	}
}
