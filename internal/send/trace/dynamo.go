package trace

import "errors"

var dynamo = &Format{
	Name: "dynamo", Doc: "Dynamo's request traces (JSON lines); times are milliseconds, each row says the size of its blocks.", Timed: true,
	looks: func(head []byte) bool { return hasKeys(head, "event", "event_type", "schema") },
	open: func(in *input) (rows, error) {
		d := &dynamoTurns{turns: map[uint64]int{}}
		return newJSONLines(in, d.row), nil
	},
}

type dynamoRow struct {
	Event struct {
		Type    string `json:"event_type"`
		Context struct {
			Session string `json:"session_id"`
		} `json:"agent_context"`
		Request *struct {
			Input    int      `json:"input_tokens"`
			Output   int      `json:"output_tokens"`
			Received *float64 `json:"request_received_ms"`
			Replay   struct {
				Block  int      `json:"trace_block_size"`
				Hashes []uint64 `json:"input_sequence_hashes"`
			} `json:"replay"`
		} `json:"request"`
	} `json:"event"`
}

// dynamoTurns counts the requests of a session, and time from the first request.
type dynamoTurns struct {
	turns map[uint64]int
	first *float64
}

// row takes the ends of requests: each carries when its request had come.
func (d *dynamoTurns) row(e *dynamoRow, r *Row) (skip bool, err error) {
	q := e.Event.Request
	if e.Event.Type != "request_end" {
		return true, nil // a tool
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
	r.Input, r.Output, r.IDs, r.Block = q.Input, q.Output, q.Replay.Hashes, q.Replay.Block
	if err := r.check(); err != nil {
		return false, err
	}
	if r.IDs != nil && (r.Block < 1 || r.Block > mostTokens) {
		return false, errors.New("its blocks have no trace_block_size")
	}
	if id := e.Event.Context.Session; id != "" {
		r.Session = sessionOf(id)
		d.turns[r.Session]++
		r.Turn = d.turns[r.Session]
	}
	return false, r.checkBlocks(true)
}
