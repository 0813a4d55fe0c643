package workload

import (
	"fmt"
	"io"
	"os"

	"github.com/inferometer/inferometer/internal/send/workload/prompts"
	"github.com/inferometer/inferometer/internal/send/workload/talk"
)

// mostConfig bounds a generator's config.
const mostConfig = 1 << 20

// generatedTalks are conversations that a config of vLLM's multi-turn script describes.
type generatedTalks struct {
	file   *conversationFile // for what is done with any conversation
	config *talk.GeneratorConfig
	source *talk.Generator
	turns  []int
	total  int
	next   int
	first  int
}

// openGenerated opens a file that is such a config; nil: it is something else.
func openGenerated(o Options, own *ConversationOptions) (Dataset, error) {
	f, err := os.Open(o.Path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	raw, err := io.ReadAll(io.LimitReader(f, mostConfig))
	if err != nil {
		return nil, err
	}
	config, err := talk.ParseGenerator(raw)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", o.Path, err)
	}
	if config == nil {
		return nil, nil
	}
	if o.Confined {
		return nil, errConfined("the file's text_files name others")
	}
	if o.Tokenizer == nil {
		return nil, prompts.ErrNoTokenizer
	}
	for i, name := range config.TextFiles {
		if config.TextFiles[i], err = o.beside().Find(name); err != nil {
			return nil, fmt.Errorf("%s: text_files: %w", o.Path, err)
		}
	}
	d := &generatedTalks{file: &conversationFile{opts: o, own: own}, config: config, total: config.NumConversations}
	if o.NumPrompts > 0 {
		d.total = min(d.total, o.NumPrompts)
	}
	if d.source, err = talk.NewGenerator(config, o.Tokenizer, o.Seed); err != nil {
		return nil, err
	}
	d.turns = d.source.Turns()
	return d, nil
}

// cut applies what the options say of any conversation.
func (d *generatedTalks) cut(c *talk.Conversation) *talk.Conversation {
	own := d.file.own
	if own.MaxTurns > 0 && len(c.Turns) > own.MaxTurns {
		c.Turns = c.Turns[:own.MaxTurns]
	}
	for i := range c.Turns {
		if own.OutputLen != nil {
			c.Turns[i].OutputTokens = *own.OutputLen
		}
		if own.History == historyLive {
			c.Turns[i].Recorded = nil
		}
	}
	own.think(c, d.file.opts.Seed)
	return c
}

// Next implements Source.
func (d *generatedTalks) Next() (*Request, error) {
	if d.next == d.total {
		return nil, io.EOF
	}
	d.next++
	c, err := d.source.Next()
	if err != nil {
		return nil, err
	}
	d.cut(c)
	c.First = d.first
	d.first += len(c.Turns)
	return &Request{Index: c.First, Conversation: c.Number, Talk: c}, nil
}

// Len implements Dataset.
func (d *generatedTalks) Len() (n int) {
	for _, turns := range d.turns[:d.total] {
		if most := d.file.own.MaxTurns; most > 0 {
			turns = min(turns, most)
		}
		n += turns
	}
	return n
}

func (d *generatedTalks) files() []string {
	return append([]string{d.file.opts.Path}, d.config.TextFiles...)
}

// Conversations is how many there are.
func (d *generatedTalks) Conversations() int { return d.total }

// Close implements Dataset.
func (d *generatedTalks) Close() error { return nil }

// Warmups implements Dataset: first turns of another seed, with a mark in front.
func (d *generatedTalks) Warmups(n int) ([]*Request, error) {
	g, err := talk.NewGenerator(d.config, d.file.opts.Tokenizer, warmSeed(d.file.opts.Seed))
	if err != nil {
		return nil, err
	}
	var warm []*Request
	for len(warm) < n {
		c, err := g.Next()
		if err != nil {
			return nil, err
		}
		if c == nil {
			if g, err = talk.NewGenerator(d.config, d.file.opts.Tokenizer, warmSeed(d.file.opts.Seed)); err != nil {
				return nil, err
			}
			continue
		}
		first := &c.Turns[0].Messages[0]
		first.JSON = talk.Marked(first.JSON, fmt.Sprintf("Warm-up %d. ", len(warm)+1))
		warm = append(warm, firstTurn(d.cut(c), len(warm)))
	}
	return warm, nil
}
