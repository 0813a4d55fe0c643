// Package membus is a fleet's bus within the process, for tests in virtual time.
package membus

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/inferometer/inferometer/internal/clock"
	"github.com/inferometer/inferometer/internal/fleet/bus"
	"github.com/inferometer/inferometer/internal/fleet/message"
)

// Bus is that of all sides of a fleet. It keeps NATS's word on what the sides rely on: revisions, the order of one agent's messages, pieces from the first one on, nobody by an id.
type Bus struct {
	mu       sync.Mutex
	born     time.Time
	served   map[string]*serving
	statuses map[string][]func(*message.Status) // by run
	last     map[string]*message.Status         // by run and agent
	kept     map[string][]byte                  // by run
	held     map[string]*word                   // by run
	files    map[string][]byte                  // by digest

	pieces    sync.Mutex // a piece is stored and shown under it, so that all come in order
	journals  []piece
	listening map[*func(piece)]bool
}

type serving struct {
	hello  func() message.Hello
	handle func(a *message.Ask, received time.Time) *message.Answer
}

type word struct {
	leader   string
	revision uint64
}

type piece struct {
	run, agent string
	offset     int64
	bytes      []byte
}

// New is an empty one.
func New() *Bus {
	return &Bus{
		born: clock.Now(), served: map[string]*serving{}, statuses: map[string][]func(*message.Status){}, last: map[string]*message.Status{},
		kept: map[string][]byte{}, held: map[string]*word{}, files: map[string][]byte{}, listening: map[*func(piece)]bool{},
	}
}

// Prepare makes stores, which are there.
func (m *Bus) Prepare(context.Context) error { return nil }

// PrepareAgain finds them as they were.
func (m *Bus) PrepareAgain(context.Context) (bool, error) { return false, nil }

// SameStores says that they are.
func (m *Bus) SameStores(context.Context) bool { return true }

// Connected says that it is there.
func (m *Bus) Connected() bool { return true }

// Since is when it was made.
func (m *Bus) Since() time.Time { return m.born }

// Close ends nothing: others use it.
func (m *Bus) Close() {}

// Serve answers for an agent until stop is called.
func (m *Bus) Serve(agent string, hello func() message.Hello, handle func(a *message.Ask, received time.Time) *message.Answer) (stop func(), err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	s := &serving{hello, handle}
	m.served[agent] = s
	return func() {
		m.mu.Lock()
		defer m.mu.Unlock()
		if m.served[agent] == s {
			delete(m.served, agent)
		}
	}, nil
}

// Who asks all agents who they are. As with NATS it waits for others, unless enough have answered or there is none.
func (m *Bus) Who(ctx context.Context, wait time.Duration, enough int) (all []message.Hello, err error) {
	m.mu.Lock()
	served := slices.Collect(maps.Values(m.served))
	m.mu.Unlock()
	for _, s := range served {
		all = append(all, s.hello())
	}
	if len(all) > 0 && len(all) < enough {
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(wait):
		}
	}
	return all, nil
}

// again is a message as it comes out at the other end.
func again[T message.Ask | message.Answer | message.Status](v *T) (*T, error) {
	b, err := message.Encode(v)
	if err != nil {
		return nil, err
	}
	return message.Decode[T](b)
}

// Ask asks one agent.
func (m *Bus) Ask(_ context.Context, agent string, a *message.Ask) (*message.Answer, error) {
	own := *a
	own.Protocol, own.Agent = message.Protocol, agent
	sent, err := again(&own)
	if err != nil {
		return nil, err
	}
	m.mu.Lock()
	s := m.served[agent]
	m.mu.Unlock()
	if s == nil {
		return nil, bus.ErrGone
	}
	received := clock.Now()
	answer := s.handle(sent, received)
	answer.Received, answer.Answered = received.UnixNano(), clock.Now().UnixNano()
	return again(answer)
}

// Tell publishes a status.
func (m *Bus) Tell(s *message.Status) error {
	told, err := again(s)
	if err != nil {
		return err
	}
	m.mu.Lock()
	m.last[s.Run+"/"+s.Agent] = told
	see := slices.Clone(m.statuses[s.Run])
	m.mu.Unlock()
	for _, f := range see {
		f(told)
	}
	return nil
}

// Statuses shows each status of a run as it comes.
func (m *Bus) Statuses(run string, see func(*message.Status)) (stop func(), err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.statuses[run] = append(m.statuses[run], see)
	return func() {}, nil
}

