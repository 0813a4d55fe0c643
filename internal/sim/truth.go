package sim

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"strconv"
	"sync"
	"time"

	"github.com/inferometer/inferometer/internal/sim/dialect"
	"github.com/inferometer/inferometer/internal/sim/handoff"
	"github.com/inferometer/inferometer/internal/sim/vocab"
)

// slowWrite is how long a write may take without a word in the truth.
const slowWrite = 50 * time.Microsecond

// Record is one line of the truth: a request as the server saw it. Times are
// nanoseconds since 1970 by the realtime clock.
type Record struct {
	ID       string `json:"id"`                // the client's x-request-id, or sim-N
	Path     string `json:"path"`              // the URL's path
	Session  string `json:"session,omitempty"` // as a header names it: x-session-id, x-correlation-id or their like
	Status   int    `json:"status"`
	Stream   bool   `json:"stream"`
	Adapter  string `json:"adapter,omitempty"` // that was asked for in place of the model
	Fault    string `json:"fault"`             // empty: none
	Finish   string `json:"finish"`            // the finish reason as sent; abort if the client left; empty if none was sent
	Arrived  int64  `json:"arrived"`           // the kernel had its last bytes; 0 where it does not tell (TLS, systems other than Linux)
	Received int64  `json:"received"`          // the body had been read
	Started  int64  `json:"started"`           // the engine took it up; 0 if it never did
	Ended    int64  `json:"ended"`             // the last write was handed to the kernel

	PromptTokens     int `json:"prompt_tokens"`     // of the prompt
	CachedTokens     int `json:"cached_tokens"`     // found in the prefix cache
	CompletionTokens int `json:"completion_tokens"` // tokens sent
	MaxTokens        int `json:"max_tokens"`        // tokens asked for

	// Of a prompt that another server computed.
	TransferredTokens int    `json:"transferred_tokens,omitempty"` // whose KV came from there; they are among the cached
	TransferredBytes  int64  `json:"transferred_bytes,omitempty"`
	TransferBegun     int64  `json:"transfer_begun,omitempty"` // the other server had computed it, and the link was free
	TransferEnded     int64  `json:"transfer_ended,omitempty"` // it was there
	TransferError     string `json:"transfer_error,omitempty"` // why it did not come

	Left      int64 `json:"left,omitempty"`             // it was noticed that the client had gone
	Generated int   `json:"generated_tokens,omitempty"` // tokens made, where they were more than were sent

	Inputs     int `json:"inputs,omitempty"`      // texts of a request for vectors or scores
	Media      int `json:"media,omitempty"`       // images, videos and sounds in its messages
	SoundBytes int `json:"sound_bytes,omitempty"` // of an uploaded file

	// Of a prompt that is in the answer key.
	Question string `json:"question,omitempty"` // its id, of a prompt that is in the answer key
	Answer   string `json:"answer,omitempty"`   // right, wrong or none, as sent; cut where not all of it was
	Anew     bool   `json:"anew,omitempty"`     // the load had it drawn anew

	Events []int64  `json:"events"` // when each was handed to the kernel, read right before the write that completes it; [DONE] and comments are none
	Tokens []int    `json:"tokens"` // in each event
	Kinds  []string `json:"kind"`   // of each: token, reasoning, tool, role, finish, usage or error
	// SlowWrites are writes that took longer than 50 µs: the event's index, and nanoseconds. The kernel had the event
	// somewhere in between: who writes may be stopped before the system call, or after it.
	SlowWrites [][2]int64 `json:"slow_writes,omitempty"`

	// EchoLogprobs are the log-probabilities of the prompt's tokens, where they were sent; the first is null. Such a prompt is not taken from the prefix cache.
	EchoLogprobs []*float64 `json:"echo_logprobs,omitempty"`

	silent string // why it ended, where the protocol does not tell
	unread bool   // it was generated to its end though the client had gone

	firstToken, lastToken int64 // went out; 0: none did

	// Blocked counts writes that had to wait because the client read too slowly.
	Blocked int `json:"blocked"`

	TextSHA256      string `json:"text_sha256"` // of what was sent
	ReasoningSHA256 string `json:"reasoning_sha256,omitempty"`
	ToolSHA256      string `json:"tool_sha256,omitempty"`
	// The texts themselves, only with --truth-text.
	Text          string `json:"text,omitempty"`
	ReasoningText string `json:"reasoning_text,omitempty"`
	ToolText      string `json:"tool_text,omitempty"`

	handler string           // the pattern of its path
	hand    *handoff.Params  // what the request says of a handoff; nil: nothing
	told    int              // tokens of an answer of the key
	dialect *dialect.Dialect // that it was understood in; nil: by its path
}

// setTexts fills the three texts' hashes, and the texts themselves if keep is set.
func (r *Record) setTexts(text, reasoning, tool string, keep bool) {
	r.TextSHA256 = sha(text)
	if reasoning != "" {
		r.ReasoningSHA256 = sha(reasoning)
	}
	if tool != "" {
		r.ToolSHA256 = sha(tool)
	}
	if keep {
		r.Text, r.ReasoningText, r.ToolText = text, reasoning, tool
	}
}

func sha(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:])
}

// truthLog writes records as lines. Adding one never waits for the disk: a
// goroutine writes what has gathered each second, or sooner if it is much. Only
// where it is to be written at once whoever adds it waits.
type truthLog struct {
	w    io.Writer
	once bool // write each at once
	mu   sync.Mutex
	buf  []byte
	err  error
	full chan struct{}
	stop chan struct{}
	done chan struct{}
}

const (
	truthFlushEvery = time.Second
	truthFlushBytes = 1 << 20
)

