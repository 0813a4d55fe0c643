package otlp

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	"github.com/inferometer/inferometer/internal/outside"
)

// The paths below an endpoint.
const (
	pathTraces  = "/v1/traces"
	pathMetrics = "/v1/metrics"
)

const (
	postTime     = 10 * time.Second // of one attempt
	maxResponse  = 64 << 10
	firstPause   = 250 * time.Millisecond
	longestPause = 5 * time.Second
	maxAttempts  = 8
)

// client posts to a collector.
type client struct {
	*Config
	http  *http.Client
	dead  bool                                       // the message before was not taken: one attempt must do
	pause func(context.Context, time.Duration) error // time.Sleep, of tests none
}

// refusal is an answer that trying again does not change.
type refusal struct{ error }

// rejected are what a collector took the rest without.
type rejected struct {
	count int64
	words string
}

// send posts a message, and again after a pause where that may help. Nothing but exports is
// ever sent twice.
func (c *client) send(ctx context.Context, path string, m proto.Message) (rejected, error) {
	body, err := encode(m)
	if err != nil {
		return rejected{}, refusal{err}
	}
	wait := firstPause
	for attempt := 1; ; attempt++ {
		lost, after, err := c.post(ctx, path, body)
		var final refusal
		if err == nil || errors.As(err, &final) || attempt == maxAttempts || c.dead || ctx.Err() != nil {
			c.dead = err != nil
			return lost, err
		}
		if c.pause(ctx, min(max(wait, after), longestPause)) != nil {
			c.dead = true
			return rejected{}, err // the time is over, and this is why
		}
		wait *= 2
	}
}

// post is one attempt. after is how long the collector asks us to wait.
func (c *client) post(ctx context.Context, path string, body []byte) (lost rejected, after time.Duration, err error) {
	ctx, cancel := context.WithTimeout(ctx, postTime)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, c.Endpoint+path, bytes.NewReader(body))
	if err != nil {
		return lost, 0, refusal{err}
	}
	r.Header = c.header.Clone()
	answer, err := c.http.Do(r)
	if err != nil {
		var where *url.Error
		if errors.As(err, &where) { // without the address, which is said beside it
			err = where.Err
		}
		return lost, 0, err
	}
	defer answer.Body.Close()
	said, err := io.ReadAll(io.LimitReader(answer.Body, maxResponse))
	switch {
	case answer.StatusCode/100 == 2 && err == nil:
		return partial(said), 0, nil
	case err != nil:
		return lost, 0, err
	}
	err = fmt.Errorf("it answers %d %s", answer.StatusCode, http.StatusText(answer.StatusCode))
	switch answer.StatusCode {
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		seconds, _ := strconv.Atoi(answer.Header.Get("Retry-After"))
		return lost, time.Duration(min(max(seconds, 0), 60)) * time.Second, err
	}
	return lost, 0, refusal{err}
}

func encode(m proto.Message) ([]byte, error) {
	plain, err := proto.Marshal(m)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	z, _ := gzip.NewWriterLevel(&b, gzip.BestSpeed) // the level is one
	if _, err := z.Write(plain); err != nil {
		return nil, err
	}
	err = z.Close()
	return b.Bytes(), err
}

// partial reads an Export…ServiceResponse: its first field says how many were rejected (1)
// and why (2). What can't be read says nothing.
func partial(b []byte) (r rejected) {
	inner := field(b, 1)
	for len(inner) > 0 {
		n, kind, size := protowire.ConsumeTag(inner)
		if size < 0 {
			return r
		}
		inner = inner[size:]
		switch {
		case n == 1 && kind == protowire.VarintType:
			v, size := protowire.ConsumeVarint(inner)
			if size < 0 {
				return r
			}
			r.count, inner = max(int64(v), 0), inner[size:]
		case n == 2 && kind == protowire.BytesType:
			v, size := protowire.ConsumeBytes(inner)
			if size < 0 {
				return r
			}
			r.words, inner = outside.Sentence(string(v)), inner[size:]
		default:
			size := protowire.ConsumeFieldValue(n, kind, inner)
			if size < 0 {
				return r
			}
			inner = inner[size:]
		}
	}
	return r
}

// field is a field of bytes; nil: there is none.
func field(b []byte, number protowire.Number) []byte {
	for len(b) > 0 {
		n, kind, size := protowire.ConsumeTag(b)
		if size < 0 {
			return nil
		}
		b = b[size:]
		if n == number && kind == protowire.BytesType {
			v, _ := protowire.ConsumeBytes(b)
			return v
		}
		if size = protowire.ConsumeFieldValue(n, kind, b); size < 0 {
			return nil
		}
		b = b[size:]
	}
	return nil
}
