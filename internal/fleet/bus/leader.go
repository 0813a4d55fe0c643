package bus

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/inferometer/inferometer/internal/fleet/message"
)

// KeptFor is how long NATS keeps what belongs to a run that nobody ended.
const KeptFor = 7 * 24 * time.Hour

// headerSpace is what a message's header may take beside it.
const headerSpace = 4 << 10

// Prepare makes the stores on the server, where they are not there yet. Only a leader may.
func (b *Bus) Prepare(ctx context.Context) error {
	_, err := b.PrepareAgain(ctx)
	return err
}

// PrepareAgain does so after the server was away. anew says that it came back without what
// it had stored: its stores are others than at the time before.
func (b *Bus) PrepareAgain(ctx context.Context) (anew bool, err error) {
	ctx, explain := b.waiting.unless(ctx, jetStream)
	born, err := b.prepare(ctx)
	if err = explain(err); err != nil {
		return false, err
	}
	before := b.stores.Swap(&born)
	return before != nil && !before.Equal(born), nil
}

// SameStores says whether the stores are those that were prepared, as far as that is known.
func (b *Bus) SameStores(ctx context.Context) bool {
	known := b.stores.Load()
	if known == nil {
		return true
	}
	s, err := b.js.Stream(ctx, JournalStream)
	return err == nil && s.CachedInfo().Created.Equal(*known)
}

// prepare says when the store of the journals was made.
func (b *Bus) prepare(ctx context.Context) (born time.Time, err error) {
	for _, config := range []jetstream.StreamConfig{
		{
			Name: JournalStream, Description: "journals of agents, as they grow", Subjects: []string{journalSubject("*", "*")},
			MaxAge: KeptFor, MaxMsgSize: MostPiece + headerSpace, Duplicates: 2 * time.Minute, Storage: jetstream.FileStorage,
		},
		{
			Name: StatusStream, Description: "the last status of each agent", Subjects: []string{statusSubject("*", "*")},
			MaxAge: KeptFor, MaxMsgSize: message.MostStatus + headerSpace, MaxMsgsPerSubject: 1, Storage: jetstream.FileStorage, AllowDirect: true,
		},
	} {
		stream, err := b.js.CreateOrUpdateStream(ctx, config)
		if err != nil {
			return born, explainStore(err)
		}
		if config.Name == JournalStream {
			born = stream.CachedInfo().Created
		}
	}
	_, err = b.js.CreateOrUpdateKeyValue(ctx, jetstream.KeyValueConfig{Bucket: RunsBucket, Description: "runs under way", TTL: KeptFor, Storage: jetstream.FileStorage})
	if err == nil {
		_, err = b.js.CreateOrUpdateObjectStore(ctx, jetstream.ObjectStoreConfig{Bucket: FilesBucket, Description: "datasets and tokenizers by digest", TTL: KeptFor, Storage: jetstream.FileStorage})
	}
	return born, explainStore(err)
}

func explainStore(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, jetstream.ErrJetStreamNotEnabled), errors.Is(err, jetstream.ErrJetStreamNotEnabledForAccount), errors.Is(err, nats.ErrNoResponders):
		return errors.New("NATS runs without JetStream: start it with -js, or with the configuration of inferometer fleet init")
	}
	return fmt.Errorf("use JetStream: %w", err)
}

// Who asks all agents who they are, until enough have answered or wait is over.
func (b *Bus) Who(ctx context.Context, wait time.Duration, enough int) (all []message.Hello, err error) {
	ctx, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	ctx, explain := b.waiting.unless(ctx, whoSubject)
	defer func() { err = explain(err) }()
	inbox := b.conn.NewInbox()
	answers, err := b.conn.SubscribeSync(inbox)
	if err != nil {
		return nil, err
	}
	defer func() { _ = answers.Unsubscribe() }() // the connection may be away
	if err := b.conn.PublishRequest(whoSubject, inbox, nil); err != nil {
		return nil, err
	}
	seen := map[string]bool{}
	for len(all) < enough {
		m, err := answers.NextMsgWithContext(ctx)
		if errors.Is(err, context.DeadlineExceeded) {
			break
		}
		if errors.Is(err, nats.ErrNoResponders) {
			break
		}
		if err != nil {
			return nil, err
		}
		if len(m.Data) == 0 {
			if m.Header.Get("Status") == "503" { // nothing is listening
				break
			}
			continue
		}
		if h, err := message.Decode[message.Hello](m.Data); err == nil && !seen[h.Agent] {
			seen[h.Agent] = true
			all = append(all, *h)
		}
	}
	return all, nil
}

