package play

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/inferometer/inferometer/internal/send/trace/tree"
	"github.com/inferometer/inferometer/internal/send/workload/talk"
)

// addTexts gives turns the messages of a recording that has them. What stands before a turn is the history of the one that it
// continues, where that is part of the conversation (index); else it is as it was recorded.
func (p *Play) addTexts(c *talk.Conversation, turns, index []int32) error {
	live := p.player.Options.History == Live
	for k, i := range turns {
		from, t := &p.r.Turns[i], &c.Turns[k]
		if from.Answer != nil && !live {
			t.Recorded = from.Answer
		}
		for _, parent := range from.Parents {
			switch {
			case parent.History == tree.New:
			case index[parent.Turn] < 0:
				t.Messages = p.r.recorded(t.Messages, parent.Turn, parent.History == tree.Full, 0)
			case parent.History == tree.Full && t.Continues < 0 && len(t.Messages) == 0:
				t.Continues = int(index[parent.Turn])
			default:
				t.Messages = p.r.last(t.Messages, parent.Turn, int(index[parent.Turn]), live)
			}
		}
		for _, own := range from.Own {
			t.Messages = append(t.Messages, message(own))
		}
		if t.Continues < 0 {
			if err := p.markTexts(t.Messages); err != nil {
				return err
			}
		}
	}
	return nil
}

// recorded adds the messages of a turn and its answer, with full all that stood before them too.
func (r *Recording) recorded(list []talk.Message, turn int, full bool, depth int) []talk.Message {
	t := &r.Turns[turn]
	if full && depth < talk.MaxTurns {
		for _, parent := range t.Parents {
			if parent.History != tree.New {
				list = r.recorded(list, parent.Turn, parent.History == tree.Full, depth+1)
			}
		}
	}
	for _, own := range t.Own {
		list = append(list, talk.Message{JSON: own})
	}
	if t.Answer != nil {
		list = append(list, talk.Message{JSON: t.Answer})
	}
	return list
}

// last adds the messages of a turn of the conversation and its answer: the recorded one, or the server's.
func (r *Recording) last(list []talk.Message, turn, of int, live bool) []talk.Message {
	t := &r.Turns[turn]
	for _, own := range t.Own {
		list = append(list, talk.Message{JSON: own})
	}
	if t.Answer != nil && !live {
		return append(list, talk.Message{JSON: t.Answer})
	}
	return append(list, talk.Message{JSON: talk.Text("assistant", ""), Answers: []int{of}})
}

func message(raw json.RawMessage) talk.Message {
	return talk.Message{JSON: raw, Tool: roleOf(raw) == "tool"}
}

func roleOf(raw json.RawMessage) string {
	var m struct {
		Role string `json:"role"`
	}
	_ = json.Unmarshal(raw, &m) // what is no message has no role
	return m.Role
}

// markTexts puts what tells a play from others into messages that begin a prompt.
func (p *Play) markTexts(list []talk.Message) error {
	switch o := p.player.Options; o.CacheBust {
	case Marker:
		text := p.player.marker(p.r, p.at)
		for i := range list {
			if roleOf(list[i].JSON) == roleNames[user] {
				list[i].JSON = talk.Marked(list[i].JSON, text)
				return nil
			}
		}
	case Salt:
		before, after := salts(p.at.Pass+1, p.r.ID)
		for i := range list {
			if roleOf(list[i].JSON) != roleNames[system] {
				continue
			}
			raw, err := around(list[i].JSON, before, after)
			if err != nil {
				return fmt.Errorf("trace %.80q: %w", p.r.ID, err)
			}
			list[i].JSON = raw
			return nil
		}
		return errNoSystem(p.r.ID)
	}
	return nil
}

func errNoSystem(trace string) error {
	return fmt.Errorf("trace %.80q has no system prompt, which --trace-cache-bust salt needs", trace)
}

// around puts texts around the content of a message.
func around(raw json.RawMessage, before, after string) (json.RawMessage, error) {
	var fields map[string]json.RawMessage
	var content string
	if json.Unmarshal(raw, &fields) != nil || json.Unmarshal(fields["content"], &content) != nil {
		return nil, errors.New("its system prompt is no text")
	}
	return talk.Text(roleNames[system], before+content+after), nil
}

// answerTokens counts a recorded answer; 0: nobody can, or there is none.
func (p *Player) answerTokens(answer json.RawMessage) int {
	if answer == nil || p.Vocabulary.count == nil {
		return 0
	}
	ids, err := p.Vocabulary.count(talk.Words(answer))
	if err != nil {
		return 0
	}
	return len(ids)
}
