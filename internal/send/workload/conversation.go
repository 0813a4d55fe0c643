package workload

import (
	"math/rand/v2"

	"github.com/inferometer/inferometer/internal/option"
	"github.com/inferometer/inferometer/internal/send/workload/talk"
)

// TalkOptions are what all conversations have in common.
type TalkOptions struct {
	Think     talk.Think `json:"think_time" flag:"think-time" whole:"true" default:"0s" metavar:"TIME" help:"time from an answer to the next turn: 2s, or drawn, as exponential:2s, uniform:1s:3s, normal:2s:500ms, lognormal:2s:1s (mean, deviation)."`
	History   string     `json:"history" flag:"history" whole:"true" default:"live" choices:"live,recorded" help:"what stands before a turn as the earlier answers: the server's own, or those of the dataset, which keep prompts equal on all servers."`
	Reasoning bool       `json:"history_reasoning" flag:"history-reasoning" whole:"true" help:"keep the server's reasoning in the history too."`
}

// The values of History.
const (
	historyLive     = "live"
	historyRecorded = "recorded"
)

// think draws the delays of a conversation: by its number, so that they are the same
// whatever was drawn before. Turns that have one keep it.
func (o *TalkOptions) think(c *talk.Conversation, seed uint64) {
	r := rand.New(rand.NewPCG(seed, uint64(c.Number)))
	for i := range c.Turns {
		if t := &c.Turns[i]; len(t.After) > 0 && t.Delay == 0 {
			t.Delay = o.Think.Draw(r)
		}
	}
	c.Reasoning = o.Reasoning
}

// History says what the options of a dataset ask for; empty: it has no conversations.
func History(own any) string {
	f, ok := option.Find(own, "history")
	if !ok {
		return ""
	}
	text, _ := f.Value(own).(string)
	return text
}

// Conversations is how many conversations d has; 0: its requests are each by themselves.
func Conversations(d Dataset) int {
	if c, ok := as[interface{ Conversations() int }](d); ok {
		return c.Conversations()
	}
	return 0
}
