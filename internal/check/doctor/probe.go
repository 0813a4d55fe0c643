package doctor

import (
	"cmp"
	"context"
	"crypto/rand"
	"fmt"
	"net/http"
	"strings"

	"github.com/inferometer/inferometer/internal/send/protocol"
	"github.com/inferometer/inferometer/internal/send/protocol/stream"
	"github.com/inferometer/inferometer/internal/send/wire"
)

// probeTokens is long enough to see bursts of a few events, and short enough
// for a model on a small CPU.
const probeTokens = 32

// probe is one request with a stream, and what came of it.
type probe struct {
	*stream.Stream
	header wire.Header
	sent   int64 // on the stamps' clock
	err    error
}

// Head keeps the headers, which a Stream has no use for.
func (p *probe) Head(status int, h wire.Header, at wire.Stamp) {
	p.header = h
	p.Stream.Head(status, h, at)
}

// trouble says why a probe is no success; empty: it is one.
func (p *probe) trouble() string {
	t := &p.Trace
	words := strings.TrimSpace(strings.ToValidUTF8(string(t.ErrorBody), "\uFFFD"))
	switch {
	case t.Status == 0 && p.err != nil:
		return p.err.Error()
	case t.Status != http.StatusOK:
		return fmt.Sprintf("HTTP %d: %s", t.Status, words)
	case t.ErrorMark:
		return "an error inside the stream: " + words
	case t.Malformed != nil:
		return t.Malformed.Error()
	case !t.Done && t.FinishReason == "":
		return "the stream broke off: neither a finish reason nor [DONE] came"
	}
	return ""
}

// times are when the events with something to read arrived. Others, such as the
// first of a chat, come with the event after them and are no sign of a burst.
func (p *probe) times() []int64 {
	var at []int64
	for i := range p.Trace.Events {
		e := &p.Trace.Events[i]
		if e.Kind&(stream.EventText|stream.EventReasoning|stream.EventTool) != 0 {
			at = append(at, e.At)
		}
	}
	return at
}

// mostProbes bounds the retries of a stream that arrives in bursts. A proxy holds
// events back every time, a busy moment does not: the best stream counts.
const mostProbes = 4

// tryStreams sends probes over one transport, as a run does: at least two, to
// see whether the connection is kept.
func (f *facts) tryStreams(ctx context.Context) {
	model := f.Model
	if model == "" && len(f.models) > 0 {
		model = f.models[0].ID
	}
	model = cmp.Or(model, f.Protocol.Model)
	clock := wire.NewClock()
	t := f.transport(clock, f.Header)
	defer t.Close()
	call := protocol.Call{Model: model, MaxTokens: probeTokens, IgnoreEOS: true}
	for len(f.probes) < mostProbes {
		p := f.send(ctx, t, clock, &call)
		if s := p.Trace.Status; call.IgnoreEOS && (s == http.StatusBadRequest || s == http.StatusUnprocessableEntity) {
			f.noIgnoreEOS, call.IgnoreEOS = p.trouble(), false
			continue // once more without it: not every server knows the field
		}
		f.probes = append(f.probes, p)
		if p.trouble() != "" || len(f.probes) >= 2 && burstiness(f.best().times()) < someBursts {
			break
		}
	}
	if f.probes[0].trouble() == "" {
		f.offered, f.noOffered = f.offerCompression(ctx, clock, &call)
	}
}

func (f *facts) transport(clock *wire.Clock, header http.Header) *wire.NetHTTP {
	return wire.NewNetHTTP(wire.NetHTTPConfig{
		Clock: clock, Header: header, Connections: 1, Insecure: f.Insecure, KernelStamps: true,
		Proxy: http.ProxyURL(f.Proxy), Dial: f.Dial,
	})
}

func (f *facts) request(call *protocol.Call) (*wire.Request, error) {
	// A prompt that the server can't have in its cache.
	call.Prompt = fmt.Sprintf("Note %s. Count from one to one hundred in words: one, two, three,", rand.Text())
	body, err := f.Protocol.AppendBody(nil, call)
	return &wire.Request{URL: strings.TrimSuffix(f.Base, "/") + protocol.FillPath(f.Endpoint, call.Model), Body: body, Timeout: f.Timeout}, err
}

func (f *facts) send(ctx context.Context, t wire.Transport, clock *wire.Clock, call *protocol.Call) *probe {
	p := &probe{Stream: protocol.NewStream(f.Protocol)}
	req, err := f.request(call)
	if err != nil {
		p.err = err
		return p
	}
	p.sent = clock.Now()
	if p.Trace.Conn, p.err = t.Do(ctx, req, p); p.err == nil {
		p.Finish()
	}
	return p
}

// best is the probe whose events came least in bursts.
func (f *facts) best() *probe {
	best := f.probes[0]
	for _, p := range f.probes[1:] {
		if p.trouble() == "" && burstiness(p.times()) < burstiness(best.times()) {
			best = p
		}
	}
	return best
}

// offerCompression asks for a short stream with all encodings offered. bench
// serve offers none, but other clients do.
func (f *facts) offerCompression(ctx context.Context, clock *wire.Clock, call *protocol.Call) (string, error) {
	h := f.Header.Clone()
	if h == nil {
		h = http.Header{}
	}
	h.Set("Accept-Encoding", "gzip, deflate, br, zstd")
	t := f.transport(clock, h)
	defer t.Close()
	req, err := f.request(call)
	if err != nil {
		return "", err
	}
	var head headOnly
	if _, err := t.Do(ctx, req, &head); err != nil {
		return "", err
	}
	if head.status != http.StatusOK {
		return "", fmt.Errorf("a request that offers compression was answered with HTTP %d", head.status)
	}
	return head.encoding, nil
}

// headOnly reads no body: it may be compressed.
type headOnly struct {
	status   int
	encoding string
}

func (h *headOnly) Head(status int, header wire.Header, _ wire.Stamp) {
	h.status, h.encoding = status, header.Get("Content-Encoding")
}

func (h *headOnly) Body([]byte, wire.Stamp) (enough bool) { return true }
