package sim

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/inferometer/inferometer/internal/clock"
	"github.com/inferometer/inferometer/internal/sim/dialect"
	"github.com/inferometer/inferometer/internal/sim/engine"
	"github.com/inferometer/inferometer/internal/sim/handoff"
	"github.com/inferometer/inferometer/internal/sim/random"
	"github.com/inferometer/inferometer/internal/sim/socket"
	"github.com/inferometer/inferometer/internal/sim/vocab"
)

// completionsDefault is what OpenAI's completions take without max_tokens.
const completionsDefault = 16

// complete answers the paths of the dialects.
func (s *Server) complete(w http.ResponseWriter, r *http.Request) {
	raw, err := readBody(w, r)
	rec, key := s.newRecord(w, r)
	if err != nil {
		s.refuse(w, rec, http.StatusBadRequest, err)
		return
	}
	requestIsIn(w)
	d := dialect.Of(r.URL.Path)
	c, err := d.Read(&s.model, r, without(raw, s.cfg.Ignore))
	if c != nil && c.Dialect != nil {
		d = c.Dialect
	}
	rec.dialect = d
	if err == nil {
		c.Dialect = d
		if s.cfg.Role != "" {
			rec.hand = handoff.Read(raw, s.cfg.Role)
		}
		if rec.hand != nil && rec.hand.Keep {
			c.MaxTokens = 1
		}
		err = s.fit(c)
		rec.asks(c)
	}
	if err != nil {
		s.refuse(w, rec, dialect.StatusOf(err), err)
		return
	}
	s.generate(w, r, rec, key, c)
}

// generate answers a call that has been understood.
func (s *Server) generate(w http.ResponseWriter, r *http.Request, rec *Record, key uint64, c *dialect.Call) {
	rec.asks(c)
	salt := uint64(0)
	if c.Adapter != "" {
		salt = random.HashString(c.Adapter)
	}
	text := vocab.Answer{Pieces: s.pieces, Key: random.HashTokens(random.Mix(s.cfg.Seed, random.SaltText)^salt, c.Prompt)}
	favour, err := s.consult(c, &text, rec, key)
	if err != nil {
		s.refuse(w, rec, http.StatusInternalServerError, err)
		return
	}
	full, finish := s.length(c, text)
	p := makePlan(s.cfg.Faults.pick(key), key, c, full, finish)
	if p.fault == FaultFlip {
		if s.busy() && text.Told == nil {
			text.Key = random.Mix(text.Key, key)
		} else { // a prompt by itself gets its own text, and so does one of an answer key
			p.fault = ""
		}
	}
	rec.Fault = p.fault
	if s.failEarly(w, r, rec) {
		return
	}
	j := &engine.Job{Key: key, Prompt: c.Prompt, Answer: text, Want: p.want, PerChunk: s.cfg.TokensPerChunk, CacheSalt: salt}
	if c.Echoes() && c.Logprobs >= 0 {
		j.CacheSalt ^= key // as in vLLM: what lies in the cache has no log-probabilities any more
	}
	p.text, p.favour = text, favour
	c.Forget()
	if c.Stream {
		s.stream(w, r, c, p, j, rec)
	} else {
		s.unstreamed(w, r, c, p, j, rec)
	}
}

// fit checks the lengths and fills in the default of max_tokens.
func (s *Server) fit(c *dialect.Call) error {
	if s.hasAdapter(c.Model) {
		c.Adapter = c.Model
	} else if c.Model != "" && c.Model != s.cfg.Model && c.Model != s.cfg.Root {
		return fmt.Errorf("%w: the model `%s` does not exist, this server has `%s`", dialect.ErrNoModel, c.Model, s.cfg.Model)
	}
	if len(c.Prompt) == 0 {
		return dialect.Wording("The prompt cannot be empty.")
	}
	limit := s.cfg.MaxModelLen
	if c.MaxTokens == 0 {
		c.MaxTokens = completionsDefault
		if c.Chat {
			c.MaxTokens = s.cfg.DefaultMaxTokens
		}
		c.MaxTokens = max(1, min(c.MaxTokens, limit-len(c.Prompt)))
	}
	if total := len(c.Prompt) + c.MaxTokens; total > limit {
		return dialect.Wording(fmt.Sprintf("This model's maximum context length is %d tokens. However, you requested %d output tokens and your prompt contains %d input tokens, for a total of %d tokens. Please reduce the length of the input prompt or the number of requested output tokens.",
			limit, c.MaxTokens, len(c.Prompt), total))
	}
	return nil
}

// answering is the model's name in an answer.
func (s *Server) answering(c *dialect.Call) string { return cmp.Or(c.Adapter, s.cfg.Model) }

// length is how many tokens the answer has without a fault, and why it ends.
func (s *Server) length(c *dialect.Call, a vocab.Answer) (int, string) {
	if a.Told != nil {
		return toldLength(c, a)
	}
	if s.cfg.EOS > 0 && !c.IgnoreEOS {
		for i := range c.MaxTokens {
			if random.Unit(random.Mix(a.Key^random.SaltEOS, uint64(i))) < s.cfg.EOS {
				return i + 1, "stop"
			}
		}
	}
	return c.MaxTokens, "length"
}

