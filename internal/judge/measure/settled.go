package measure

import (
	"errors"
	"io"

	"github.com/inferometer/inferometer/internal/journal"
)

// SettledFrom is the moment from which a run shows the server at its load and no
// longer its start: a tenth of the time for which load was sent, and in a closed
// loop at least the end of each slot's first request, since those come all at once.
// At most half of the time.
func SettledFrom(j Journal) (at int64, err error) {
	slots := j.Run().Options.MaxConcurrency
	if n := j.Run().Options.MaxConversations; n > 0 {
		slots = n
	}
	if j.Run().Options.RequestRate > 0 {
		slots = 0 // an open loop with a bound
	}
	last, first := int64(0), int64(0)
	for {
		req, err := j.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return 0, err
		}
		if req.Warmup {
			continue
		}
		last = max(last, req.Sent)
		if req.Index < slots && req.Conversation == 0 || req.Turn == 1 && req.Conversation <= slots {
			first = max(first, req.End)
		}
	}
	return min(max(last/10, first), last/2), nil
}

// After is a journal without the requests that were sent before a moment. Its clock
// begins there.
func After(j Journal, at int64) Journal { return &after{j, at} }

type after struct {
	Journal
	at int64
}

func (a *after) Next() (*journal.Request, error) {
	for {
		req, err := a.Journal.Next()
		if err != nil || !req.Warmup && req.Sent >= a.at {
			return shifted(req, a.at), err
		}
	}
}

// OnConversation shows those that ended after the moment. One that was begun before it is one that was begun inside its
// recording: it counts as done, and has no time of its own.
func (a *after) OnConversation(see func(*journal.Conversation)) {
	lines, ok := a.Journal.(interface {
		OnConversation(see func(*journal.Conversation))
	})
	if !ok {
		return
	}
	lines.OnConversation(func(c *journal.Conversation) {
		if c.End < a.at {
			return
		}
		moved := *c
		if moved.Begin -= a.at; moved.Begin < 0 {
			moved.Begin, moved.Before = 0, c.Before+1
		}
		moved.End -= a.at
		see(&moved)
	})
}

func shifted(req *journal.Request, by int64) *journal.Request {
	if req == nil {
		return nil
	}
	moved := *req
	for _, t := range []*int64{&moved.Due, &moved.Released, &moved.Sent, &moved.Headers, &moved.End} {
		if *t != 0 {
			*t -= by
		}
	}
	return &moved
}

func (a *after) End() *journal.End {
	end := a.Journal.End()
	if end == nil {
		return nil
	}
	moved := *end
	moved.At -= a.at
	return &moved
}
