package trace

import (
	"encoding/json"
	"errors"
)

// agenticOutput is what SGLang asks for where nothing else is said.
const agenticOutput = 220

var agentic = &Format{
	Name: "agentic", Doc: "SGLang's agentic traces (JSON): turns with their prompt tokens, without times or output lengths (220 is taken).", History: true,
	looks: func(head []byte) bool { return hasKeys(head, "conversations", "messages") },
	open: func(in *input) (rows, error) {
		a := &agenticFile{file: in.index}
		a.object = newObject(in, "conversations", func(_ string, d *decoder) error { return d.skip() })
		return a, nil
	},
}

// agenticFile gives the turns of one conversation after the other.
type agenticFile struct {
	*object
	file         int
	number, turn int
	conversation int
	turns        []agenticTurn
}

type agenticTurn struct {
	Messages []json.RawMessage `json:"messages"`
	Tokens   *int              `json:"prompt_tokens"`
}

func (a *agenticFile) next(r *Row) error {
	var t agenticTurn
	for len(t.Messages) == 0 { // SGLang passes over them
		for len(a.turns) == 0 {
			a.turns = nil
			if err := a.object.next(&a.turns); err != nil {
				return err
			}
			a.conversation++
			a.turn = 0
		}
		t, a.turns = a.turns[0], a.turns[1:]
	}
	a.number++
	a.turn++
	if t.Tokens == nil {
		return rowError(a.number, errors.New("a turn needs prompt_tokens"))
	}
	*r = Row{
		Number: a.number, Input: *t.Tokens, Output: agenticOutput,
		Session: mix(uint64(a.file)+1, uint64(a.conversation)), Turn: a.turn,
	}
	if err := r.check(); err != nil {
		return rowError(a.number, err)
	}
	return nil
}
