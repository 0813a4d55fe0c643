package bus

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/inferometer/inferometer/internal/clock"
	"github.com/inferometer/inferometer/internal/fleet/message"
)

// Serve answers what is asked of an agent until stop is called. Each Ask is handled in a
// goroutine of its own, up to a bound; received is when it was there, by the wall clock.
// hello is called for each question who is there, and once before.
func (b *Bus) Serve(agent string, hello func() message.Hello, handle func(a *message.Ask, received time.Time) *message.Answer) (stop func(), err error) {
	describe := func() ([]byte, error) {
		h := hello()
		return message.Encode(&h)
	}
	if _, err := describe(); err != nil {
		return nil, fmt.Errorf("no leader would see this agent: %w", err)
	}
	who, err := b.conn.Subscribe(whoSubject, func(m *nats.Msg) {
		if !asked(m) {
			b.drop(m.Subject, "nobody waits for the answer")
			return
		}
		if data, err := describe(); err == nil {
			_ = m.Respond(data) // who asked may be gone
		}
	})
	if err != nil {
		return nil, err
	}
	asks, err := b.answer(agent, handle)
	if err != nil {
		return nil, errors.Join(err, who.Unsubscribe())
	}
	// The server has both before anybody is told that the agent is there, or has refused them.
	err = b.conn.FlushTimeout(connectTime)
	if refused := refusal(b.conn.LastError()); err == nil && refused != nil && (refused.Subject == whoSubject || refused.Subject == askSubject(agent)) {
		err = refused
	}
	if err != nil {
		return nil, errors.Join(err, who.Unsubscribe(), asks.Unsubscribe())
	}
	return func() { _, _ = who.Unsubscribe(), asks.Unsubscribe() }, nil
}

// Answer answers what is asked of an agent that is no more, until stop is called.
func (b *Bus) Answer(agent string, handle func(a *message.Ask, received time.Time) *message.Answer) (stop func(), err error) {
	asks, err := b.answer(agent, handle)
	if err != nil {
		return nil, err
	}
	return func() { _ = asks.Unsubscribe() }, nil
}

func (b *Bus) answer(agent string, handle func(a *message.Ask, received time.Time) *message.Answer) (*nats.Subscription, error) {
	places := make(chan struct{}, mostAsks)
	return b.conn.Subscribe(askSubject(agent), func(m *nats.Msg) {
		received := clock.Now()
		if !asked(m) {
			b.drop(m.Subject, "no leader waits for an answer to it, so that none has sent it")
			return
		}
		select {
		case places <- struct{}{}:
		default:
			respond(m, &message.Answer{Error: fmt.Sprintf("the agent has %d questions to answer already", mostAsks)}, received)
			return
		}
		go func() {
			defer func() { <-places }()
			var answer *message.Answer
			a, err := message.Decode[message.Ask](m.Data)
			switch {
			case err != nil:
				answer = &message.Answer{Error: err.Error()}
			case a.Protocol != message.Protocol:
				answer = &message.Answer{Error: fmt.Sprintf("the leader speaks protocol %d, and this agent protocol %d: use the same version of inferometer on both", a.Protocol, message.Protocol)}
			case a.Agent != agent:
				b.drop(m.Subject, "it is for another agent")
				return
			default:
				answer = handle(a, received)
			}
			respond(m, answer, received)
		}()
	})
}

// mostAsks is how many questions an agent answers at the same time.
const mostAsks = 64

func respond(m *nats.Msg, answer *message.Answer, received time.Time) {
	answer.Received, answer.Answered = received.UnixNano(), clock.Now().UnixNano()
	data, err := message.Encode(answer)
	if err != nil { // the leader need not wait for an answer that can't be sent
		data, err = message.Encode(&message.Answer{Error: err.Error(), Received: answer.Received, Answered: answer.Answered})
	}
	if err == nil {
		_ = m.Respond(data) // who asked may be gone
	}
}

// Tell publishes a status. It does not wait; what is told while the server is away waits
// for it, up to a bound.
func (b *Bus) Tell(s *message.Status) error {
	data, err := message.Encode(s)
	if err != nil {
		return err
	}
	return b.conn.Publish(statusSubject(s.Run, s.Agent), data)
}

// Confirm returns when the server has all that was told so far; an error says that it may
// not have it.
func (b *Bus) Confirm(ctx context.Context) error { return b.conn.FlushWithContext(ctx) }

// Address is this side's of the connection, without a port; empty: there is none now.
func (b *Bus) Address() string {
	host, _, err := net.SplitHostPort(b.conn.LocalAddr())
	if err != nil {
		return ""
	}
	return host
}

// offsetHeader says where a piece of a journal begins.
const offsetHeader = "Inferometer-Offset"

// MostPiece is the longest piece of a journal, below what a server takes by default.
const MostPiece = 512 << 10

// AppendJournal stores the next piece of a journal, and returns when the server has it for
// good. The same piece may be given twice.
func (b *Bus) AppendJournal(ctx context.Context, run, agent string, offset int64, piece []byte) error {
	m := nats.NewMsg(journalSubject(run, agent))
	m.Data = piece
	m.Header.Set(offsetHeader, strconv.FormatInt(offset, 10))
	ctx, explain := b.waiting.unless(ctx, m.Subject)
	_, err := b.js.PublishMsg(ctx, m, jetstream.WithMsgID(fmt.Sprintf("%s.%s.%d.%d", run, agent, offset, len(piece))))
	return explain(err)
}
