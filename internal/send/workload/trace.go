package workload

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/inferometer/inferometer/internal/option"
	"github.com/inferometer/inferometer/internal/send/trace"
	"github.com/inferometer/inferometer/internal/send/workload/play"
	"github.com/inferometer/inferometer/internal/send/workload/prompts"
	"github.com/inferometer/inferometer/internal/send/workload/replay"
	"github.com/inferometer/inferometer/internal/send/workload/talk"
)

var tracePlay = NewKind(Kind{
	Name: "trace", Doc: "A recording of real traffic, with its times, lengths and shared prefixes: Mooncake, Azure, BurstGPT, Bailian and others.",
	File: true, Timed: true, AllOfFile: true, WholeFile: true, IgnoreEOS: true, Most: mostRows,
}, openTrace)

// mostRows bounds a replay.
const mostRows = 1 << 30

// autoFormat lets the file tell its format.
const autoFormat = "auto"

// TraceOptions shape a replay.
type TraceOptions struct {
	Format    string        `json:"trace_format" flag:"trace-format" whole:"true" default:"auto" metavar:"NAME" help:"the file's format; auto tells it from the file. inferometer trace stats --help lists them."`
	Speed     float64       `json:"trace_speed" flag:"trace-speed" whole:"true" default:"1" above:"0" below:"inf" help:"so many times as fast as it was."`
	From      time.Duration `json:"trace_from" flag:"trace-from" whole:"true" default:"0" min:"0" help:"begin so long after the trace's first request; that moment is the start of the run."`
	To        time.Duration `json:"trace_to" flag:"trace-to" whole:"true" default:"0" min:"0" shown:"the end" help:"end so long after the trace's first request."`
	Loop      string        `json:"trace_loop" flag:"trace-loop" whole:"true" default:"auto" choices:"auto,closed,open" help:"closed: each turn waits for the answers that it waited for when it was recorded, and then for the recorded pause. open: each request at its recorded time. auto: closed where the trace has sessions (docs/agents.md)."`
	Passes    int           `json:"trace_passes" flag:"trace-passes" whole:"true" default:"1" min:"1" help:"play it so many times, one after the other, each time with other prompts."`
	MaxInput  int           `json:"trace_max_input" flag:"trace-max-input" whole:"true" default:"0" min:"0" shown:"no limit" help:"longest prompt in tokens; --trace-long says what happens to longer ones."`
	Long      string        `json:"trace_long" flag:"trace-long" whole:"true" default:"refuse" choices:"refuse,clip,skip" help:"prompts above --trace-max-input: refuse the trace, clip them, or skip their rows."`
	OutputLen *int          `json:"output_len" flag:"trace-output-len" whole:"true" follows:"output-len" min:"1" help:"tokens to generate, in place of the trace's."`
	Send      string        `json:"trace_send" flag:"trace-send" whole:"true" default:"text" choices:"text,ids" help:"prompts are texts, or lists of token ids (completions only)."`
	TimesOption
	play.Options
}

// The loops.
const (
	loopAuto   = "auto"
	loopClosed = "closed"
	loopOpen   = "open"
)

// Talks says that the trace is played as conversations.
func (o *TraceOptions) Talks() bool { return o.Loop == loopClosed }

// ApplyPreset sets what the preset says and the user did not: one of another benchmark is a closed loop.
func (o *TraceOptions) ApplyPreset(given func(flag string) bool) {
	o.Apply(given)
	if o.Preset != play.Faithful && !given("trace-loop") {
		o.Loop = loopClosed
	}
}

// MayTalk says that the file decides it.
func (o *TraceOptions) MayTalk() bool { return o.Loop == loopAuto }

