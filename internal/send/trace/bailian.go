package trace

import "encoding/json"

// bailianBlock is the tokens of one of Bailian's blocks.
const bailianBlock = 16

var bailian = &Format{
	Name: "bailian", Doc: "Alibaba's Bailian traces of Qwen (JSON lines); times are seconds, blocks have 16 tokens.", Timed: true, Sessions: true,
	looks: func(head []byte) bool {
		return hasKeys(head, "chat_id", "parent_chat_id", "timestamp", "input_length")
	},
	open: func(in *input) (rows, error) {
		b := &chats{sessions: map[string]uint64{}}
		return newJSONLines(in, b.row), nil
	},
}

// chats follow each chat to the first one of its conversation.
type chats struct{ sessions map[string]uint64 }

type bailianRow struct {
	lengthsEntry
	Chat   json.RawMessage `json:"chat_id"`
	Parent json.RawMessage `json:"parent_chat_id"`
	Turn   int             `json:"turn"`
}

func (c *chats) row(e *bailianRow, r *Row) (bool, error) {
	if err := e.fill(r, 1, bailianBlock); err != nil {
		return false, err
	}
	id := string(e.Chat)
	if id == "" {
		return false, nil
	}
	session, known := c.sessions[string(e.Parent)]
	if !known {
		session = sessionOf(id)
	}
	c.sessions[id] = session
	r.Session, r.Turn = session, max(e.Turn, 0)
	return false, nil
}
