package trace

import (
	"errors"
	"io"
	"slices"
	"strings"

	"github.com/inferometer/inferometer/internal/outside"
	"github.com/inferometer/inferometer/internal/send/trace/tree"
)

var dynamo = &Format{
	Name: "dynamo", Doc: "Dynamo's request traces (JSON lines); times are milliseconds, each row says the size of its blocks.", Timed: true, Sessions: true,
	looks: func(head []byte) bool { return hasKeys(head, "event", "event_type", "schema") },
	open: func(in *input) (rows, error) {
		d := &dynamoTurns{turns: map[uint64]int{}, jobs: map[string]string{}}
		return newJSONLines(in, d.row), nil
	},
	tree: readDynamo,
}

type dynamoRow struct {
	Event struct {
		Type    string        `json:"event_type"`
		Context dynamoContext `json:"agent_context"`
		Request *struct {
			Model    string   `json:"model"`
			Input    int      `json:"input_tokens"`
			Output   int      `json:"output_tokens"`
			Received *float64 `json:"request_received_ms"`
			Total    *float64 `json:"total_time_ms"`
			Replay   struct {
				Block  int      `json:"trace_block_size"`
				Hashes []uint64 `json:"input_sequence_hashes"`
			} `json:"replay"`
		} `json:"request"`
	} `json:"event"`
}

type dynamoContext struct {
	Session string `json:"session_id"`
	Parent  string `json:"parent_session_id"`
}

// dynamoTurns counts the requests of a session, and time from the first request.
type dynamoTurns struct {
	turns map[uint64]int
	jobs  map[string]string // the session that a session goes back to
	first *float64
	names []dynamoContext // of the rows, for trees
}

// row takes the ends of requests: each carries when its request had come.
func (d *dynamoTurns) row(e *dynamoRow, r *Row) (skip bool, err error) {
	q := e.Event.Request
	if e.Event.Type != "request_end" {
		return true, nil // a tool: its time lies between requests
	}
	if q == nil || q.Received == nil {
		return false, errors.New("the end of a request needs request_received_ms")
	}
	if d.first == nil {
		d.first = q.Received
	}
	if r.At, err = seconds((*q.Received - *d.first) / 1000); err != nil {
		return false, err
	}
	if q.Total != nil {
		if r.Took, err = seconds(max(*q.Total, 0) / 1000); err != nil {
			return false, err
		}
	}
	r.Input, r.Output, r.IDs, r.Block, r.Model = q.Input, q.Output, q.Replay.Hashes, q.Replay.Block, outside.Word(q.Model)
	if err := r.check(); err != nil {
		return false, err
	}
	if r.IDs != nil && (r.Block < 1 || r.Block > mostTokens) {
		return false, errors.New("its blocks have no trace_block_size")
	}
	d.session(e.Event.Context, r)
	return false, r.checkBlocks(true)
}

// session finds the session of a row, and the one that it goes back to.
func (d *dynamoTurns) session(c dynamoContext, r *Row) {
	d.names = append(d.names, c)
	if c.Session == "" {
		return
	}
	r.Session = sessionOf(c.Session)
	d.turns[r.Session]++
	r.Turn = d.turns[r.Session]
	if c.Parent == "" {
		return
	}
	job := c.Parent
	if before, known := d.jobs[job]; known {
		job = before
	}
	if job != c.Session {
		d.jobs[c.Session] = job
		r.Job = sessionOf(job)
	}
}

// readDynamo makes a tree of the requests of a session and of those that it spawned, at any depth: these are its
// sub-agents.
func readDynamo(in *input, _ TreeOptions) (*tree.Tree, error) {
	d := &dynamoTurns{turns: map[uint64]int{}, jobs: map[string]string{}}
	from := newJSONLines(in, d.row)
	job := tree.Recording{Shared: true}
	subs := map[string]*tree.Sub{}
	var names []string
	for {
		var r Row
		if err := from.next(&r); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, err
		}
		if job.Block == 0 {
			job.Block = r.Block
		}
		if r.Block != job.Block && len(r.IDs) > 0 {
			return nil, errors.New("its requests have blocks of several sizes")
		}
		q := tree.Request{At: r.At, Took: r.Took, Input: r.Input, Output: r.Output, Model: r.Model, IDs: slices.Clone(r.IDs)}
		name := d.names[len(d.names)-1]
		if name.Parent == "" {
			job.ID = outside.Word(name.Session)
			job.Entries = append(job.Entries, tree.Entry{Request: q})
			continue
		}
		s := subs[name.Session]
		if s == nil {
			s = &tree.Sub{Name: outside.Word(name.Session), Kind: dynamoKind(name.Session), Took: -1}
			subs[name.Session] = s
			names = append(names, name.Session)
		}
		s.Requests = append(s.Requests, q)
	}
	for _, name := range names {
		s := subs[name]
		begin := s.Requests[0].At
		for _, q := range s.Requests {
			begin = min(begin, q.At)
		}
		job.Entries = append(job.Entries, tree.Entry{Request: tree.Request{At: begin}, Sub: s})
	}
	return tree.Build(job, false)
}

// dynamoKind is the kind of a sub-agent, which its session may have as in ea45d969:scout:0.
func dynamoKind(session string) string {
	if parts := strings.Split(session, ":"); len(parts) == 3 {
		return outside.Word(parts[1])
	}
	return ""
}
