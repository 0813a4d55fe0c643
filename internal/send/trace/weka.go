package trace

import (
	"errors"
	"fmt"
)

// wekaBlock is the size of a block where a file does not say it.
const wekaBlock = 64

var weka = &Format{
	Name: "weka", Doc: "Weka's kv-cache-tester: one conversation of Claude Code in each file (JSON); times are seconds, blocks have 64 tokens.", Timed: true,
	looks: func(head []byte) bool {
		return hasKeys(head, "block_size", "requests") || hasKeys(head, "hash_id_scope")
	},
	open: openWeka,
}

// wekaFile is one conversation. Requests of a sub-agent are nested in an entry of
// their own, with a clock of their own.
type wekaFile struct {
	*object
	file    int
	block   int
	global  bool // ids mean the same in all files
	number  int
	agents  int
	turn    int
	pending []wekaRequest // of a sub-agent
	since   float64       // its start
	inner   int           // its turns
	begun   bool
}

type wekaRequest struct {
	T        *float64      `json:"t"`
	Type     string        `json:"type"`
	In       *int          `json:"in"`
	Out      *int          `json:"out"`
	IDs      []uint64      `json:"hash_ids"`
	Requests []wekaRequest `json:"requests"`
}

func openWeka(in *input) (rows, error) {
	w := &wekaFile{file: in.index, block: wekaBlock}
	w.object = newObject(in, "requests", w.field)
	return w, nil
}

func (w *wekaFile) field(key string, d *decoder) error {
	switch key {
	case "block_size":
		was := w.block
		if err := d.into(&w.block); err != nil {
			return err
		}
		if w.block < 1 || w.block > mostTokens {
			return fmt.Errorf("block_size can't be %d", w.block)
		}
		if w.begun && was != w.block {
			return errors.New("block_size must stand before the requests")
		}
	case "hash_id_scope":
		var scope string
		if err := d.into(&scope); err != nil {
			return err
		}
		w.global = scope == "global"
	default:
		return d.skip()
	}
	return nil
}

func (w *wekaFile) next(r *Row) error {
	for {
		if len(w.pending) > 0 {
			q := w.pending[0]
			w.pending = w.pending[1:]
			w.inner++
			return w.fill(r, &q, w.since, mix(uint64(w.file)+1, uint64(w.agents)), w.inner)
		}
		var q wekaRequest
		if err := w.object.next(&q); err != nil {
			return err
		}
		w.begun = true
		if q.Type != "subagent" {
			w.turn++
			return w.fill(r, &q, 0, mix(uint64(w.file)+1, 0), w.turn)
		}
		if q.T == nil {
			return rowError(w.number+1, errors.New("a sub-agent needs t"))
		}
		w.pending, w.since, w.inner = q.Requests, *q.T, 0
		w.agents++
	}
}

func (w *wekaFile) fill(r *Row, q *wekaRequest, since float64, session uint64, turn int) error {
	w.number++
	if q.T == nil || q.In == nil || q.Out == nil || q.Requests != nil {
		return rowError(w.number, errors.New("a request needs t, in and out, and has no requests of its own"))
	}
	at, err := seconds(since + *q.T)
	if err != nil {
		return rowError(w.number, err)
	}
	*r = Row{Number: w.number, At: at, Input: *q.In, Output: *q.Out, IDs: q.IDs, Block: w.block, Session: session, Turn: turn}
	if !w.global {
		for i, id := range r.IDs {
			r.IDs[i] = mix(uint64(w.file)+1, id)
		}
	}
	if err := r.check(); err != nil {
		return rowError(w.number, err)
	}
	// Only full blocks have an id, but for some copies.
	if err := r.checkBlocks(true); err != nil {
		return rowError(w.number, err)
	}
	return nil
}