// LastStatus is the last one that an agent told in a run; nil: none.
func (m *Bus) LastStatus(_ context.Context, run, agent string) (*message.Status, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.last[run+"/"+agent], nil
}

// Runs are the ids under which values are kept.
func (m *Bus) Runs(context.Context) ([]string, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Sorted(maps.Keys(m.kept)), nil
}

// Keep stores a value under a run's id.
func (m *Bus) Keep(_ context.Context, run string, value []byte) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.kept[run] = slices.Clone(value)
	return nil
}

// Kept is what Keep stored; nil: nothing.
func (m *Bus) Kept(_ context.Context, run string) ([]byte, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.kept[run], nil
}

// Drop removes all that is kept of a run.
func (m *Bus) Drop(_ context.Context, run string) error {
	m.pieces.Lock()
	m.journals = slices.DeleteFunc(m.journals, func(p piece) bool { return p.run == run })
	m.pieces.Unlock()
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.kept, run)
	delete(m.held, run)
	maps.DeleteFunc(m.last, func(_ string, s *message.Status) bool { return s.Run == run })
	return nil
}

// Hold writes down that a leader lives, if nobody has since a revision.
func (m *Bus) Hold(_ context.Context, run, leader string, since uint64) (uint64, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	now := uint64(0)
	if w := m.held[run]; w != nil {
		now = w.revision
	}
	if now != since {
		return 0, bus.ErrHeld
	}
	m.held[run] = &word{leader, now + 1}
	return now + 1, nil
}

// Holder is the leader that wrote last, and its revision; 0: none did.
func (m *Bus) Holder(_ context.Context, run string) (string, uint64, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if w := m.held[run]; w != nil {
		return w.leader, w.revision, nil
	}
	return "", 0, nil
}

// PutFile stores a file under its digest.
func (m *Bus) PutFile(_ context.Context, path, what string) (message.File, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return message.File{}, err
	}
	sum := sha256.Sum256(b)
	file := message.File{SHA256: hex.EncodeToString(sum[:]), Bytes: int64(len(b)), For: what, Name: filepath.Base(path)}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.files[file.SHA256] = b
	return file, nil
}

// GetFile writes a file of the store to a path.
func (m *Bus) GetFile(_ context.Context, file message.File, path string) error {
	m.mu.Lock()
	b, ok := m.files[file.SHA256]
	m.mu.Unlock()
	if !ok {
		return errors.New("there is no such file")
	}
	return os.WriteFile(path, b, 0o600)
}

// AppendJournal stores the next piece of a journal.
func (m *Bus) AppendJournal(_ context.Context, run, agent string, offset int64, bytes []byte) error {
	m.pieces.Lock()
	defer m.pieces.Unlock()
	p := piece{run, agent, offset, slices.Clone(bytes)}
	m.journals = append(m.journals, p)
	for see := range m.listening {
		(*see)(p)
	}
	return nil
}

// Journals shows the pieces of all journals of a run, from the first, as they come.
func (m *Bus) Journals(_ context.Context, run string, see func(agent string, offset int64, piece []byte)) (stop func(), err error) {
	show := func(p piece) {
		if p.run == run {
			see(p.agent, p.offset, p.bytes)
		}
	}
	m.pieces.Lock()
	defer m.pieces.Unlock()
	for _, p := range m.journals {
		show(p)
	}
	m.listening[&show] = true
	return func() {
		m.pieces.Lock()
		defer m.pieces.Unlock()
		delete(m.listening, &show)
	}, nil
}

// Pieces shows all pieces of one journal that are there, until see wants no more.
func (m *Bus) Pieces(_ context.Context, run, agent string, see func(offset int64, piece []byte) bool) error {
	m.pieces.Lock()
	own := slices.DeleteFunc(slices.Clone(m.journals), func(p piece) bool { return p.run != run || p.agent != agent })
	m.pieces.Unlock()
	for _, p := range own {
		if !see(p.offset, p.bytes) {
			break
		}
	}
	return nil
}

// HasJournals says whether anything of a run's journals is there.
func (m *Bus) HasJournals(_ context.Context, run string) (bool, error) {
	m.pieces.Lock()
	defer m.pieces.Unlock()
	return slices.ContainsFunc(m.journals, func(p piece) bool { return p.run == run }), nil
}
