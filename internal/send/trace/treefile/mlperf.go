package treefile

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/inferometer/inferometer/internal/outside"
	"github.com/inferometer/inferometer/internal/send/trace/tree"
)

var mlperf = &Format{
	Name: "mlperf", Doc: "MLPerf's agentic conversations (JSON lines): one message a row; delays are seconds.",
	looks: func(head []byte) bool {
		return hasKeys(head, "conversation_id", "turn", "role") || hasKeys(head, "_type", "dataset_metadata")
	},
	group: func() grouper { return &mlperfRows{byKey: newByKey(mlperfKey)().(*byKey[mlperfRow])} },
	build: buildMLPerf,
}

// mlperfRow is one message.
type mlperfRow struct {
	Type         string          `json:"_type"`
	Conversation string          `json:"conversation_id"`
	Turn         int             `json:"turn"`
	Role         string          `json:"role"`
	System       string          `json:"system"`
	Content      json.RawMessage `json:"content"`
	Name         json.RawMessage `json:"name"`
	Reasoning    json.RawMessage `json:"reasoning_content"`
	ToolCalls    json.RawMessage `json:"tool_calls"`
	ToolResults  []struct {
		ID      string          `json:"tool_call_id"`
		Content json.RawMessage `json:"content"`
	} `json:"tool_results"`
	Tools     json.RawMessage `json:"tools"`
	Delay     *float64        `json:"delay_seconds"`
	MaxTokens json.RawMessage `json:"max_new_tokens"`
	Limit     json.RawMessage `json:"max_completion_tokens"`
	Model     string          `json:"model"`
}

func mlperfKey(r *mlperfRow) (string, bool) { return r.Conversation, r.Type == "dataset_metadata" }

// mlperfRows holds that the rows of a conversation stand together.
type mlperfRows struct{ *byKey[mlperfRow] }

func (m *mlperfRows) groups() ([]group, error) {
	for _, all := range m.all {
		g := all.values
		if g[len(g)-1]-g[0] != len(g)-1 {
			return nil, valueError(g[0]+1, errors.New("the rows of its conversation do not stand together"))
		}
	}
	return m.all, nil
}

func buildMLPerf(m material) (*tree.Tree, error) {
	t := &tree.Tree{Untimed: true}
	var history []json.RawMessage // that no turn has yet
	var tools json.RawMessage
	before, number := "", 0
	for i, raw := range m.values {
		var r mlperfRow
		if err := json.Unmarshal(raw, &r); err != nil {
			return nil, err
		}
		if i == 0 {
			if r.Conversation == "" {
				return nil, errors.New("a row needs a conversation_id")
			}
			t.ID = outside.Word(r.Conversation)
			t.Branches = []tree.Branch{{Name: tree.Root, Kind: tree.Root, Parent: -1}}
			if r.System != "" {
				history = append(history, message("system", r.System))
			}
		}
		if r.Turn <= number {
			return nil, fmt.Errorf("turn %d stands behind turn %d", r.Turn, number)
		}
		if !follows(before, r.Role) {
			return nil, fmt.Errorf("turn %d: the role %q can't follow %q", r.Turn, outside.Word(r.Role), outside.Word(before))
		}
		before, number = r.Role, r.Turn
		if !isNull(r.Tools) {
			tools = r.Tools
		}
		own, err := r.messages()
		if err != nil {
			return nil, fmt.Errorf("turn %d: %w", r.Turn, err)
		}
		if r.Role == "assistant" {
			t.Turns[len(t.Turns)-1].Answer = own[0]
			continue
		}
		if err := r.add(t, append(history, own...), tools); err != nil {
			return nil, fmt.Errorf("turn %d: %w", r.Turn, err)
		}
		history = nil
	}
	return t, nil
}

// follows says whether a role may stand behind another; an empty one is the beginning.
func follows(before, role string) bool {
	switch before {
	case "":
		return role == "user"
	case "user":
		return role == "assistant"
	case "assistant":
		return role == "tool" || role == "user"
	}
	return role == "assistant" || role == "user"
}

// messages are those of a row: a tool's row is one for each of its results.
func (r *mlperfRow) messages() (all []json.RawMessage, err error) {
	if r.Role != "tool" {
		m := struct {
			Role      string          `json:"role"`
			Content   json.RawMessage `json:"content"`
			Name      json.RawMessage `json:"name,omitempty"`
			Reasoning json.RawMessage `json:"reasoning_content,omitempty"`
			ToolCalls json.RawMessage `json:"tool_calls,omitempty"`
		}{r.Role, r.Content, r.Name, r.Reasoning, r.ToolCalls}
		if isNull(m.Content) {
			m.Content = json.RawMessage("null")
			if isNull(m.ToolCalls) {
				return nil, errors.New("it has neither content nor tool_calls")
			}
		}
		return []json.RawMessage{encode(&m)}, nil
	}
	if len(r.ToolResults) == 0 {
		return nil, errors.New("a tool's row needs tool_results")
	}
	for _, result := range r.ToolResults {
		if result.ID == "" || isNull(result.Content) {
			return nil, errors.New("a result of a tool needs tool_call_id and content")
		}
		all = append(all, encode(struct {
			Role    string          `json:"role"`
			ID      string          `json:"tool_call_id"`
			Content json.RawMessage `json:"content"`
		}{"tool", result.ID, result.Content}))
	}
	return all, nil
}

// add appends a turn that continues the one before it.
func (r *mlperfRow) add(t *tree.Tree, own []json.RawMessage, tools json.RawMessage) error {
	u := tree.Turn{Own: own, Model: outside.Word(r.Model)}
	u.Fields = field(u.Fields, "tools", tools)
	u.Fields = field(u.Fields, "max_tokens", r.MaxTokens)
	u.Fields = field(u.Fields, "max_tokens", r.Limit)
	if n := len(t.Turns); n > 0 {
		p := tree.Parent{Turn: n - 1, Edge: tree.Next, History: tree.Full}
		if r.Delay != nil {
			var err error
			if p.Pause, err = pause(*r.Delay); err != nil {
				return err
			}
		}
		u.Parents = []tree.Parent{p}
	}
	t.Turns = append(t.Turns, u)
	return nil
}
