package trace

import (
	"encoding/json"
	"errors"

	"github.com/inferometer/inferometer/internal/send/trace/tree"
)

// agenticOutput is what SGLang asks for where nothing else is said.
const agenticOutput = 220

var agentic = &Format{
	Name: "agentic", Doc: "SGLang's agentic traces (JSON): turns with their prompt tokens, without times or output lengths (220 is taken).", History: true,
	looks: func(head []byte) bool { return hasKeys(head, "conversations", "messages") },
	find:  findConversations,
	tree:  readConversation,
}

// findConversations finds the lists of turns in the list of conversations.
func findConversations(in *input, found func(place) error) error {
	w := newWalker(in)
	return w.fields(func(key string) error {
		if key != "conversations" {
			return w.skip()
		}
		return w.elements(func() error {
			var turns json.RawMessage
			if err := w.Decode(&turns); err != nil {
				return err
			}
			if string(turns) == "[]" {
				return nil
			}
			n := int64(len(turns))
			return found(place{line: 1, at: w.InputOffset() - n, n: n})
		})
	})
}

type agenticTurn struct {
	Messages []json.RawMessage `json:"messages"`
	Tokens   *int              `json:"prompt_tokens"`
}

func readConversation(in *input, _ TreeOptions) (*tree.Tree, error) {
	var turns []agenticTurn
	if err := newWalker(in).Decode(&turns); err != nil {
		return nil, whole(err)
	}
	var rows []Row
	for i, t := range turns {
		if len(t.Messages) == 0 { // SGLang passes over them
			continue
		}
		if t.Tokens == nil {
			return nil, rowError(i+1, errors.New("a turn needs prompt_tokens"))
		}
		r := Row{Input: *t.Tokens, Output: agenticOutput, Untimed: true}
		if err := r.check(); err != nil {
			return nil, rowError(i+1, err)
		}
		rows = append(rows, r)
	}
	return chainOf(rows, true)
}