// Check implements [option.Checker].
func (o *TraceOptions) Check() error {
	if err := o.Options.Check(); err != nil {
		return err
	}
	switch o.Loop {
	case loopOpen:
		if keys := o.Deviations(); o.Preset != play.Faithful || len(keys) > 0 {
			key := append(keys, "trace_preset")[0]
			return option.Errorf(key, "is for a closed loop").WithHint("leave out %s %s", option.Ref("trace_loop"), loopOpen)
		}
	case loopClosed:
		for _, key := range []string{"trace_from", "trace_to", "trace_max_input", "trace_long", "trace_send"} {
			f, _ := option.Find(o, key)
			if text, _ := f.Text(o); text != f.Default && !(f.Kind == option.Duration && f.Value(o) == time.Duration(0)) {
				return option.Errorf(key, "is for an open loop").WithHint("leave it out, or use %s %s", option.Ref("trace_loop"), loopOpen)
			}
		}
	}
	switch {
	case o.Format != autoFormat && !slices.Contains(trace.FormatNames(), o.Format):
		return option.Errorf("trace_format", "must be %s or one of %s, not %q", autoFormat, strings.Join(trace.FormatNames(), ", "), o.Format)
	case o.To > 0 && o.To <= o.From:
		return option.Errorf("trace_to", "must be later than %s, and %v is not after %v", option.Ref("trace_from"), o.To, o.From)
	}
	return nil
}

// CheckWith looks at the options beside those of all datasets.
func (o *TraceOptions) CheckWith(all *Options) error {
	if all.Chat && o.Send == "ids" {
		return option.Errorf("trace_send", "ids needs a backend that sends completions").WithHint("use %s openai or vllm, or send texts", option.Ref("backend"))
	}
	return nil
}

func (o *TraceOptions) sendsIDs() bool { return o.Send == "ids" }

// IsSelfTimed says whether the trace's times are used: unless the run has a pace.
func (o *TraceOptions) IsSelfTimed(paced bool) bool {
	if o.SelfTimed != nil {
		return *o.SelfTimed
	}
	return !paced
}

// traceDataset replays a trace: each row becomes a prompt of as many tokens as it says,
// in which equal blocks are equal texts.
type traceDataset struct {
	opts    Options
	own     *TraceOptions
	rows    *replay.Rows
	total   int
	maker   replay.Prompts
	exact   bool // the server will count as many tokens as the row says
	prompts *prompts.Ahead[*tracePrompt]
	plan    *replay.Plan
	given   int
	err     error // of reading
}

// tracePrompt is a prompt on its way.
type tracePrompt struct {
	row     trace.Row
	pass    int
	request *Request
}

func openTrace(o Options, own *TraceOptions) (Dataset, error) {
	t, err := own.openFile(o.Path)
	if err != nil {
		return nil, err
	}
	if own.Loop != loopOpen {
		d, err := openPlays(o, own, t)
		if !errors.Is(err, trace.ErrNoSessions) {
			return d, err
		}
		if own.Loop == loopClosed {
			return nil, fmt.Errorf("%w, and a closed loop follows them; leave out --trace-loop to send each request at its recorded time", err)
		}
	}
	d := &traceDataset{opts: o, own: own, plan: replay.NewPlan(), maker: replay.Prompts{Seed: o.Seed, History: t.Format.History}}
	d.rows, err = replay.NewRows(t, replay.Options{Speed: own.Speed, From: own.From, To: own.To, Loop: own.Passes, MaxInput: own.MaxInput, Long: own.Long, Output: own.OutputLen != nil})
	if err != nil {
		return nil, err
	}
	d.total = d.rows.Count * own.Passes
	if o.NumPrompts > 0 {
		d.total = min(d.total, o.NumPrompts)
	}
	if err := d.chooseTokens(); err != nil {
		return nil, err
	}
	if o.SelfTimed && d.rows.Span == 0 && d.rows.Count > 1 {
		return nil, fmt.Errorf("the rows of %s have no times: give --request-rate, or --max-concurrency with --no-self-timed", o.Path)
	}
	d.prompts = prompts.NewAhead(d.rows.Longest, d.next, d.run)
	return d, nil
}

func (o *TraceOptions) openFile(path string) (*trace.Trace, error) {
	if o.Format == autoFormat {
		return trace.Open("", path)
	}
	return trace.Open(o.Format, path)
}

// ResolveLoop says how a trace is played whose file decides it.
func (o *TraceOptions) ResolveLoop(path string) (loop string, err error) {
	t, err := o.openFile(path)
	if err != nil {
		return "", err
	}
	trees, err := t.Trees(trace.TreeOptions{Split: o.Split})
	if errors.Is(err, trace.ErrNoSessions) {
		return loopOpen, nil
	}
	if err != nil {
		return "", err
	}
	return loopClosed, trees.Close()
}

