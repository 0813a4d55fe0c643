package workload

import (
	"encoding/json"
	"io"
	"math"
	"slices"

	"github.com/inferometer/inferometer/internal/compat/numpy"
	"github.com/inferometer/inferometer/internal/option"
	"github.com/inferometer/inferometer/internal/send/workload/prompts"
	"github.com/inferometer/inferometer/internal/send/workload/talk"
)

var multiTurn = NewKind(Kind{
	Name: "multi-turn", Doc: "Conversations of random texts of exact token lengths.", IgnoreEOS: true, Talks: true,
}, openMultiTurn)

// MultiTurnOptions shape the conversations. The lengths are those of the user's messages.
type MultiTurnOptions struct {
	RandomOptions
	Turns             int     `json:"turns" flag:"multi-turn-num-turns" whole:"true" default:"3" min:"1" max:"10000" help:"requests of a conversation."`
	MinTurns          int     `json:"min_turns" flag:"multi-turn-min-turns" whole:"true" default:"0" min:"0" max:"10000" help:"fewest requests of a conversation, which is then drawn evenly. 0: --multi-turn-num-turns."`
	MaxTurns          int     `json:"max_turns" flag:"multi-turn-max-turns" whole:"true" default:"0" min:"0" max:"10000" help:"most requests of a conversation. 0: --multi-turn-num-turns, or all of the file."`
	PerTurnInputLen   int     `json:"per_turn_input_len" flag:"per-turn-input-len" whole:"true" default:"0" min:"0" help:"tokens of the user's messages after the first. 0: as the first."`
	GlobalRatio       float64 `json:"global_ratio" flag:"multi-turn-prefix-global-ratio" whole:"true" default:"0" min:"0" max:"1" help:"share of each message that all conversations share. There is then no history."`
	ConversationRatio float64 `json:"conversation_ratio" flag:"multi-turn-prefix-conversation-ratio" whole:"true" default:"0" min:"0" max:"1" help:"share of each message that the turns of one conversation share. There is then no history."`
	MaxModelLen       int     `json:"max_model_len" flag:"max-model-len" whole:"true" default:"0" min:"0" help:"end a conversation before the turn with which its messages and answers would be longer. 0: no bound."`
	TalkOptions
}

// Check implements [option.Checker].
func (o *MultiTurnOptions) Check() error {
	if err := o.RandomOptions.Check(); err != nil {
		return err
	}
	low, high := o.turns()
	switch {
	case low > high:
		return option.Errorf("min_turns", "of %d is above %s of %d", low, option.Ref("max_turns"), high)
	case o.GlobalRatio+o.ConversationRatio >= 1:
		return option.Errorf("global_ratio", "and %s must leave something of their own to each turn: their sum must be below 1", option.Ref("conversation_ratio"))
	}
	return nil
}

// turns are the fewest and the most of a conversation.
func (o *MultiTurnOptions) turns() (low, high int) {
	low, high = o.Turns, o.Turns
	if o.MinTurns > 0 {
		low = o.MinTurns
	}
	if o.MaxTurns > 0 {
		high = o.MaxTurns
	}
	return low, high
}

// prefixed says that messages share beginnings in place of a history.
func (o *MultiTurnOptions) prefixed() bool { return o.GlobalRatio > 0 || o.ConversationRatio > 0 }

// multiTurnDataset makes each conversation from its number alone, so that several are
// made side by side.
type multiTurnDataset struct {
	opts    Options
	own     *MultiTurnOptions
	tok     prompts.Tokenizer
	counted bool    // the tokenizer is a real one
	allowed []int32 // ids to walk over; nil: words are drawn
	shared  []int32 // what all first messages begin with
	global  []int32 // what all messages begin with
	talks   *prompts.Ahead[*madeTalk]
	planned int
	first   int // index of the next conversation's first turn
	total   int
}

type madeTalk struct {
	talk *talk.Conversation
	err  error
}

func openMultiTurn(o Options, own *MultiTurnOptions) (Dataset, error) {
	d := &multiTurnDataset{opts: o, own: own, tok: o.Tokenizer, counted: o.Tokenizer != nil}
	if d.tok == nil {
		d.tok = prompts.WordTokenizer{}
	}
	if v, ok := d.tok.(prompts.Vocabulary); ok {
		d.allowed = ordinaryIDs(v)
	}
	g := d.generator(o.Seed, 0)
	var err error
	if d.shared, err = d.ids(g, own.PrefixLen); err != nil {
		return nil, err
	}
	if d.global, err = d.ids(g, int(float64(own.InputLen)*own.GlobalRatio)); err != nil {
		return nil, err
	}
	for i := range o.NumPrompts {
		d.total += len(d.lengths(d.generator(o.Seed, i+1)))
	}
	_, most := own.turns()
	d.talks = prompts.NewAhead((own.InputLen+own.PrefixLen)*most, d.plan, d.run)
	return d, nil
}

// generator is a stream of random numbers for one conversation.
func (d *multiTurnDataset) generator(seed uint64, number int) *numpy.Generator {
	x := seed ^ uint64(number)*0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return numpy.NewGenerator(x ^ x>>31)
}

// turnLength is what is drawn of a turn before its text.
type turnLength struct{ input, output int }

