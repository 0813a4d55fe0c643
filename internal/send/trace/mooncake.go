package trace

import "errors"

// mooncakeBlock is the tokens of one of Mooncake's blocks.
const mooncakeBlock = 512

var mooncake = &Format{
	Name: "mooncake", Doc: "Mooncake's traces (JSON lines); times are milliseconds, blocks have 512 tokens.", Timed: true,
	looks: func(head []byte) bool { return hasKeys(head, "timestamp", "input_length", "output_length") },
	open:  func(in *input) (rows, error) { return newJSONLines(in, mooncakeRow), nil },
}

// lengthsEntry is what Mooncake and Bailian call the same.
type lengthsEntry struct {
	Timestamp *float64 `json:"timestamp"`
	Input     *int     `json:"input_length"`
	Output    *int     `json:"output_length"`
	IDs       []uint64 `json:"hash_ids"`
}

// fill takes the entry into a row; unit is that of the times, in seconds.
func (e *lengthsEntry) fill(r *Row, unit float64, block int) (err error) {
	if e.Timestamp == nil || e.Input == nil || e.Output == nil {
		return errors.New("it needs timestamp, input_length and output_length")
	}
	if r.At, err = seconds(*e.Timestamp * unit); err != nil {
		return err
	}
	r.Input, r.Output, r.IDs, r.Block = *e.Input, *e.Output, e.IDs, block
	if err := r.check(); err != nil {
		return err
	}
	return r.checkBlocks(false)
}

func mooncakeRow(e *lengthsEntry, r *Row) (bool, error) {
	return false, e.fill(r, 0.001, mooncakeBlock)
}