// ErrGone says that no agent of that id listens.
var ErrGone = errors.New("the agent is not there")

// Ask asks one agent, and waits for its answer until ctx ends.
func (b *Bus) Ask(ctx context.Context, agent string, a *message.Ask) (*message.Answer, error) {
	if err := message.CheckID(agent); err != nil {
		return nil, err
	}
	own := *a
	own.Protocol, own.Agent = message.Protocol, agent
	data, err := message.Encode(&own)
	if err != nil {
		return nil, err
	}
	ctx, explain := b.waiting.unless(ctx, askSubject(agent))
	m, err := b.conn.RequestWithContext(ctx, askSubject(agent), data)
	err = explain(err)
	if errors.Is(err, nats.ErrNoResponders) {
		return nil, ErrGone
	}
	if err != nil {
		return nil, err
	}
	return message.Decode[message.Answer](m.Data)
}

// Statuses shows each status of a run as it comes. see is called by one goroutine.
func (b *Bus) Statuses(run string, see func(*message.Status)) (stop func(), err error) {
	sub, err := b.conn.Subscribe(statusSubject(run, "*"), func(m *nats.Msg) {
		if s, err := message.Decode[message.Status](m.Data); err == nil && m.Subject == statusSubject(run, s.Agent) && s.Run == run {
			see(s)
		}
	})
	if err != nil {
		return nil, err
	}
	return func() { _ = sub.Unsubscribe() }, nil
}

// LastStatus is the last one that an agent told in a run; nil: none is known.
func (b *Bus) LastStatus(ctx context.Context, run, agent string) (last *message.Status, err error) {
	ctx, explain := b.waiting.unless(ctx, jetStream)
	defer func() { err = explain(err) }()
	s, err := b.js.Stream(ctx, StatusStream)
	if err != nil {
		return nil, explainStore(err)
	}
	m, err := s.GetLastMsgForSubject(ctx, statusSubject(run, agent))
	if errors.Is(err, jetstream.ErrMsgNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return message.Decode[message.Status](m.Data)
}

// Keep stores a value under a run's id, in place of an earlier one.
func (b *Bus) Keep(ctx context.Context, run string, value []byte) (err error) {
	ctx, explain := b.waiting.unless(ctx, jetStream, valueSubj)
	defer func() { err = explain(err) }()
	kv, err := b.js.KeyValue(ctx, RunsBucket)
	if err == nil {
		_, err = kv.Put(ctx, run, value)
	}
	return explainStore(err)
}

// Kept is what Keep stored; nil: nothing.
func (b *Bus) Kept(ctx context.Context, run string) (value []byte, err error) {
	ctx, explain := b.waiting.unless(ctx, jetStream)
	defer func() { err = explain(err) }()
	kv, err := b.js.KeyValue(ctx, RunsBucket)
	if err != nil {
		return nil, explainStore(err)
	}
	entry, err := kv.Get(ctx, run)
	if errors.Is(err, jetstream.ErrKeyNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, explainStore(err)
	}
	return entry.Value(), nil
}

// Drop removes all that the server keeps of a run.
func (b *Bus) Drop(ctx context.Context, run string) (err error) {
	if err := message.CheckID(run); err != nil {
		return err
	}
	ctx, explain := b.waiting.unless(ctx, jetStream, valueSubj)
	defer func() { err = explain(err) }()
	var all error
	for stream, subject := range map[string]string{JournalStream: journalSubject(run, "*"), StatusStream: statusSubject(run, "*")} {
		s, err := b.js.Stream(ctx, stream)
		if err == nil {
			err = s.Purge(ctx, jetstream.WithPurgeSubject(subject))
		}
		all = errors.Join(all, err)
	}
	kv, err := b.js.KeyValue(ctx, RunsBucket)
	if err == nil {
		err = errors.Join(kv.Purge(ctx, run), kv.Purge(ctx, holdKey(run)))
	}
	return errors.Join(all, err)
}