// lengths draws the turns of a conversation. Those beyond the model's length are cut.
func (d *multiTurnDataset) lengths(g *numpy.Generator) []turnLength {
	own := d.own
	low, high := own.turns()
	turns := make([]turnLength, g.Integers(int64(low), int64(high)+1))
	around := func(n int, ratio float64) int {
		least, most := math.Floor(float64(n)*(1-ratio)), math.Ceil(float64(n)*(1+ratio))
		return max(1, int(g.Integers(int64(least), int64(most)+1)))
	}
	sum := own.PrefixLen
	for i := range turns {
		n := own.InputLen
		if i > 0 && own.PerTurnInputLen > 0 {
			n = own.PerTurnInputLen
		}
		turns[i] = turnLength{around(n, own.RangeRatio.Input), around(own.OutputLen, own.RangeRatio.Output)}
		sum += turns[i].input + turns[i].output
		if own.MaxModelLen > 0 && sum > own.MaxModelLen && i > 0 && !own.prefixed() {
			return turns[:i]
		}
	}
	return turns
}

// ids draws n ids: in vLLM's way a run of consecutive ones from a random place of the
// vocabulary, else words.
func (d *multiTurnDataset) ids(g *numpy.Generator, n int) ([]int32, error) {
	switch {
	case n <= 0:
		return nil, nil
	case d.allowed == nil && !d.counted:
		return prompts.DrawWords(g)(n)
	case d.allowed == nil:
		return prompts.DrawThrough(d.tok, g)(n)
	}
	at := int(g.Integers(0, int64(len(d.allowed))))
	ids := make([]int32, n)
	for i := range ids {
		ids[i] = d.allowed[(at+i)%len(d.allowed)]
	}
	return ids, nil
}

// text is n tokens behind some that are given.
func (d *multiTurnDataset) text(g *numpy.Generator, n int, before ...[]int32) (text string, tokens int, err error) {
	ids := slices.Concat(before...)
	own, err := d.ids(g, n)
	if err != nil {
		return "", 0, err
	}
	f := prompts.NewFitting(append(ids, own...), len(ids)+n)
	if err := f.All(d.tok, func(n int) ([]int32, error) { return d.ids(g, n) }); err != nil {
		return "", 0, err
	}
	if d.counted {
		tokens = len(f.Ids)
	}
	return f.Text, tokens, nil
}

func (d *multiTurnDataset) plan() (*madeTalk, bool) {
	if d.planned == d.opts.NumPrompts {
		return nil, false
	}
	d.planned++
	return &madeTalk{talk: &talk.Conversation{Number: d.planned}}, true
}

func (d *multiTurnDataset) run(m *madeTalk) {
	m.err = d.fill(m.talk, d.opts.Seed)
}

// fill fills a conversation in.
func (d *multiTurnDataset) fill(c *talk.Conversation, seed uint64) error {
	g := d.generator(seed, c.Number)
	lengths := d.lengths(g)
	c.Turns = make([]talk.Turn, len(lengths))
	talk.Sequence(c.Turns)
	mine, err := d.ids(g, int(float64(d.own.InputLen)*d.own.ConversationRatio))
	if err != nil {
		return err
	}
	for i, length := range lengths {
		t := &c.Turns[i]
		var begin [][]int32
		if i == 0 || d.own.prefixed() {
			begin = append(begin, d.shared)
		}
		if d.own.prefixed() {
			begin = append(begin, d.global, mine)
			length.input = max(1, length.input-len(d.global)-len(mine))
			t.Continues = -1
		}
		text, tokens, err := d.text(g, length.input, begin...)
		if err != nil {
			return err
		}
		t.Messages = []talk.Message{{JSON: userMessage(text)}}
		t.PromptTokens, t.OutputTokens = tokens, length.output
		if d.own.History == historyRecorded {
			answer, tokens, err := d.text(g, length.output)
			if err != nil {
				return err
			}
			t.RecordedTokens, t.Recorded = tokens, talk.Text("assistant", answer)
		}
	}
	d.own.think(c, seed)
	return nil
}

// userMessage is a message in the form that vLLM's clients give it: a list with one text.
func userMessage(text string) json.RawMessage {
	content := talk.Text("user", text)
	var m struct {
		Content json.RawMessage `json:"content"`
	}
	_ = json.Unmarshal(content, &m) // it was made a moment ago
	b := append([]byte(`{"role": "user", "content": [{"type": "text", "text": `), m.Content...)
	return append(b, "}]}"...)
}

// Next implements Source.
func (d *multiTurnDataset) Next() (*Request, error) {
	m, ok := d.talks.Next()
	if !ok {
		return nil, io.EOF
	}
	if m.err != nil {
		return nil, m.err
	}
	m.talk.First = d.first
	d.first += len(m.talk.Turns)
	return &Request{Index: m.talk.First, Conversation: m.talk.Number, Talk: m.talk}, nil
}

func (d *multiTurnDataset) start() { d.talks.Start() }

// Len implements Dataset.
func (d *multiTurnDataset) Len() int { return d.total }

// Conversations is how many there are.
func (d *multiTurnDataset) Conversations() int { return d.opts.NumPrompts }

// Close implements Dataset.
func (d *multiTurnDataset) Close() error {
	d.talks.Stop()
	return nil
}

// Warmups implements Dataset: first turns of other conversations.
func (d *multiTurnDataset) Warmups(n int) ([]*Request, error) {
	warm := make([]*Request, n)
	for i := range warm {
		c := &talk.Conversation{Number: i + 1}
		if err := d.fill(c, warmSeed(d.opts.Seed)); err != nil {
			return nil, err
		}
		warm[i] = firstTurn(c, i)
	}
	return warm, nil
}

// firstTurn is a request of its own with the first turn of a conversation.
func firstTurn(c *talk.Conversation, index int) *Request {
	t := &c.Turns[0]
	list := []byte("[")
	for i, m := range t.Messages {
		if i > 0 {
			list = append(list, ", "...)
		}
		list = append(list, m.JSON...)
	}
	list = append(list, ']')
	return &Request{Index: index, Prompt: string(list), Messages: list, PromptTokens: t.PromptTokens, OutputTokens: t.OutputTokens}
}
