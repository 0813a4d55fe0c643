package lead

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/inferometer/inferometer/internal/fleet/merge"
	"github.com/inferometer/inferometer/internal/fleet/message"
	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/send/share"
)

// finish makes one journal of all, and lets the agents go.
func (l *leader) finish(ctx context.Context) (*Done, error) {
	clocks, cancel := context.WithTimeout(ctx, 2*time.Second)
	_ = l.measureClocks(clocks, clockRounds) // who is gone has what was measured before
	cancel()
	l.each(func(a *agent) {
		if v := a.look(); !v.over() {
			l.recall(ctx, a)
		}
	})
	l.pieces.stop()
	path := filepath.Join(l.folder.path, journal.FileName)
	w, err := journal.Config{Private: l.plan.Spec.JournalTexts || l.plan.Spec.SaveDetailed}.Create(path)
	if err != nil {
		return nil, l.notMerged(err)
	}
	sum, err := merge.Merge(l.toMerge(), w)
	unwritten := w.Close()
	if err != nil {
		return nil, l.notMerged(errors.Join(err, unwritten))
	}
	l.tellSum(sum)
	if unwritten == nil {
		if err := l.writeFleet(true); err != nil {
			l.host.Say("note: %v", err)
		}
		l.letGo(ctx)
	}
	d := &Done{
		Spec: l.plan.Spec, folder: l.folder.path, model: l.plan.SentModel(), oldLimit: l.plan.OldLimit(),
		writer: w, unwritten: unwritten, close: l.folder.done,
	}
	l.folder.done = nil
	return d, nil
}

func (l *leader) notMerged(err error) error {
	return fmt.Errorf("the journals of the agents are in %s and could not be made one: %w", filepath.Join(l.folder.path, agentsName), err)
}

// letGo tells the agents that their journals are here, and removes what NATS keeps.
func (l *leader) letGo(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, askTime)
	defer cancel()
	l.each(func(a *agent) {
		if v := a.look(); v.over() || !v.absent && v.silent < l.kept.Lease { // one that has ended has nothing more to tell
			_, _ = l.bus.Ask(ctx, a.ID, &message.Ask{Kind: message.Forget, Run: l.kept.Run}) // one that is gone is free
		}
	})
	if err := l.bus.Drop(ctx, l.kept.Run); err != nil {
		l.host.Say("note: NATS keeps what belongs to the run %s for some days: %v", l.kept.Run, err)
	}
}

// tellSum says what is not as it should be.
func (l *leader) tellSum(s *merge.Summary) {
	for _, note := range s.Notes {
		l.host.Say("note: %s", note)
	}
	if s.Lost+s.Unsent > 0 {
		l.host.Warn("warning: %d of %d requests may have been sent and have no record (lost), %d were not sent (unsent)", s.Lost, s.Planned, s.Unsent)
	}
}

// toMerge is what was to be sent, and what is known of who sent it.
func (l *leader) toMerge() *merge.Plan {
	s := l.plan.Spec
	p := &merge.Plan{
		Run: l.kept.Run, Start: l.began.UnixNano(), Lease: l.kept.Lease, Planned: l.list.planned(),
		WorkloadSHA: l.list.whole, ShareSHA: l.list.parts, First: l.plan.First(l.began),
		Limits: &merge.Limits{SpawnRate: s.SpawnRate, ProbeRate: s.ProbeRequestRate, IntegritySample: s.IntegritySample},
	}
	if s.MaxConcurrency != nil {
		p.Limits.MaxConcurrency = *s.MaxConcurrency
	}
	if s.MaxConversations != nil {
		p.Limits.MaxConversations = *s.MaxConversations
	}
	for _, a := range l.agents {
		p.Agents = append(p.Agents, l.merged(a))
	}
	return p
}

func (l *leader) merged(a *agent) merge.Agent {
	v := a.look()
	m := merge.Agent{
		ID: a.ID, Name: a.Name, Version: a.Version, Address: a.Address, Labels: a.Labels, CPUs: a.CPUs, Share: l.owned(a.share),
		LastContact: v.contact.UnixNano(), Gone: l.gone(&v), Whole: v.status.SHA256 != "" && l.pieces.whole(a.ID, v.status.SHA256),
	}
	m.OffsetError = -1 // not known
	a.mu.Lock()
	// One offset for all of the run: its error covers what the clock drifted, or was set by.
	if offset, wrong, ok := a.clock.Over(l.began.UnixNano(), v.contact.UnixNano()); ok {
		m.Offset, m.OffsetError = -offset, wrong
	}
	a.mu.Unlock()
	if v.status.Run != "" {
		m.Status = &v.status
	}
	if size, _ := l.pieces.has(a.ID); size > 0 {
		m.Journal = filepath.Join(l.folder.of(a), journal.FileName)
	}
	m.Dead = v.dead
	return m
}

// owned is the share by which requests are divided.
func (l *leader) owned(of share.Share) share.Share {
	whole := *l.plan.Spec
	whole.Share = of
	return whole.Slots()
}
