package router

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/inferometer/inferometer/internal/clock"
	"github.com/inferometer/inferometer/internal/sim/dialect"
	"github.com/inferometer/inferometer/internal/sim/random"
)

const (
	// maxBody is far beyond any prompt of a benchmark.
	maxBody = 256 << 20

	headerReplica   = "X-Inferometer-Replica"
	headerPrefiller = "X-Inferometer-Prefiller"
	headerBelieved  = "X-Inferometer-Believed-Tokens"
)

// retryStatuses are those after which another try may do better, as in SGLang's router.
var retryStatuses = []int{408, 429, 500, 502, 503, 504}

// The wait before another try, and what it grows by, as in SGLang's router; without its jitter.
const (
	firstBackoff  = 50 * time.Millisecond
	backoffGrowth = 1.5
	maxBackoff    = 5 * time.Second
)

// errUpstream is what a client is told of a replica that could not be reached.
var errUpstream = errors.New("the replica could not be reached")

// route serves one request of a client.
func (rt *Router) route(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	number := rt.requests.Add(1)
	rec := &Record{ID: r.Header.Get("X-Request-Id"), Path: r.URL.Path, Session: dialect.Session(r.Header), Received: clock.Now().UnixNano()}
	if rec.ID == "" {
		rec.ID = "router-" + strconv.FormatUint(number, 10)
		r.Header.Set("X-Request-Id", rec.ID)
	}
	defer func() {
		rec.Ended = clock.Now().UnixNano()
		rt.truth.add(rec)
	}()
	if err != nil {
		rt.refuse(w, rec, http.StatusBadRequest, fmt.Errorf("the body could not be read: %w", err))
		return
	}
	try := rt.chosen(r, body, rec)
	if rt.apart() {
		try = rt.pair(r, body, rec)
	}
	wait := firstBackoff
	for further := rt.cfg.Retries; !try(w, further > 0); further-- {
		rt.retries.Add(1)
		if !clock.Pause(r.Context(), wait) {
			rec.Outcome = Left
			return
		}
		wait = min(time.Duration(float64(wait)*backoffGrowth), maxBackoff)
	}
}

// attempt is one try of a request. It answers it and gives true, unless it failed in a way after which another try may
// do better, and another may be made.
type attempt func(w http.ResponseWriter, again bool) bool

// chosen tries replicas that the policy chooses.
func (rt *Router) chosen(r *http.Request, body []byte, rec *Record) attempt {
	q := rt.question(r, body, rec)
	var tried []*replica
	return func(w http.ResponseWriter, again bool) bool {
		p, believed := rt.choose(q, tried)
		if p == nil {
			rt.refuse(w, rec, http.StatusServiceUnavailable, errNone)
			return true
		}
		tried = append(tried, p)
		rec.Believed = believed
		learned := rt.sends(p, q, believed)
		l := rt.open(r.Context(), p, r, body)
		defer l.end(rec)
		return rt.conclude(w, r, rec, l, again, learned)
	}
}

// leg is a request that was sent to a replica.
type leg struct {
	Try
	p    *replica
	resp *http.Response // nil: it did not answer
	slot bool
}

// open sends a request to a replica, when that has room for it, and waits for the headers of its answer.
func (rt *Router) open(ctx context.Context, p *replica, r *http.Request, body []byte) *leg {
	p.active.Add(1)
	asked := clock.Now()
	l := &leg{p: p, Try: Try{Replica: p.URL, Role: p.Role}}
	if l.slot = p.enter(ctx); !l.slot {
		l.Error = ctx.Err().Error()
		return l
	}
	began := clock.Now()
	l.Queued, l.Began = int64(began.Sub(asked)), began.UnixNano()
	p.sent.Add(1)
	resp, err := rt.send(ctx, p, r, body)
	if err != nil {
		l.Error = err.Error()
		if ctx.Err() == nil {
			p.fails()
		}
		return l
	}
	l.resp, l.Status, l.Headers = resp, resp.StatusCode, clock.Now().UnixNano()
	return l
}

// end lets go of the replica and enters the try in the record.
func (l *leg) end(rec *Record) {
	if l.resp != nil {
		l.resp.Body.Close()
	}
	l.p.active.Add(-1)
	if l.slot {
		l.p.leave()
	}
	l.Ended = clock.Now().UnixNano()
	rec.Tries = append(rec.Tries, l.Try)
}

