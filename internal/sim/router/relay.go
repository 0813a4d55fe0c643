package router

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"time"
)

// answer is a replica's answer on its way to the client.
type answer struct {
	rt     *Router
	w      http.ResponseWriter
	resp   *http.Response
	rec    *Record
	tokens []int32 // of it, where the policy asks for them
	cut    bool    // the client's connection is to end here

	line    []byte // the beginning of an event's line
	between bool   // nothing of an event has been sent without its end
}

// relay hands the answer on. What it gives is what went wrong between the router and the replica.
func (a *answer) relay(ctx context.Context) string {
	a.between = true
	if a.rt.cfg.Buffer {
		return a.whole(ctx)
	}
	a.w.WriteHeader(a.resp.StatusCode)
	a.rec.Status = a.resp.StatusCode
	a.flush()
	var err error
	if a.rt.cfg.Ping > 0 && a.events() {
		err = a.pinged(ctx)
	} else {
		err = a.plain()
	}
	return a.ends(ctx, err)
}

// whole holds the answer until all of it is there.
func (a *answer) whole(ctx context.Context) string {
	body, err := io.ReadAll(io.LimitReader(a.resp.Body, maxBody))
	if err != nil && ctx.Err() != nil {
		return a.ends(ctx, err)
	}
	a.w.WriteHeader(a.resp.StatusCode)
	a.rec.Status = a.resp.StatusCode
	if wrote := a.write(body); wrote != nil {
		err = wrote
	}
	return a.ends(ctx, err)
}

// plain hands on what is read, as it is read.
func (a *answer) plain() error {
	buf := make([]byte, 32<<10)
	for {
		n, err := a.resp.Body.Read(buf)
		if n > 0 {
			if wrote := a.write(buf[:n]); wrote != nil {
				return wrote
			}
		}
		if err != nil {
			return err
		}
	}
}

// pinged does the same and sends comments in the pauses, whatever the replica does.
func (a *answer) pinged(ctx context.Context) error {
	type read struct {
		b   []byte
		err error
	}
	reads := make(chan read)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		for {
			buf := make([]byte, 32<<10)
			n, err := a.resp.Body.Read(buf)
			select {
			case reads <- read{buf[:n], err}:
			case <-ctx.Done():
				return
			}
			if err != nil {
				return
			}
		}
	}()
	tick := time.NewTicker(a.rt.cfg.Ping)
	defer tick.Stop()
	for {
		select {
		case r := <-reads:
			if len(r.b) > 0 {
				if err := a.write(r.b); err != nil {
					return err
				}
			}
			if r.err != nil {
				return r.err
			}
		case <-tick.C:
			if a.between {
				if _, err := io.WriteString(a.w, ": ping\n\n"); err != nil {
					return errGone
				}
				a.flush()
			}
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// errGone: the client does not take any more.
var errGone = errors.New("the client has gone")

// ends ends the answer after the last that was read of it: io.EOF, or why there is no more.
func (a *answer) ends(ctx context.Context, err error) string {
	switch {
	case err == nil || errors.Is(err, io.EOF):
		a.rec.Outcome = Answered
		return ""
	case ctx.Err() != nil || errors.Is(err, errGone):
		a.rec.Outcome = Left
		return ""
	}
	a.rec.Outcome = Broken
	if a.rt.cfg.Break == BreakSMG && a.events() && a.between {
		_, _ = io.WriteString(a.w, `data: {"error":{"message":"the replica broke off","type":"stream_error"}}`+"\n\ndata: [DONE]\n\n")
		a.flush()
	} else {
		a.cut = true
	}
	return err.Error()
}

// events says whether the answer is a stream of server-sent events.
func (a *answer) events() bool {
	return strings.HasPrefix(a.resp.Header.Get("Content-Type"), "text/event-stream")
}

func (a *answer) write(b []byte) error {
	a.between = bytes.HasSuffix(b, []byte("\n\n")) || bytes.HasSuffix(b, []byte("\r\n\r\n"))
	if _, err := a.w.Write(b); err != nil {
		return errGone
	}
	a.flush()
	if a.rt.remembers() && a.resp.StatusCode == http.StatusOK {
		a.read(b)
	}
	return nil
}

func (a *answer) flush() { _ = http.NewResponseController(a.w).Flush() }

// maxLine bounds a line that is kept until it is whole.
const maxLine = 1 << 20

// read takes the tokens out of an answer: each event's text by itself, since a simulator's event is one token and two
// tokens may be spelt as one.
func (a *answer) read(b []byte) {
	if !a.events() {
		a.line = append(a.line, b...)
		if len(a.line) > maxLine {
			a.line = nil
		} else if json.Valid(a.line) {
			a.text(a.line)
		}
		return
	}
	for len(b) > 0 {
		i := bytes.IndexByte(b, '\n')
		if i < 0 {
			if a.line = append(a.line, b...); len(a.line) > maxLine {
				a.line = nil
			}
			return
		}
		line := append(a.line, b[:i]...)
		if data, ok := bytes.CutPrefix(line, []byte("data:")); ok {
			a.text(data)
		}
		a.line, b = a.line[:0], b[i+1:]
	}
}

// text enters the tokens of what an event says in OpenAI's words.
func (a *answer) text(data []byte) {
	var event struct {
		Choices []struct {
			Text  string `json:"text"`
			Delta struct {
				Content string `json:"content"`
			} `json:"delta"`
			Message struct {
				Content string `json:"content"`
			} `json:"message"`
		} `json:"choices"`
	}
	if json.Unmarshal(data, &event) != nil || len(event.Choices) == 0 {
		return
	}
	c := event.Choices[0]
	ids, err := a.rt.cfg.Tokenizer.Encode(c.Text + c.Delta.Content + c.Message.Content)
	if err == nil {
		a.tokens = append(a.tokens, ids...)
	}
}