// fewestWords is the least of a vocabulary for texts: fewer would repeat by chance.
const fewestWords = 64

// chooseTokens finds what prompts are made of.
func (d *traceDataset) chooseTokens() (err error) {
	m, o := &d.maker, &d.opts
	v, known := o.Tokenizer.(prompts.Vocabulary)
	switch {
	case d.own.Send == "ids" && !known:
		return errNoVocabulary
	case d.own.Send == "ids":
		m.IDs, d.exact = ordinaryIDs(v), true
	case known:
		if m.Words, err = replay.WholeWords(v, ordinaryIDs(v)); err != nil {
			return err
		}
		if len(m.Words) < fewestWords {
			return fmt.Errorf("the vocabulary has only %d words that stay one token each: send token ids with --trace-send ids", len(m.Words))
		}
		m.Special, d.exact = v.NumSpecialTokensToAdd(), true
		if m.Trim, err = replay.Trims(v, m.Words); err != nil {
			return err
		}
		if o.Chat {
			return d.aroundMessage(v)
		}
	default:
		m.Words = make([]string, len(prompts.Words))
		for i, w := range prompts.Words {
			m.Words[i] = " " + w
		}
		if o.Tokenizer != nil { // the server's
			ids, err := o.Tokenizer.Encode(strings.Join(m.Words, ""))
			d.exact = len(ids) == len(prompts.Words)
			return err
		}
	}
	return nil
}

// aroundMessage counts what the chat template adds; without one nobody knows.
func (d *traceDataset) aroundMessage(v prompts.Vocabulary) error {
	d.maker.Special, d.exact = 0, false
	text, err := prompts.AsChat(v, "")
	if err != nil {
		return nil //nolint:nilerr // then the prompts are longer than the trace says, and the note says so
	}
	ids, err := v.Encode(text)
	d.maker.Chat, d.exact = len(ids), err == nil
	return err
}

// Notes says what the replay leaves out or changes.
func (d *traceDataset) Notes() (notes []string) {
	add := func(n int, format string) {
		if n > 0 {
			notes = append(notes, fmt.Sprintf(format, n))
		}
	}
	r := d.rows
	add(r.Failed, "%d rows of the trace had failed and are not sent")
	add(r.Empty, "%d rows of the trace have no prompt or no answer and are not sent")
	add(r.NoInput+r.NoOutput, "%d rows of the trace are of unknown length and are not sent: "+r.Mend())
	add(r.Estimated, "%d rows of the trace have answers whose length is a count of their events, which may be fewer than their tokens")
	add(r.Clipped, fmt.Sprintf("%%d prompts are cut to --trace-max-input %d tokens", d.own.MaxInput))
	add(r.Skipped, fmt.Sprintf("%%d rows with prompts above --trace-max-input %d tokens are not sent", d.own.MaxInput))
	add(r.Images, "%d images of the trace are not sent: only texts are")
	add(r.Unsorted, "%d rows of the trace are earlier than the one before: all are sorted by time")
	if !d.exact {
		notes = append(notes, "without a tokenizer.json the prompts are words, and about as long as the trace says; what they share is as it says")
	}
	return notes
}

// next is the plan of the next prompt, in order.
func (d *traceDataset) next() (*tracePrompt, bool) {
	if d.given == d.total || d.err != nil {
		return nil, false
	}
	p := &tracePrompt{}
	if p.pass, d.err = d.rows.Next(&p.row); d.err != nil {
		return nil, false
	}
	p.row.IDs = slices.Clone(p.row.IDs)
	p.request = &Request{Index: d.given, Due: p.row.At, OutputTokens: p.row.Output}
	if d.own.OutputLen != nil {
		p.request.OutputTokens = *d.own.OutputLen
	}
	for _, s := range p.row.Sampling {
		p.request.Fields = append(p.request.Fields, Field{Name: s.Name, Value: s.Value, Sampling: true})
	}
	if shared, known := d.plan.Add(p.pass, &p.row, d.maker.History); known {
		p.request.SharedTokens, p.request.SharedOf = shared, p.row.Input
	}
	d.given++
	return p, true
}

func (d *traceDataset) run(p *tracePrompt) {
	d.fill(p.request, &p.row, p.pass)
}

