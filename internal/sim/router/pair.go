package router

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"sync"
)

// apart says that a prefill server computes the prompt of each request and a decode server the answer.
func (rt *Router) apart() bool { return rt.cfg.Policy == PDVLLM || rt.cfg.Policy == PDSGLang }

// errNoObject: fields can be added to an object only.
var errNoObject = errors.New("the body is no JSON object")

// pair tries pairs of a prefill and a decode server. A further try takes both anew.
func (rt *Router) pair(r *http.Request, body []byte, rec *Record) attempt {
	return func(w http.ResponseWriter, again bool) bool {
		turn := int(rt.turn.Add(1) - 1)
		p, d := rt.ofRole(RolePrefill, turn), rt.ofRole(RoleDecode, turn)
		if p == nil || d == nil {
			rt.refuse(w, rec, http.StatusServiceUnavailable, errNone)
			return true
		}
		var fields map[string]json.RawMessage
		if json.Unmarshal(body, &fields) != nil || fields == nil {
			rt.refuse(w, rec, http.StatusBadRequest, errNoObject)
			return true
		}
		if !rt.cfg.NoReplicaHeader {
			w.Header().Set(headerPrefiller, p.URL)
		}
		if rt.cfg.Policy == PDSGLang {
			return rt.together(w, r, rec, p, d, fields, again)
		}
		return rt.inTurn(w, r, rec, p, d, fields, again)
	}
}

// ofRole is the replica of a role whose turn it is; nil: none is up.
func (rt *Router) ofRole(role string, turn int) *replica {
	up := slices.DeleteFunc(slices.Clone(rt.replicas), func(p *replica) bool { return p.Role != role || !p.healthy() })
	if len(up) == 0 {
		return nil
	}
	return up[turn%len(up)]
}

// inTurn is vLLM's way: the prefill server computes the prompt and one token, which nobody sees, and says where the KV
// is kept; the decode server is told and gets it.
func (rt *Router) inTurn(w http.ResponseWriter, r *http.Request, rec *Record, p, d *replica, fields map[string]json.RawMessage, again bool) bool {
	first := maps.Clone(fields)
	first["stream"], first["max_tokens"] = json.RawMessage("false"), json.RawMessage("1")
	if _, named := first["max_completion_tokens"]; named {
		first["max_completion_tokens"] = json.RawMessage("1")
	}
	delete(first, "stream_options")
	first["kv_transfer_params"] = json.RawMessage(`{"do_remote_decode":true,"do_remote_prefill":false,"remote_engine_id":null,"remote_block_ids":null,"remote_host":null,"remote_port":null}`)
	kept, done := rt.prefill(w, r, rec, p, first, again)
	if kept == nil {
		return done
	}
	second := maps.Clone(fields)
	second["kv_transfer_params"] = kept
	l := rt.open(r.Context(), d, r, object(second))
	defer l.end(rec)
	return rt.conclude(w, r, rec, l, again, func([]int32) {})
}

// prefill has a prompt computed; where it is kept, or nil and whether the request has been answered.
func (rt *Router) prefill(w http.ResponseWriter, r *http.Request, rec *Record, p *replica, fields map[string]json.RawMessage, again bool) (kept json.RawMessage, done bool) {
	l := rt.open(r.Context(), p, r, object(fields))
	defer l.end(rec)
	if l.resp == nil || l.Status != http.StatusOK {
		return nil, rt.conclude(w, r, rec, l, again, func([]int32) {})
	}
	var answer struct {
		Params json.RawMessage `json:"kv_transfer_params"`
	}
	if err := json.NewDecoder(io.LimitReader(l.resp.Body, maxBody)).Decode(&answer); err != nil {
		if r.Context().Err() != nil {
			rec.Outcome = Left
			return nil, true
		}
		if l.Error = err.Error(); again {
			return nil, false
		}
		rt.refuse(w, rec, http.StatusBadGateway, errUpstream)
		return nil, true
	}
	if len(answer.Params) == 0 {
		return json.RawMessage("null"), false // a server that keeps nothing: the decode server computes all
	}
	return answer.Params, false
}

// together is SGLang's way: both get the same request at the same time, and the number of a room in which they meet.
func (rt *Router) together(w http.ResponseWriter, r *http.Request, rec *Record, p, d *replica, fields map[string]json.RawMessage, again bool) bool {
	host, port := meetingPlace(p.URL)
	rt.mu.Lock()
	room := rt.rng.Uint64() >> 1
	rt.mu.Unlock()
	both := maps.Clone(fields)
	both["bootstrap_host"] = json.RawMessage(strconv.Quote(host))
	both["bootstrap_port"] = json.RawMessage(strconv.Itoa(port))
	both["bootstrap_room"] = json.RawMessage(strconv.FormatUint(room, 10))
	body := object(both)
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	var first, second *leg
	var headers sync.WaitGroup
	headers.Go(func() {
		if first = rt.open(ctx, p, r, body); first.resp == nil || first.Status != http.StatusOK {
			cancel() // nobody will come to the room
		}
	})
	headers.Go(func() { second = rt.open(ctx, d, r, body) })
	headers.Wait()
	var drained sync.WaitGroup
	defer func() {
		drained.Wait()
		first.end(rec)
		second.end(rec)
	}()
	if first.resp == nil || first.Status != http.StatusOK {
		return rt.conclude(w, r, rec, first, again, func([]int32) {})
	}
	drained.Go(func() { _, _ = io.Copy(io.Discard, first.resp.Body) })
	return rt.conclude(w, r, rec, second, again, func([]int32) {})
}

// meetingPlace is where a simulated prefill server is asked for prompts: its own address.
func meetingPlace(address string) (host string, port int) {
	u, err := url.Parse(address)
	if err != nil {
		return "", 0 // addresses were read before
	}
	host, text, err := net.SplitHostPort(u.Host)
	if err != nil {
		return u.Host, map[string]int{"http": 80, "https": 443}[u.Scheme]
	}
	port, _ = strconv.Atoi(text)
	return host, port
}

func object(fields map[string]json.RawMessage) []byte {
	b, err := json.Marshal(fields)
	if err != nil {
		panic(fmt.Sprintf("router: %v", err)) // what was read can be written
	}
	return b
}