func newTruthLog(w io.Writer, atOnce bool) *truthLog {
	t := &truthLog{w: w, once: atOnce, full: make(chan struct{}, 1), stop: make(chan struct{}), done: make(chan struct{})}
	go t.loop()
	return t
}

func (t *truthLog) add(r *Record) {
	t.mu.Lock()
	t.buf = r.appendJSON(t.buf)
	if t.once {
		if _, err := t.w.Write(t.buf); err != nil {
			t.err = err
		}
		t.buf = t.buf[:0]
	}
	full := len(t.buf) > truthFlushBytes
	t.mu.Unlock()
	if full {
		select {
		case t.full <- struct{}{}:
		default:
		}
	}
}

func (t *truthLog) loop() {
	defer close(t.done)
	tick := time.NewTicker(truthFlushEvery)
	defer tick.Stop()
	var spare []byte
	for stopping := false; !stopping; {
		select {
		case <-tick.C:
		case <-t.full:
		case <-t.stop:
			stopping = true
		}
		t.mu.Lock()
		out := t.buf
		t.buf = spare[:0]
		t.mu.Unlock()
		if len(out) > 0 {
			if _, err := t.w.Write(out); err != nil {
				t.mu.Lock()
				t.err = err
				t.mu.Unlock()
			}
		}
		spare = out
	}
}

// close writes what is left and gives the first error of a write.
func (t *truthLog) shut() error {
	close(t.stop)
	<-t.done
	return t.err
}

// appendJSON writes the record by hand: with 10,000 streams the reflection of
// encoding/json would be the sim's largest cost after the writes.
func (r *Record) appendJSON(b []byte) []byte {
	str := func(key, v string) {
		b = append(append(append(b, `,"`...), key...), `":"`...)
		b = append(append(b, vocab.JSONText(v)...), '"')
	}
	num := func(key string, v int64) {
		b = append(append(append(b, `,"`...), key...), `":`...)
		b = strconv.AppendInt(b, v, 10)
	}
	b = append(append(append(b, `{"id":"`...), vocab.JSONText(r.ID)...), '"')
	str("path", r.Path)
	if r.Session != "" {
		str("session", r.Session)
	}
	num("status", int64(r.Status))
	b = strconv.AppendBool(append(b, `,"stream":`...), r.Stream)
	if r.Adapter != "" {
		str("adapter", r.Adapter)
	}
	str("fault", r.Fault)
	str("finish", r.Finish)
	num("arrived", r.Arrived)
	num("received", r.Received)
	num("started", r.Started)
	num("ended", r.Ended)
	num("prompt_tokens", int64(r.PromptTokens))
	num("cached_tokens", int64(r.CachedTokens))
	num("completion_tokens", int64(r.CompletionTokens))
	num("max_tokens", int64(r.MaxTokens))
	for _, opt := range [...]struct {
		key string
		v   int
	}{{"inputs", r.Inputs}, {"media", r.Media}, {"sound_bytes", r.SoundBytes}, {"generated_tokens", r.Generated}} {
		if opt.v != 0 {
			num(opt.key, int64(opt.v))
		}
	}
	for _, opt := range [...]struct {
		key string
		v   int64
	}{
		{"transferred_tokens", int64(r.TransferredTokens)},
		{"transferred_bytes", r.TransferredBytes},
		{"transfer_begun", r.TransferBegun},
		{"transfer_ended", r.TransferEnded},
	} {
		if opt.v != 0 {
			num(opt.key, opt.v)
		}
	}
	if r.TransferError != "" {
		str("transfer_error", r.TransferError)
	}
	if r.Left != 0 {
		num("left", r.Left)
	}
	if r.Question != "" {
		str("question", r.Question)
		str("answer", r.Answer)
		if r.Anew {
			b = append(b, `,"anew":true`...)
		}
	}
	for i, w := range r.SlowWrites {
		b = append(b, map[bool]string{true: `,"slow_writes":[[`, false: `,[`}[i == 0]...)
		b = append(strconv.AppendInt(append(strconv.AppendInt(b, w[0], 10), ','), w[1], 10), ']')
	}
	if len(r.SlowWrites) > 0 {
		b = append(b, ']')
	}
	b = append(b, `,"events":[`...)
	for i, v := range r.Events {
		b = strconv.AppendInt(dialect.Comma(b, i), v, 10)
	}
	b = append(b, `],"tokens":[`...)
	for i, v := range r.Tokens {
		b = strconv.AppendInt(dialect.Comma(b, i), int64(v), 10)
	}
	b = append(b, `],"kind":[`...)
	for i, v := range r.Kinds {
		b = append(append(append(dialect.Comma(b, i), '"'), v...), '"')
	}
	b = append(b, ']')
	b = r.appendEcho(b)
	num("blocked", int64(r.Blocked))
	str("text_sha256", r.TextSHA256)
	for _, opt := range [...]struct{ key, v string }{
		{"reasoning_sha256", r.ReasoningSHA256},
		{"tool_sha256", r.ToolSHA256},
		{"text", r.Text},
		{"reasoning_text", r.ReasoningText},
		{"tool_text", r.ToolText},
	} {
		if opt.v != "" {
			str(opt.key, opt.v)
		}
	}
	return append(b, "}\n"...)
}

// asks notes what the request asks for, be it refused.
func (r *Record) asks(c *dialect.Call) {
	r.Stream, r.PromptTokens, r.MaxTokens, r.Adapter, r.Media = c.Stream, len(c.Prompt), c.MaxTokens, c.Adapter, c.Media
}

// ends notes why an answer ended, and whether that was said.
func (r *Record) ends(finish string, d *dialect.Dialect) {
	if d.NoFinish {
		r.silent = finish
	} else {
		r.Finish = finish
	}
}
