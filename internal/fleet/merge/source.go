package merge

import (
	"container/heap"
	"errors"
	"fmt"
	"io"
	"math"
	"time"

	"github.com/inferometer/inferometer/internal/journal"
)

// source is one agent's journal.
type source struct {
	agent   int
	reader  *journal.Reader
	shift   int64 // from the agent's zero to the leader's
	request *journal.Request
	samples *thinned
	devices *devices

	measured int // requests that were taken
}

// mostShift is how far the start of an agent may lie from that of the run. All were to
// begin at one instant: one that is an hour off has another run's journal.
const mostShift = int64(time.Hour)

// openSource opens a journal. Both results are nil where there is none.
func openSource(i int, a *Agent, p *Plan) (*source, error) {
	if a.Journal == "" {
		return nil, nil
	}
	r, err := journal.Open(a.Journal)
	if errors.Is(err, journal.ErrNoRun) {
		return nil, nil // it had not begun, or was lost within its first second
	}
	if err != nil {
		return nil, err
	}
	// Differences first: clocks may stand anywhere.
	shift := (r.Run().StartUnixNs - p.Start) + a.Offset
	if shift < -mostShift || shift > mostShift {
		return nil, errors.Join(fmt.Errorf("its journal begins %s from the start of the run, and can't be of it", time.Duration(shift)), r.Close())
	}
	s := &source{agent: i, reader: r, shift: shift, samples: newThinned(len(p.Agents)), devices: newDevices(len(p.Agents))}
	r.OnHardware(func(h *journal.Hardware) {
		if h.Move(shift) == nil {
			h.Agent = i
			s.devices.add(*h)
		}
	})
	r.OnSample(func(sample *journal.Sample) {
		if sample.Move(shift) == nil {
			sample.Agent = i
			s.samples.add(*sample)
		}
	})
	return s, nil
}

// next reads the next request and moves it to the leader's clock; false: there is none.
func (s *source) next() bool {
	for {
		r, err := s.reader.Next()
		if errors.Is(err, io.EOF) || err != nil {
			return false
		}
		if r.Move(s.shift) != nil {
			continue // it can't be: nothing of a run is a hundred days away
		}
		r.Agent = s.agent
		s.request = r
		return true
	}
}

// queue orders sources by when their next request ended, then by agent, so that the same
// journals always give the same one.
type queue []*source

func (q queue) Len() int { return len(q) }
func (q queue) Less(a, b int) bool {
	if x, y := q[a].request.End, q[b].request.End; x != y {
		return x < y
	}
	return q[a].agent < q[b].agent
}
func (q queue) Swap(a, b int) { q[a], q[b] = q[b], q[a] }
func (q *queue) Push(x any)   { *q = append(*q, x.(*source)) }
func (q *queue) Pop() any {
	last := len(*q) - 1
	s := (*q)[last]
	*q = (*q)[:last]
	return s
}

// merge writes the lines of all requests, in the order in which they ended.
func (m *merger) merge() {
	m.lastEnd = math.MinInt64
	var q queue
	for _, s := range m.sources {
		if s != nil && s.next() {
			q = append(q, s)
		}
	}
	heap.Init(&q)
	for len(q) > 0 {
		s := q[0]
		m.take(s)
		if s.next() {
			heap.Fix(&q, 0)
		} else {
			heap.Pop(&q)
		}
	}
	for i, s := range m.sources {
		if s != nil {
			m.ended(i, s)
		}
	}
}

// take writes the line of a request, if it is its agent's own.
func (m *merger) take(s *source) {
	r, end := s.request, &m.end.Agents[s.agent]
	if r.Target > 0 && r.Target >= m.targets || r.Outcome.Missing() {
		m.refuse(s, fmt.Errorf("request %d: no agent of this run can have written it", r.Index), &end.Foreign, &m.sum.Foreign)
		return
	}
	if !r.Warmup {
		why, twice := m.list.take(s.agent, r)
		switch {
		case twice:
			m.refuse(s, why, &end.Duplicates, &m.sum.Duplicates)
			return
		case why != nil:
			m.refuse(s, why, &end.Foreign, &m.sum.Foreign)
			return
		}
		m.lastEnd = max(m.lastEnd, r.End)
		s.measured++
		switch r.Outcome {
		case journal.Complete:
			m.sum.Complete++
		case journal.HungUp:
			m.sum.HungUp++
		default:
			m.sum.Failed++
		}
	}
	m.write(r)
}

func (m *merger) refuse(s *source, why error, of, all *int) {
	*of++
	*all++
	if *of == 1 {
		m.note("%s: a line of its journal is left out: %v", m.plan.Agents[s.agent].title(), why)
	}
}

func (m *merger) write(r *journal.Request) {
	m.line = journal.AppendRequest(m.line[:0], r)
	m.writer.AppendWaiting(m.line)
}
