// Package merge makes one journal of those that the agents of a fleet wrote. Times are
// moved to the leader's clock, each request carries its agent, and a request that was
// planned and has no line gets one: lost, or unsent. From there on a fleet's run is a run
// like any other.
//
// The journals are read side by side and merged by the times at which requests ended. What
// is held in memory is one line of each, a few bytes for each planned request, and a
// bounded number of samples.
//
// An agent's journal is data from outside: a line that is not its agent's to write, or that
// comes twice, is left out and counted.
package merge

import (
	"errors"
	"fmt"
	"iter"
	"time"

	"github.com/inferometer/inferometer/internal/fleet/message"
	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/send/share"
)

// Agent is one that took part.
type Agent struct {
	ID, Name, Version, Address string
	Labels                     map[string]string
	CPUs                       int
	Share                      share.Share // by which requests are divided: that of spec.Spec.Slots
	Offset, OffsetError        int64       // leader's minus agent's clock, ns; an error of -1 is not known
	Journal                    string      // path, or empty: nothing came
	Status                     *message.Status
	LastContact                int64 // unix ns of the leader's clock
	Whole                      bool  // the journal is complete by its digest
	Dead                       bool  // its process ended while NATS heard it; see lead/sure.go
	// Gone is why the agent is not there any more, or empty.
	Gone string
}

// Plan is what was to be sent, and by whom.
type Plan struct {
	Run    string
	Start  int64 // unix ns, leader's clock
	Lease  time.Duration
	Agents []Agent
	// Planned is the whole list, in its order. nil: it has no end that is known before (a
	// closed loop with a duration); then what the share owns is its agent's.
	Planned     iter.Seq[Request]
	WorkloadSHA string   // of the whole; empty: not known
	ShareSHA    []string // of each agent's share

	// First stands in for the first line of the agents' journals where none can be read. May be nil.
	First *journal.Run
	// Limits are the whole's, where the leader knows them. nil: what the agents had, added up.
	Limits *Limits
}

// Limits are what is divided among agents.
type Limits struct {
	MaxConcurrency, MaxConversations int
	SpawnRate, ProbeRate             float64
	IntegritySample                  int
}

// Request is one of the list.
type Request struct {
	Index, Agent, Conversation, Turn int
	Due                              int64 // ns after the start; 0 in a closed loop
	PromptTokens, OutputTokens       int
}

// Summary is what became of the list. Planned is the sum of Complete, Failed, HungUp, Lost, Unsent
// and Skipped.
type Summary struct {
	Planned, Complete, Failed, Lost, Unsent int
	HungUp                                  int   // ended by the client on purpose
	Skipped                                 int   // turns of conversations that had ended before
	Duplicates, Foreign                     int   // lines that were left out
	Recorded                                []int // requests that have a record, by agent
	Notes                                   []string
}

// ErrNothing says that no agent's journal can be read, and nothing stands in for it.
var ErrNothing = errors.New("no agent's journal can be read")

// Merge writes the journal of the whole, all but closing it.
func Merge(p *Plan, w *journal.Writer) (*Summary, error) {
	m := &merger{plan: p, writer: w, fleet: &journal.Fleet{Run: p.Run}, end: &journal.FleetEnd{Agents: make([]journal.FleetAgentEnd, len(p.Agents))}}
	m.list.read(p)
	defer m.Close()
	m.open()
	run := m.firstLine()
	if run == nil {
		return nil, ErrNothing
	}
	if err := w.Run(run); err != nil {
		return nil, err
	}
	m.merge()
	m.missing()
	if err := errors.Join(m.failed, m.writeSamples(), m.writeHardware(), m.writeScrapes()); err != nil {
		return nil, err
	}
	for _, s := range m.sources {
		n := 0
		if s != nil {
			n = s.measured
		}
		m.sum.Recorded = append(m.sum.Recorded, n)
	}
	m.sum.Planned = m.sum.Complete + m.sum.Failed + m.sum.HungUp + m.sum.Lost + m.sum.Unsent + m.sum.Skipped
	return &m.sum, w.End(m.lastLine())
}

// merger is the state of a merge.
type merger struct {
	plan              *Plan
	writer            *journal.Writer
	list              list
	fleet             *journal.Fleet
	end               *journal.FleetEnd
	sources           []*source // one per agent; nil: its journal can't be read
	scrapes           scrapes
	targets, replicas int   // servers of the run, and those that are known behind them
	lastEnd           int64 // of all requests
	failed            error // to write
	line              []byte
	sum               Summary
}

func (m *merger) note(format string, args ...any) {
	const most = 100
	if len(m.sum.Notes) < most {
		m.sum.Notes = append(m.sum.Notes, fmt.Sprintf(format, args...))
	}
}

// open opens the journals, and writes down what they say of their agents.
func (m *merger) open() {
	m.sources = make([]*source, len(m.plan.Agents))
	for i := range m.plan.Agents {
		a := &m.plan.Agents[i]
		told := journal.FleetAgent{
			ID: a.ID, Name: a.Name, Version: a.Version, Address: a.Address, Labels: a.Labels, Share: a.Share.String(),
			OffsetNs: a.Offset, OffsetErrorNs: max(a.OffsetError, -1), Gone: a.Gone,
			Environment: journal.Environment{CPUs: a.CPUs},
		}
		if i < len(m.list.shares) {
			told.Planned = m.list.shares[i]
		}
		s, err := openSource(i, a, m.plan)
		if err != nil {
			m.end.Agents[i].Damage = err.Error()
			m.note("%s: %v", a.title(), err)
		}
		if s != nil {
			run := s.reader.Run()
			told.Read, told.SkewNs, told.Clock, told.Environment, told.Proven = true, s.shift, run.Clock, run.Environment, run.Proven
			s.reader.OnConversation(m.conversation(s))
			s.reader.OnScrape(m.scrapes.add(s))
			m.sources[i] = s
		}
		m.fleet.Agents = append(m.fleet.Agents, told)
	}
	m.fleet.Planned = m.list.total
}

func (a *Agent) title() string {
	if a.Name == "" {
		return a.ID
	}
	return a.Name
}

func (m *merger) Close() {
	for _, s := range m.sources {
		if s != nil {
			s.reader.Close()
		}
	}
}
