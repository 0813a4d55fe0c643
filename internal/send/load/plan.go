package load

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"slices"
	"time"

	"github.com/inferometer/inferometer/internal/send/workload"
)

// Planned is a request as it would be sent. It is the visitor's only while it looks.
type Planned struct {
	Request *workload.Request
	Due     time.Duration // 0 in a closed loop, where it depends on the server
	Body    []byte
	Text    []byte // what the model reads: the prompt, or the messages as JSON
	// Waits: it is part of a conversation and waits for answers. Body is then what is known
	// of it before: its turn as planned, and Text the messages without the answers.
	Waits bool
}

// Dry makes the requests of a run and sends nothing. visit sees each in its order, and
// ends it by false. The hash is that of a run which sends the same.
func Dry(cfg Config, visit func(*Planned) (more bool)) (sha string, err error) {
	m := newMaker(&cfg)
	sum := newWorkloadSum(sha256.New())
	defer func() { sha = sum.hex() }()
	return "", m.planAll(func(w *workload.Request, due time.Duration) (more bool, err error) {
		s, more, err := m.plan(w, due, visit)
		if more && err == nil {
			sum.add(s.index, s.scheduled, s.parts)
		}
		return more, err
	})
}

// planAll shows the requests of a run one after the other, with their due times, and ends by false.
func (m *maker) planAll(visit func(w *workload.Request, due time.Duration) (more bool, err error)) error {
	for {
		due, ok := m.cfg.Pace.Next()
		if !ok {
			return nil
		}
		w, err := m.cfg.Source.Next()
		if isEnd(err) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("the workload: %w", err)
		}
		if m.closed {
			due = 0
		}
		if more, err := visit(w, due); !more || err != nil {
			return err
		}
	}
}

// plan makes one request, or the turns of a conversation, each of which is held only while it is visited. It gives what a
// run's hash holds of it.
func (m *maker) plan(w *workload.Request, due time.Duration, visit func(*Planned) (more bool)) (s *sentBody, more bool, err error) {
	if w.Talk != nil {
		more, err = m.planTurns(w, due, visit)
		return &sentBody{w.Talk.First, int64(due), [][]byte{w.Talk.AppendPlan(nil)}}, more, err
	}
	p := &Planned{Request: w, Due: due, Text: []byte(w.Prompt)}
	if w.Messages != nil {
		p.Text = w.Messages
	}
	j, err := m.job(w)
	if err != nil {
		return nil, false, err
	}
	p.Body = j.body
	return &sentBody{w.Index, int64(due), j.summed}, visit(p), nil
}

// planTurns makes the turns of a conversation as far as they are known before it is held.
func (m *maker) planTurns(w *workload.Request, due time.Duration, visit func(*Planned) (more bool)) (more bool, err error) {
	c := w.Talk
	o := newConversation(c, w.Model, "")
	texts, tokens := make([][]byte, len(c.Turns)), make([]int, len(c.Turns))
	for i := range c.Turns {
		t, j := &c.Turns[i], m.newTurn(o, i)
		p := &Planned{Request: &j.request, Due: due, Waits: len(t.Waits) > 0}
		if p.Waits {
			p.Due = 0
		}
		switch {
		case c.Maker != nil:
			p.Text, err = m.makeTurn(j)
			c.Maker.Sent(i) // it holds what is made until then
			p.Body = j.body
		case p.Waits:
			p.Body, err = c.TurnJSON(i)
		default:
			_, err = m.makeTurn(j)
			p.Body = j.body
		}
		if err != nil {
			return false, fmt.Errorf("conversation %d: %w", c.Number, err)
		}
		if c.Maker == nil {
			tokens[i] = t.PromptTokens
			if before := t.Continues; before >= 0 && before < i {
				was := &c.Turns[before]
				texts[i] = append(slices.Clone(texts[before]), was.Recorded...)
				tokens[i] = added(tokens[before], added(t.PromptTokens, cmp.Or(was.RecordedTokens, was.OutputTokens)))
			}
			for _, m := range t.Messages {
				texts[i] = append(texts[i], m.JSON...)
			}
			p.Text, j.request.PromptTokens = texts[i], tokens[i]
		}
		if !visit(p) {
			return false, nil
		}
	}
	return true, nil
}

// added is a sum of which each part is known.
func added(a, b int) int {
	if a == 0 || b == 0 {
		return 0
	}
	return a + b
}

// Divided makes the requests of a run that several clients send, and sends nothing: visit
// sees each, with the client that owner names. The hashes are those of runs: of one client
// that sends all, and of each of several. Of a run without a number of requests it must
// not be asked.
func Divided(ctx context.Context, cfg Config, clients int, owner func(*workload.Request) int, visit func(p *Planned, client int)) (whole string, parts []string, err error) {
	m := newMaker(&cfg)
	all, of := sha256.New(), make([]hash.Hash, clients)
	for i := range of {
		of[i] = sha256.New()
	}
	err = m.planAll(func(w *workload.Request, due time.Duration) (more bool, err error) {
		client := owner(w)
		s, _, err := m.plan(w, due, func(p *Planned) bool {
			visit(p, client)
			return true
		})
		if err == nil {
			s.sum(all)
			s.sum(of[client])
		}
		return ctx.Err() == nil, err
	})
	if err == nil && ctx.Err() != nil {
		err = fmt.Errorf("the workload: %w", ctx.Err())
	}
	if err != nil {
		return "", nil, err
	}
	for _, h := range of {
		parts = append(parts, hex.EncodeToString(h.Sum(nil)))
	}
	return hex.EncodeToString(all.Sum(nil)), parts, nil
}