// fill makes the prompt of a request.
func (d *traceDataset) fill(q *Request, row *trace.Row, pass int) {
	var tokens int
	q.Prompt, tokens = d.maker.Make(row, q.Index, pass)
	q.TokenIDs = d.maker.IDs != nil
	if d.exact {
		q.PromptTokens = tokens
	}
}

// Next implements Source.
func (d *traceDataset) Next() (*Request, error) {
	p, ok := d.prompts.Next()
	if ok {
		return p.request, nil
	}
	if d.err != nil && !errors.Is(d.err, io.EOF) {
		return nil, d.err
	}
	return nil, io.EOF
}

func (d *traceDataset) start() { d.prompts.Start() }

// Len implements Dataset.
func (d *traceDataset) Len() int { return d.total }

// Close implements Dataset.
func (d *traceDataset) Close() error {
	d.prompts.Stop()
	return d.rows.Close()
}

// Warmups implements Dataset: rows of the trace's lengths, with blocks of no row.
func (d *traceDataset) Warmups(n int) ([]*Request, error) {
	warm := make([]*Request, n)
	for i := range warm {
		r := trace.Row{Number: i + 1, Input: min(d.rows.First.Input, prompts.AheadTokens), Output: d.rows.First.Output}
		warm[i] = &Request{Index: i, OutputTokens: r.Output}
		if d.own.OutputLen != nil {
			warm[i].OutputTokens = *d.own.OutputLen
		}
		d.fill(warm[i], &r, -1)
	}
	return warm, nil
}

// plays is a trace in a closed loop: its trees are conversations.
type plays struct{ *play.Source }

func openPlays(o Options, own *TraceOptions, t *trace.Trace) (Dataset, error) {
	trees, err := t.Trees(trace.TreeOptions{Split: own.Split})
	if err != nil {
		return nil, err
	}
	source, err := play.Open(trees, play.How{
		Options: &own.Options, Seed: o.Seed, Speed: own.Speed, OutputLen: own.OutputLen, Plays: o.NumPrompts, Passes: own.Passes,
		Endless: o.Endless, SelfTimed: o.SelfTimed, Lanes: o.Lanes, Tokenizer: o.Tokenizer, Ordinary: ordinaryIDs,
	})
	if err != nil {
		return nil, err
	}
	return plays{source}, nil
}

// Next implements Source.
func (d plays) Next() (*Request, error) {
	c, due, err := d.Source.Next()
	if err != nil {
		return nil, err
	}
	return &Request{Index: c.First, Conversation: c.Number, Talk: c, Due: due}, nil
}

func (d plays) start() { d.Start() }

// Conversations is how many there are.
func (d plays) Conversations() int { return d.Plays() }

// Primers are what is sent before the measurement to fill the server's cache; nil: nothing is.
func Primers(d Dataset) (list []*Request, err error) {
	p, ok := as[plays](d)
	if !ok {
		return nil, nil
	}
	talks, err := p.Primers()
	for _, c := range talks {
		list = append(list, &Request{Index: c.First, Conversation: c.Number, Talk: c})
	}
	return list, err
}

// MadeLater says that d makes its prompts when they are sent, and asks no server about them.
func MadeLater(d Dataset) bool {
	_, ok := as[plays](d)
	return ok
}

// Traces is how many recordings d plays; 0: it plays none.
func Traces(d Dataset) int {
	if p, ok := as[plays](d); ok {
		return p.Traces()
	}
	return 0
}

// Warmups implements Dataset: first turns of plays that Next never gives.
func (d plays) Warmups(n int) ([]*Request, error) {
	warm := make([]*Request, n)
	for i := range warm {
		c, err := d.Warmup(i)
		if err != nil {
			return nil, err
		}
		if c.Maker == nil {
			for k := range c.Turns[0].Messages {
				m := &c.Turns[0].Messages[k]
				m.JSON = talk.Marked(m.JSON, fmt.Sprintf("Warm-up %d. ", i+1))
			}
			warm[i] = firstTurn(c, i)
			continue
		}
		made, err := c.Maker.Make(0)
		if err != nil {
			return nil, err
		}
		warm[i] = &Request{Index: i, Prompt: string(made.Messages), Messages: made.Messages, PromptTokens: made.Tokens, OutputTokens: c.Turns[0].OutputTokens}
	}
	return warm, nil
}
