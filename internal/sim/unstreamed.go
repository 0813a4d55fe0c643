package sim

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/inferometer/inferometer/internal/sim/engine"
	"github.com/inferometer/inferometer/internal/sim/socket"
)

// collector is the sink of an answer that is not streamed.
type collector struct {
	srv    *Server
	call   *call
	record *Record
	tokens int
	last   time.Time
	done   chan struct{}
}

func (c *collector) Offer(tokens int, last bool) {
	now := time.Now()
	if tokens > 0 {
		if c.tokens == 0 {
			c.call.firstToken = now
		}
		c.srv.metrics.tokens(now, c.last, c.record, tokens)
	}
	c.last = now
	c.tokens += tokens
	if last {
		close(c.done)
	}
}

// unstreamed answers with one JSON object when all tokens are ready.
func (s *Server) unstreamed(w http.ResponseWriter, r *http.Request, c *call, p plan, j *engine.Job, rec *Record) {
	sink := &collector{srv: s, call: c, record: rec, done: make(chan struct{})}
	j.Sink = sink
	s.metrics.begin(rec)
	s.engine.Submit(j)
	gone := false
	select {
	case <-sink.done:
		gone = p.stall > 0 && !s.pause(r, s.cfg.Stall)
	case <-r.Context().Done():
		gone = true
	case <-s.closing:
		gone = true
	}
	if gone {
		s.engine.Cancel(j)
		rec.Finish = "abort"
		s.endRecord(rec, j)
		return
	}
	rec.CompletionTokens = sink.tokens
	rec.ends(p.finish, c.dialect)
	rec.setTexts(p.text.text(0, sink.tokens-p.unseen(c)), "", "", s.cfg.TruthText)
	raw, err := json.Marshal(c.dialect.whole(s, c, p, j, rec))
	if err != nil {
		s.refuse(w, rec, http.StatusInternalServerError, fmt.Errorf("answer: %w", err))
		return
	}
	rec.Status = http.StatusOK
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(raw)))
	rec.Ended = time.Now().UnixNano()
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

// openAIWhole is an answer in OpenAI's shape.
func openAIWhole(s *Server, c *call, p plan, j *engine.Job, rec *Record) any {
	text := p.text.text(0, rec.CompletionTokens)
	choice := map[string]any{"index": 0, "finish_reason": p.finish, "stop_reason": nil, "logprobs": nil}
	object, prefix := "text_completion", "cmpl-"
	if c.chat {
		object, prefix = "chat.completion", "chatcmpl-"
		choice["message"] = map[string]any{"role": "assistant", "content": text}
	} else {
		choice["text"] = text
	}
	if c.echoes() {
		choice["text"], choice["logprobs"] = s.echoed(c, p.text, rec, text)
	} else if c.logprobs >= 0 {
		choice["logprobs"] = logprobs(c, p.text, 0, rec.CompletionTokens, 0)
	}
	if c.tokenIDs {
		choice["token_ids"] = p.text.ids(0, rec.CompletionTokens)
	}
	out := map[string]any{
		"id": prefix + rec.ID, "object": object, "created": rec.Received / int64(time.Second),
		"model": s.answering(c), "choices": []any{choice},
	}
	if !s.cfg.Framing.has(FrameNoUsage) {
		out["usage"] = map[string]any{
			"prompt_tokens": rec.PromptTokens, "completion_tokens": rec.CompletionTokens,
			"total_tokens":          rec.PromptTokens + rec.CompletionTokens,
			"prompt_tokens_details": map[string]int{"cached_tokens": j.Cached},
		}
	}
	return out
}
