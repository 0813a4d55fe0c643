package bus

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/inferometer/inferometer/internal/fleet/message"
	"github.com/inferometer/inferometer/internal/outside"
)

// pieceOf is what a message of the stream holds.
func pieceOf(subject string, header nats.Header, data []byte, prefix string) (agent string, offset int64, ok bool) {
	agent, ok = strings.CutPrefix(subject, prefix)
	offset, err := strconv.ParseInt(header.Get(offsetHeader), 10, 64)
	return agent, offset, ok && err == nil && offset >= 0 && len(data) <= MostPiece && message.CheckID(agent) == nil
}

// Journals shows the pieces of all journals of a run, from the first, as they come. The
// pieces of one agent come in their order, some of them maybe twice; offset is where a
// piece begins. It goes on after the server was away. see is called by one goroutine at a
// time, and by none after stop has returned.
func (b *Bus) Journals(ctx context.Context, run string, see func(agent string, offset int64, piece []byte)) (stop func(), err error) {
	c, err := b.js.OrderedConsumer(ctx, JournalStream, jetstream.OrderedConsumerConfig{FilterSubjects: []string{journalSubject(run, "*")}})
	if err != nil {
		return nil, explainStore(err)
	}
	var mu sync.Mutex
	stopped := false
	prefix := journalSubject(run, "")
	using, err := c.Consume(func(m jetstream.Msg) {
		agent, offset, ok := pieceOf(m.Subject(), m.Headers(), m.Data(), prefix)
		mu.Lock()
		defer mu.Unlock()
		if ok && !stopped {
			see(agent, offset, m.Data())
		}
	})
	if err != nil {
		return nil, fmt.Errorf("read the agents' journals: %s", outside.Sentence(err.Error()))
	}
	return func() {
		using.Stop()
		mu.Lock()
		stopped = true
		mu.Unlock()
	}, nil
}

// Pieces shows all pieces of one journal that the server has now, from the first, until see
// says that it wants no more.
func (b *Bus) Pieces(ctx context.Context, run, agent string, see func(offset int64, piece []byte) bool) (err error) {
	ctx, explain := b.waiting.unless(ctx, jetStream)
	defer func() { err = explain(err) }()
	s, err := b.js.Stream(ctx, JournalStream)
	if err != nil {
		return explainStore(err)
	}
	subject := journalSubject(run, agent)
	for next := uint64(1); ; {
		m, err := s.GetMsg(ctx, next, jetstream.WithGetMsgSubject(subject))
		if errors.Is(err, jetstream.ErrMsgNotFound) {
			return nil
		}
		if err != nil {
			return explainStore(err)
		}
		next = m.Sequence + 1
		if _, offset, ok := pieceOf(m.Subject, m.Header, m.Data, journalSubject(run, "")); ok && !see(offset, m.Data) {
			return nil
		}
	}
}

// HasJournals says whether the server has anything of a run's journals.
func (b *Bus) HasJournals(ctx context.Context, run string) (bool, error) {
	ctx, explain := b.waiting.unless(ctx, jetStream)
	subjects, err := b.subjects(ctx, JournalStream, journalSubject(run, "*"))
	return len(subjects) > 0, explain(err)
}