// failEarly does the faults that come before an answer; true if there is none.
func (s *Server) failEarly(w http.ResponseWriter, r *http.Request, rec *Record) bool {
	switch rec.Fault {
	case FaultHTTP500:
		s.refuse(w, rec, http.StatusInternalServerError, errors.New("the sim was told to fail with 500"))
		return true
	case FaultHTTP429:
		w.Header().Set("Retry-After", "1")
		s.refuse(w, rec, http.StatusTooManyRequests, errors.New("the sim was told to fail with 429"))
		return true
	case FaultSlowHeaders:
		if !s.pause(r, s.cfg.SlowHeaders) {
			rec.Finish = "abort"
			s.endRecord(rec, nil)
			return true
		}
	}
	return false
}

// pause waits; false if the client left or the server stopped meanwhile.
func (s *Server) pause(r *http.Request, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-r.Context().Done():
	case <-s.closing:
	}
	return false
}

// stream answers with events.
func (s *Server) stream(w http.ResponseWriter, r *http.Request, c *dialect.Call, p plan, j *engine.Job, rec *Record) {
	conn, err := socket.Hijack(w, r)
	if err != nil {
		s.refuse(w, rec, http.StatusHTTPVersionNotSupported, err)
		return
	}
	rec.Status = http.StatusOK
	st := &stream{
		srv: s, job: j, plan: p, call: c, conn: conn, record: rec,
		frame:  framer{style: s.cfg.Framing | c.Dialect.Framing, lines: c.Dialect.Lines, chunked: r.ProtoAtLeast(1, 1), gap: s.cfg.SplitGap},
		writer: c.Dialect.Write(c, p.text, rec.ID, s.answering(c), time.Unix(0, rec.Received)),
		onPump: conn.Nonblocking() && !s.cfg.Framing.Has(dialect.FrameSplit),
		done:   make(chan struct{}),
	}
	st.out = st.emit
	st.size(p.want)
	j.Sink = st
	s.track(conn, true)
	defer s.track(conn, false)
	_, err = conn.Write(st.header())
	if err == nil && c.Chat && s.cfg.Framing.Has(dialect.FrameRoleFirst) {
		err = st.sendRole()
	}
	if err != nil {
		st.notice()
		st.end()
		return
	}
	if rec.hand != nil && rec.hand.Fetch {
		s.active.Go(st.fetch)
	} else {
		s.engine.Submit(j)
	}
	s.keep(st)
}

// keep holds the connection until the client sends something or goes away. It
// reads meanwhile, so that a client that leaves is noticed at once.
func (s *Server) keep(st *stream) {
	next, err := st.conn.Next(idleTime)
	if err != nil {
		st.leave()
		select {
		case <-st.done:
		case <-s.closing: // it may be generating for nobody
			st.end()
			<-st.done
		}
		return
	}
	<-st.done
	if st.conn.KeepAlive && !st.plan.ending.closes() {
		s.returns.Add(next)
	}
}

// header is the response's head. It goes out at once, as real servers do.
func (st *stream) header() []byte {
	kind := "text/event-stream; charset=utf-8"
	if st.frame.lines {
		kind = "application/x-ndjson"
	}
	b := []byte("HTTP/1.1 200 OK\r\nContent-Type: " + kind + "\r\nCache-Control: no-cache\r\nX-Request-Id: ")
	b = append(b, st.record.ID...)
	if name := st.srv.cfg.Name; name != "" {
		b = append(append(b, "\r\n"+ReplicaHeader+": "...), name...)
	}
	b = append(b, "\r\nDate: "...)
	b = clock.Now().UTC().AppendFormat(b, http.TimeFormat)
	if st.frame.chunked {
		b = append(b, "\r\nTransfer-Encoding: chunked"...)
	}
	if !st.conn.KeepAlive {
		b = append(b, "\r\nConnection: close"...)
	}
	b = append(b, "\r\n\r\n"...)
	if st.frame.style.Has(dialect.FramePings) && !st.frame.lines {
		// A comment long before the first event: a reader that takes the first
		// bytes of a body for the first token is wrong by the whole wait.
		st.frame.begin()
		st.frame.comment()
		st.frame.shut()
		w := st.frame.writes[0]
		b = append(b, st.frame.buf[w.from:w.to]...)
		st.frame.begin()
	}
	return b
}

// size makes the record's lists as long as they will get.
func (st *stream) size(tokens int) {
	n := tokens/st.job.PerChunk + 4
	st.record.Events = make([]int64, 0, n)
	st.record.Tokens = make([]int, 0, n)
	st.record.Kinds = make([]string, 0, n)
}

// newRecord starts a request's record and gives the key of all its draws.
func (s *Server) newRecord(w http.ResponseWriter, r *http.Request) (*Record, uint64) {
	rec := &Record{Path: r.URL.Path, Session: dialect.Session(r.Header), Arrived: socket.ArrivalOf(r.Context()), Received: clock.Now().UnixNano(), ID: r.Header.Get("X-Request-Id")}
	s.counted(rec, r)
	arrival := s.arrivals.Add(1) - 1
	key := random.Mix(random.Mix(s.cfg.Seed, random.SaltTiming), arrival)
	if rec.ID != "" {
		key = random.Mix(s.cfg.Seed, random.HashString(rec.ID))
	} else {
		rec.ID = "sim-" + strconv.FormatUint(arrival, 10)
	}
	w.Header().Set("X-Request-Id", rec.ID)
	return rec, key
}

// without takes fields out of a body; one that is no object is left to its reader.
func without(raw []byte, fields []string) []byte {
	var object map[string]json.RawMessage
	if len(fields) == 0 || json.Unmarshal(raw, &object) != nil {
		return raw
	}
	for _, name := range fields {
		delete(object, name)
	}
	out, err := json.Marshal(object)
	if err != nil {
		return raw // what was unmarshalled can be marshalled
	}
	return out
}