// conclude answers the client with what a replica answered.
func (rt *Router) conclude(w http.ResponseWriter, r *http.Request, rec *Record, l *leg, again bool, learned func([]int32)) bool {
	switch {
	case l.resp == nil && r.Context().Err() != nil:
		rec.Outcome = Left
		return true
	case again && (l.resp == nil || slices.Contains(retryStatuses, l.Status)):
		return false
	case l.resp == nil:
		rec.Replica = l.Replica
		rt.refuse(w, rec, http.StatusBadGateway, errUpstream)
		return true
	}
	rec.Replica = l.Replica
	h := w.Header()
	copyHeader(h, l.resp.Header)
	if !rt.cfg.NoReplicaHeader {
		h.Set(headerReplica, l.Replica)
	}
	if rt.remembers() {
		h.Set(headerBelieved, strconv.Itoa(rec.Believed))
	}
	a := &answer{rt: rt, w: w, resp: l.resp, rec: rec}
	l.Error = a.relay(r.Context())
	learned(a.tokens)
	if a.cut {
		panic(http.ErrAbortHandler) // closes the client's connection in the middle of the answer
	}
	return true
}

// sends notes that a prompt goes to a replica; the function that it gives is told the answer.
func (rt *Router) sends(p *replica, q *question, believed int) (learned func(tokens []int32)) {
	if !rt.remembers() || q.prompt == nil {
		return func([]int32) {}
	}
	cache, size := p.memory()
	chain := q.chain(size)
	p.missed.Add(int64(len(q.prompt) - believed))
	rt.learn(func() { cache.Prompt(chain) })
	return func(tokens []int32) {
		rt.learn(func() { cache.Answer(chain, answered(tokens), len(tokens)) })
	}
}

// refuse answers with an error of the router's own.
func (rt *Router) refuse(w http.ResponseWriter, rec *Record, status int, err error) {
	rec.Status, rec.Outcome = status, Refused
	if rec.Replica != "" && !rt.cfg.NoReplicaHeader {
		w.Header().Set(headerReplica, rec.Replica)
	}
	fail(w, status, err)
}

// question reads of a request what the policy asks for.
func (rt *Router) question(r *http.Request, body []byte, rec *Record) *question {
	q := &question{session: rec.Session}
	if !rt.remembers() && (rt.cfg.Policy != Sticky || q.session != "") {
		return q
	}
	d := dialect.Of(r.URL.Path)
	if d == nil {
		return q
	}
	c, err := d.Read(&rt.model, r, body)
	if err != nil {
		return q // the replica will say what is wrong with it
	}
	q.prompt, q.model, rec.PromptTokens = c.Prompt, random.HashString(c.Model), len(c.Prompt)
	return q
}

// send sends a client's request on to a replica.
func (rt *Router) send(ctx context.Context, p *replica, r *http.Request, body []byte) (*http.Response, error) {
	path := r.URL.EscapedPath()
	if r.URL.RawQuery != "" {
		path += "?" + r.URL.RawQuery
	}
	req, err := http.NewRequestWithContext(ctx, r.Method, p.URL+path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	copyHeader(req.Header, r.Header)
	return rt.client.Do(req)
}

// hopHeaders belong to one connection, or are made anew.
var hopHeaders = []string{"Connection", "Keep-Alive", "Proxy-Connection", "Te", "Trailer", "Transfer-Encoding", "Upgrade", "Content-Length", "Accept-Encoding"}

func copyHeader(to, from http.Header) {
	for name, values := range from {
		if !slices.Contains(hopHeaders, name) {
			to[name] = slices.Clone(values)
		}
	}
}

// enter waits for a slot of the replica; false: the client left meanwhile.
func (p *replica) enter(ctx context.Context) bool {
	if p.slots == nil {
		return true
	}
	p.queued.Add(1)
	defer p.queued.Add(-1)
	select {
	case p.slots <- struct{}{}:
		return true
	case <-ctx.Done():
		return false
	}
}

func (p *replica) leave() {
	if p.slots != nil {
		<-p.slots
	}
}
