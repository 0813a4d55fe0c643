package trace

import (
	"encoding/json"
	"errors"
	"fmt"
)

var recorded = &Format{
	Name: "inferometer", Doc: "Recordings of inferometer record (JSON lines): Mooncake's keys and others; times are milliseconds, each row says the size of its blocks.", Timed: true, Sessions: true, Continued: true,
	looks: func(head []byte) bool { return hasKeys(head, "inferometer", "timestamp", "outcome") },
	open: func(in *input) (rows, error) {
		s := &recordedTurns{turns: map[uint64]int{}}
		return newJSONLines(in, s.row), nil
	},
	tree: readRecordedTree,
}

// RecordedVersion is that of the rows that are written.
const RecordedVersion = 1

// Recorded is a row of inferometer record: what its writer writes and its reader reads.
// Lengths that nobody knows are left out.
type Recorded struct {
	Version   int      `json:"inferometer"`    // of this form: 1
	Timestamp *float64 `json:"timestamp"`      // ms since the recording's first request
	Time      string   `json:"time,omitempty"` // the same moment on the system's clock
	ID        uint64   `json:"id"`             // number of the request in the order of arrival, from 1
	// Tokens of the prompt and of the answer; absent where nobody knows.
	Input  *int `json:"input_length,omitempty"`
	Output *int `json:"output_length,omitempty"`
	// InputBy and OutputBy say who counted: usage, timings, token_ids, tokenizer, tokenize, or events, which is an estimate.
	InputBy  string   `json:"input_by,omitempty"`
	OutputBy string   `json:"output_by,omitempty"`
	Block    int      `json:"block_size,omitempty"` // tokens of a block of the prompt
	IDs      []uint64 `json:"hash_ids,omitempty"`   // names of these blocks, by a keyed hash
	Session  string   `json:"session,omitempty"`    // name of the job that it is of, a keyed hash
	// SessionBy says what named it: header (--session-header, x-session-id and its like), body (session_id, conversation_id,
	// prompt_cache_key, or metadata.user_id with a session in it), or prefix: it is of the same session as the request that it continues.
	SessionBy string `json:"session_by,omitempty"`
	Continues uint64 `json:"continues,omitempty"` // id of the request whose whole prompt this one begins with; absent: its prompt is new
	Protocol  string `json:"protocol,omitempty"`  // what was asked
	Path      string `json:"path,omitempty"`      // only the part that is known by name
	Model     string `json:"model,omitempty"`     // as the request named it
	Stream    bool   `json:"stream"`              // whether a stream was asked for
	// Sampling are numbers and booleans by OpenAI's names.
	Sampling map[string]json.RawMessage `json:"sampling,omitempty"`
	Status   int                        `json:"status"`           // 0: there was no answer
	Outcome  string                     `json:"outcome"`          // as docs/outcomes.md has them; unread: an answer that could not be read, such as a compressed one
	Finish   string                     `json:"finish,omitempty"` // why the answer ended: stop, length, tool_calls or another word of the protocol
	// ToolCalls are the calls of tools in the answer, ToolResults their results among the messages that the request adds.
	ToolCalls   int `json:"tool_calls,omitempty"`
	ToolResults int `json:"tool_results,omitempty"`
	// As seen at the proxy.
	TTFT *float64 `json:"ttft_ms,omitempty"`
	E2EL float64  `json:"e2el_ms"`
	// The texts, only with --texts.
	Request json.RawMessage `json:"request,omitempty"`
	Answer  *string         `json:"answer,omitempty"`
}

// What named the session of a row.
const (
	ByHeader = "header"
	ByBody   = "body"
	ByPrefix = "prefix"
)

// Who counted the tokens of a row.
const (
	ByUsage     = "usage"     // the server
	ByTimings   = "timings"   // the server, in llama.cpp's account of the time
	ByServer    = "tokenize"  // the server, asked with the text
	ByTokenizer = "tokenizer" // the recorder, with a tokenizer
	ByTokenIDs  = "token_ids" // the recorder, of lists of ids
	ByEvents    = "events"    // nobody: these are events with text
)

// replayed are the outcomes of rows that were load for the server, be it that the
// answer was cut off. Others have failed.
var replayed = map[string]bool{"complete": true, "cancelled": true, "truncated": true, "unread": true, "empty": true}

// IsReplayed says whether a row with this outcome is one that a replay sends.
func IsReplayed(outcome string) bool { return replayed[outcome] }

// sampled are the names that a replay sends again. Limits are in the lengths.
var sampled = []string{"temperature", "top_p", "top_k", "min_p", "frequency_penalty", "presence_penalty", "repetition_penalty"}

// recordedTurns counts the requests of a session.
type recordedTurns struct{ turns map[uint64]int }

func (s *recordedTurns) row(e *Recorded, r *Row) (skip bool, err error) {
	switch {
	case e.Version != RecordedVersion:
		return false, fmt.Errorf("it is of version %d; this program reads version %d", e.Version, RecordedVersion)
	case e.Timestamp == nil:
		return false, errors.New("it needs a timestamp")
	}
	if r.At, err = seconds(*e.Timestamp / 1000); err != nil {
		return false, err
	}
	if r.NoInput = e.Input == nil; !r.NoInput {
		r.Input = *e.Input
	}
	if r.NoOutput = e.Output == nil; !r.NoOutput {
		r.Output = *e.Output
	}
	r.Estimated = e.OutputBy == ByEvents
	r.IDs, r.Block, r.Model, r.Failed = e.IDs, e.Block, e.Model, !IsReplayed(e.Outcome)
	if err := r.check(); err != nil {
		return false, err
	}
	if r.IDs != nil && (r.Block < 1 || r.Block > mostTokens) {
		return false, errors.New("its blocks have no block_size")
	}
	for _, name := range sampled {
		if v := e.Sampling[name]; len(v) > 0 && (v[0] == '-' || v[0] >= '0' && v[0] <= '9') {
			r.Sampling = append(r.Sampling, Parameter{name, v})
		}
	}
	if e.Session != "" {
		r.Session = sessionOf(e.Session)
		s.turns[r.Session]++
		r.Turn = s.turns[r.Session]
	}
	if e.Input == nil {
		r.IDs = nil
		return false, nil
	}
	return false, r.checkBlocks(false)
}
