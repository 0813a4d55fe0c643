package sim

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/inferometer/inferometer/internal/clock"
	"github.com/inferometer/inferometer/internal/sim/dialect"
	"github.com/inferometer/inferometer/internal/sim/engine"
	"github.com/inferometer/inferometer/internal/sim/socket"
)

// collector is the sink of an answer that is not streamed.
type collector struct {
	srv    *Server
	record *Record
	tokens atomic.Int64
	first  time.Time
	last   time.Time
	done   chan struct{}
}

func (c *collector) Offer(tokens int, last bool) {
	now := clock.Now()
	if tokens > 0 {
		if c.tokens.Load() == 0 {
			c.first = now
		}
		c.srv.metrics.tokens(now, c.last, c.record, tokens)
	}
	c.last = now
	c.tokens.Add(int64(tokens))
	if last {
		close(c.done)
	}
}

// unstreamed answers with one JSON object when all tokens are ready.
func (s *Server) unstreamed(w http.ResponseWriter, r *http.Request, c *dialect.Call, p plan, j *engine.Job, rec *Record) {
	sink := &collector{srv: s, record: rec, done: make(chan struct{})}
	j.Sink = sink
	if rec.hand != nil && rec.hand.Fetch {
		got, err := s.fetch(r.Context(), rec.hand)
		got.enter(rec, j, s.base)
		switch {
		case r.Context().Err() != nil || s.stopping():
			rec.Finish = "abort"
			s.endRecord(rec, nil)
			return
		case err != nil:
			s.refuse(w, rec, http.StatusInternalServerError, fmt.Errorf("the prompt's KV did not come: %w", err))
			return
		}
	}
	s.engine.Submit(j)
	gone := false
	select {
	case <-sink.done:
		gone = p.stall > 0 && !s.pause(r, s.cfg.Stall)
	case <-r.Context().Done():
		gone = true
		rec.Left = clock.Now().UnixNano()
		if s.cfg.IgnoreDisconnect {
			select {
			case <-sink.done:
				rec.ends(p.finish, c.Dialect)
				rec.unread = true
			case <-s.closing:
			}
		}
	case <-s.closing:
		gone = true
	}
	tokens := int(sink.tokens.Load())
	if gone {
		s.engine.Cancel(j)
		rec.Generated = tokens
		if !rec.unread {
			rec.Finish = "abort"
		}
		s.endRecord(rec, j)
		return
	}
	rec.CompletionTokens = tokens
	rec.ends(p.finish, c.Dialect)
	a := &dialect.Result{
		ID: rec.ID, Model: s.answering(c), Received: time.Unix(0, rec.Received), FirstToken: sink.first,
		Answer: p.text, Visible: tokens - p.unseen(c), Finish: p.finish,
		Usage: dialect.Usage{Prompt: rec.PromptTokens, Completion: tokens, Cached: j.Cached}, NoUsage: s.cfg.Framing.Has(dialect.FrameNoUsage),
	}
	if c.Echoes() {
		a.Prompt, a.Logprobs = s.echoed(c, p, rec)
	}
	rec.setTexts(p.text.Text(0, a.Visible), "", "", s.cfg.TruthText)
	raw, err := json.Marshal(c.Dialect.Whole(c, a))
	if err != nil {
		s.refuse(w, rec, http.StatusInternalServerError, fmt.Errorf("answer: %w", err))
		return
	}
	s.keepPrompt(rec)
	raw = s.tellPrompt(r, rec, raw)
	rec.Status = http.StatusOK
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(raw)))
	rec.Ended = clock.Now().UnixNano()
	defer s.endRecord(rec, j)
	if p.ending == endNormal {
		_, _ = w.Write(raw)
		return
	}
	s.cutOff(w, r, raw, p.ending)
}

// cutOff writes half the bytes that the header promises, and then the end.
func (s *Server) cutOff(w http.ResponseWriter, r *http.Request, raw []byte, end ending) {
	_, _ = w.Write(raw[:len(raw)/2])
	_ = http.NewResponseController(w).Flush()
	conn, err := socket.Hijack(w, r)
	if err != nil {
		panic(http.ErrAbortHandler) // closes the connection too
	}
	if end == endReset {
		conn.Reset()
	} else {
		_ = conn.Close()
	}
}
