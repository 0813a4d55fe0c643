package treefile

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/inferometer/inferometer/internal/outside"
	"github.com/inferometer/inferometer/internal/send/trace/tree"
)

var multiTurn = &Format{
	Name: "multi_turn", Doc: "AIPerf's multi_turn (JSON lines): texts of a session's turns; times and delays are milliseconds.",
	looks: func(head []byte) bool {
		return hasKeys(head, "turns") && (hasKeys(head, "text") || hasKeys(head, "texts"))
	},
	group: newByKey(func(v *struct {
		Session string `json:"session_id"`
	},
	) (string, bool) {
		return v.Session, false
	}),
	build: buildMultiTurn,
}

type multiTurnRow struct {
	Session string           `json:"session_id"`
	Turns   []multiTurnEntry `json:"turns"`
}

type multiTurnEntry struct {
	Text      string                     `json:"text"`
	Texts     []json.RawMessage          `json:"texts"`
	Role      string                     `json:"role"`
	Timestamp *float64                   `json:"timestamp"`
	Delay     *float64                   `json:"delay"`
	Output    int                        `json:"output_length"`
	Extra     map[string]json.RawMessage `json:"extra"`
	Image     json.RawMessage            `json:"image"`
	Images    json.RawMessage            `json:"images"`
	Audio     json.RawMessage            `json:"audio"`
	Audios    json.RawMessage            `json:"audios"`
	Video     json.RawMessage            `json:"video"`
	Videos    json.RawMessage            `json:"videos"`
}

func buildMultiTurn(m material) (*tree.Tree, error) {
	var entries []multiTurnEntry
	t := &tree.Tree{Untimed: true}
	for _, raw := range m.values {
		var row multiTurnRow
		if err := json.Unmarshal(raw, &row); err != nil {
			return nil, err
		}
		t.ID = outside.Word(row.Session)
		entries = append(entries, row.Turns...)
	}
	t.Branches = []tree.Branch{{Name: tree.Root, Kind: tree.Root, Parent: -1}}
	var system []json.RawMessage // before the first turn
	timed := 0
	for i := range entries {
		e := &entries[i]
		own, err := e.message()
		if err != nil {
			return nil, fmt.Errorf("turn %d: %w", i, err)
		}
		// A system prompt that stands alone is no request, but the head of the first one.
		if i == 0 && len(entries) > 1 && e.isSystem() && !entries[1].isSystem() {
			system = []json.RawMessage{own}
			continue
		}
		if e.Timestamp != nil {
			timed++
		}
		if err := e.add(t, append(system, own)); err != nil {
			return nil, fmt.Errorf("turn %d: %w", i, err)
		}
		system = nil
	}
	t.Untimed = timed == 0 || timed < len(t.Turns)
	if t.Untimed {
		for i := range t.Turns {
			t.Turns[i].At = 0
		}
		return t, nil
	}
	for i := 1; i < len(t.Turns); i++ { // how long answers took is not known
		t.Turns[i].Parents[0].Pause = max(t.Turns[i].At-t.Turns[i-1].At, 0)
	}
	return t, arrange(t)
}

func (e *multiTurnEntry) isSystem() bool {
	return e.Role == "system" && e.Timestamp == nil && e.Delay == nil && e.Output == 0 && e.Extra == nil
}

// add appends a turn that continues the one before it.
func (e *multiTurnEntry) add(t *tree.Tree, own []json.RawMessage) (err error) {
	u := tree.Turn{Output: e.Output, Own: own}
	var delay time.Duration
	if e.Delay != nil {
		if delay, err = pause(*e.Delay / 1000); err != nil {
			return err
		}
	}
	if e.Timestamp != nil {
		if u.At, err = pause(*e.Timestamp / 1000); err != nil {
			return err
		}
	}
	for name, raw := range e.Extra {
		u.Fields = field(u.Fields, name, raw)
	}
	if n := len(t.Turns); n > 0 {
		u.Parents = []tree.Parent{{Turn: n - 1, Edge: tree.Next, Pause: delay, History: tree.Full}}
	}
	t.Turns = append(t.Turns, u)
	return nil
}

// message is what the turn says: a text, or a list of texts.
func (e *multiTurnEntry) message() (json.RawMessage, error) {
	for _, media := range []json.RawMessage{e.Image, e.Images, e.Audio, e.Audios, e.Video, e.Videos} {
		if !isNull(media) && string(media) != "[]" {
			return nil, errors.New("images, audio and video of multi_turn are not read; take them out of the file, or send them with --dataset-name custom_mm")
		}
	}
	role := e.Role
	if role == "" {
		role = "user"
	}
	if len(e.Texts) == 0 {
		if e.Text == "" {
			return nil, errors.New("it has no text")
		}
		return message(role, e.Text), nil
	}
	if e.Text != "" {
		return nil, errors.New("it has text and texts; only one of them can be sent")
	}
	type part struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}
	var parts []part
	for _, raw := range e.Texts {
		var text string
		if json.Unmarshal(raw, &text) == nil {
			parts = append(parts, part{"text", text})
			continue
		}
		var named struct {
			Contents []string `json:"contents"`
		}
		if err := json.Unmarshal(raw, &named); err != nil || len(named.Contents) == 0 {
			return nil, errors.New("texts must be strings, or objects with contents")
		}
		for _, c := range named.Contents {
			parts = append(parts, part{"text", c})
		}
	}
	if len(parts) == 1 {
		return message(role, parts[0].Text), nil
	}
	return encode(struct {
		Role    string `json:"role"`
		Content []part `json:"content"`
	}{strings.TrimSpace(role), parts}), nil
}
