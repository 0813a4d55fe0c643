package lead

import (
	"context"
	"errors"
	"fmt"
	"os"
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
	putBack, err := setAside(path)
	if err != nil {
		return nil, l.notMerged(err)
	}
	w, err := journal.Config{Private: l.plan.Spec.JournalTexts || l.plan.Spec.SaveDetailed}.Create(path)
	if err != nil {
		return nil, l.notMerged(errors.Join(err, putBack(true)))
	}
	sum, err := merge.Merge(l.toMerge(), w)
	unwritten := w.Close()
	if err != nil {
		return nil, l.notMerged(errors.Join(err, unwritten, putBack(true)))
	}
	_ = putBack(false)
	l.tellSum(sum)
	l.conclude(ctx, sum, unwritten)
	d := &Done{
		Spec: l.plan.Spec, folder: l.folder.path, model: l.plan.SentModel(), oldLimit: l.plan.OldLimit(),
		writer: w, unwritten: unwritten, close: l.folder.done,
	}
	l.folder.done = nil
	return d, nil
}

func (l *leader) notMerged(err error) error {
	return fmt.Errorf("the journals of the agents are in %s and could not be made one: %w; nothing is removed, and this tries it again: %s",
		filepath.Join(l.folder.path, agentsName), err, l.attachCommand())
}

// setAside moves the journal of an earlier merge away, which had less in it. putBack brings it
// back, or removes it.
func setAside(path string) (putBack func(bool) error, err error) {
	aside := path + ".before"
	err = os.Rename(path, aside)
	if errors.Is(err, os.ErrNotExist) {
		return func(bool) error { return nil }, nil
	}
	return func(back bool) error {
		if back {
			return os.Rename(aside, path)
		}
		return os.Remove(aside)
	}, err
}

// conclude writes down how whole the run is, and lets go of what is held.
func (l *leader) conclude(ctx context.Context, sum *merge.Summary, unwritten error) {
	missing := l.missing(sum)
	if unwritten == nil {
		unwritten = l.writeFleet(true, missing)
	}
	if unwritten == nil {
		l.letGo(ctx, len(missing) == 0)
	}
	if unwritten != nil || len(missing) > 0 {
		l.tellMissing(missing, unwritten)
	}
}

// letGo tells the agents whose journals are held that they are, and removes what NATS keeps
// where all are.
func (l *leader) letGo(ctx context.Context, whole bool) {
	ctx, cancel := context.WithTimeout(ctx, askTime)
	defer cancel()
	l.each(func(a *agent) {
		if v := a.look(); l.held(a, &v) {
			_, _ = l.bus.Ask(ctx, a.ID, &message.Ask{Kind: message.Forget, Run: l.kept.Run, SHA256: v.status.SHA256}) // one that is gone is free
		}
	})
	if !whole {
		return
	}
	_ = os.Remove(filepath.Join(l.folder.path, stateName)) // the run is over
	if err := l.bus.Drop(ctx, l.kept.Run); err != nil {
		l.host.Say("note: NATS keeps what belongs to the run %s for some days: %v", l.kept.Run, err)
	}
}

// tellSum says what is not as it should be.
func (l *leader) tellSum(s *merge.Summary) {
	for _, a := range l.agents {
		if v := a.look(); v.status.Phase == message.Ended && v.status.Error != "" {
			l.host.Warn("warning: agent %s stopped by itself: %s", a.title(), v.status.Error)
		}
	}
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
		WorkloadSHA: l.list.whole, ShareSHA: l.list.parts, First: l.plan.First(l.host.Version, l.began),
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
		LastContact: v.contact.UnixNano(), Gone: l.gone(&v), Whole: l.held(a, &v),
	}
	if m.Gone == "" && !m.Whole {
		m.Gone = "its journal is not all here: " + l.whyMissing(a, &v)
	}
	m.OffsetError = -1 // not known
	a.mu.Lock()
	// One offset for all of the run: its error covers what the clock drifted, or was set by.
	if offset, wrong, ok := a.clock.Over(l.began.UnixNano(), v.contact.UnixNano()); ok {
		m.Offset, m.OffsetError = -offset, wrong
	} else if a.before != nil {
		m.Offset, m.OffsetError = -a.before.Offset, a.before.OffsetError
	}
	a.mu.Unlock()
	if v.status.Run != "" {
		m.Status = &v.status
	}
	if l.pieces.has(a.ID).size > 0 {
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
