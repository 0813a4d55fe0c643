package protocol

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/inferometer/inferometer/internal/outside"
	"github.com/inferometer/inferometer/internal/send/protocol/stream"
)

// slot is what is looked for in an event. The first ones are keys of a file.
type slot int

const (
	slotText slot = iota
	slotReasoning
	slotFinish
	slotError
	slotID
	slotPrompt
	slotOutput
	slotCached
	slotDone
	slots
)

func (s slot) String() string {
	return [...]string{"text", "reasoning", "finish", "error", "id", "prompt_tokens", "output_tokens", "cached_tokens", "done"}[s]
}

// slotFields are the names of slots, for errors that name what is wrong.
var slotFields = func() (all [slots]field) {
	for s := range all {
		all[s].name = slot(s).String()
	}
	return all
}()

const (
	maxPlaces    = 8  // alternatives of one value
	maxPlaceStep = 16 // steps of a path
)

// place is where a value lies: names of fields, and numbers of list items.
type place []string

// places are where a value may be; the first that has one counts.
type places []place

// read reads one path or a list of them.
func (p *places) read(raw json.RawMessage) error {
	var one string
	list := []string{}
	if json.Unmarshal(raw, &one) == nil {
		list = []string{one}
	} else if json.Unmarshal(raw, &list) != nil || len(list) == 0 {
		return errors.New("needs a path such as choices.0.delta.content, or a list of paths")
	}
	if len(list) > maxPlaces {
		return fmt.Errorf("has more than %d paths", maxPlaces)
	}
	for _, text := range list {
		steps, err := parsePlace(text)
		if err != nil {
			return err
		}
		*p = append(*p, steps)
	}
	return nil
}

// parsePlace reads a path: choices.0.text and choices[0].text are the same.
func parsePlace(text string) (place, error) {
	wrong := fmt.Errorf("%q is no path such as choices.0.delta.content or choices[0].text", outside.Word(text))
	var steps place
	for i, word := range strings.Split(text, ".") {
		name, rest, _ := strings.Cut(word, "[")
		if name != "" {
			steps = append(steps, name)
		}
		if name == "" && (rest == "" || i > 0) || strings.Contains(name, "]") {
			return nil, wrong
		}
		if rest == "" {
			if name != word {
				return nil, wrong
			}
			continue
		}
		inner, ok := strings.CutSuffix(rest, "]")
		if !ok {
			return nil, wrong
		}
		for _, number := range strings.Split(inner, "][") {
			if n, err := strconv.Atoi(number); err != nil || n < 0 || strconv.Itoa(n) != number {
				return nil, fmt.Errorf("%q is no path: a number stands in brackets, as in choices[0].text", outside.Word(text))
			}
			steps = append(steps, number)
		}
	}
	if len(steps) > maxPlaceStep {
		return nil, fmt.Errorf("a path has more than %d steps", maxPlaceStep)
	}
	return steps, nil
}

// want is a value that is looked for, and the how manieth of its paths this is.
type want struct {
	slot slot
	rank int
}

// add puts a path into a shape, so that one walk finds all that is looked for.
func (sh *shape) add(path place, w want) {
	for i, step := range path {
		at := slices.IndexFunc(*sh, func(f field) bool { return f.name == step })
		if at < 0 {
			at = len(*sh)
			n, err := strconv.Atoi(step)
			if err != nil {
				n = -1
			}
			*sh = append(*sh, field{name: step, item: n + 1})
		}
		next := &(*sh)[at]
		if i+1 < len(path) {
			sh = &next.in
			continue
		}
		before := next.take
		next.take = func(d *decoder, c *stream.Chunk) {
			raw := d.scan.Value()
			if d.scan.Err != nil {
				return
			}
			if before != nil {
				d.scan.Within(raw, func() { before(d, c) })
			}
			d.found.take(w, raw)
		}
	}
}

// findings are the values of an event, as they stand there; nil: there is none.
type findings [slots]struct {
	raw  []byte
	rank int
	null bool // it is there, and is null
}

// take keeps a value, unless one of an earlier path is there. null is no value, and an
// empty text only until there is a better one.
func (f *findings) take(w want, raw []byte) {
	known := &f[w.slot]
	empty, had := len(raw) == 2 && raw[0] == '"', len(known.raw) == 2 && known.raw[0] == '"'
	switch {
	case string(raw) == "null":
		known.null = true
	case known.raw == nil, had && !empty, had == empty && w.rank < known.rank:
		known.raw, known.rank = raw, w.rank
	}
}

// customEvents reads the events that a file describes.
type customEvents struct {
	decoder
	file *custom
}

// Events implements Protocol.
func (p *custom) Events() stream.EventReader { return &customEvents{file: p} }

// Decode implements stream.EventReader.
func (e *customEvents) Decode(data []byte, c *stream.Chunk) error {
	p, d := e.file, &e.decoder
	*c = stream.Chunk{Tokens: -1}
	if p.doneData != nil && bytes.Equal(bytes.TrimSpace(data), p.doneData) {
		c.Done = true
		return nil
	}
	s, f := &d.scan, &d.found
	*f = findings{}
	s.Reset(data)
	d.read(p.event, c)
	s.End()
	if s.Err != nil {
		return fmt.Errorf("an event is no JSON: %w", s.Err)
	}
	if err := cmp.Or(p.words(d, f, c), counts(d, f, c)); err != nil {
		return err
	}
	if p.whole && f[slotText].raw == nil && !f[slotText].null && c.Reasoning == nil && c.Error == nil {
		return fmt.Errorf("the answer has nothing where text should be: %.200s", data)
	}
	if p.doneEquals != nil && f[slotDone].raw != nil {
		c.Done = sameScalar(f[slotDone].raw, p.doneEquals)
	}
	return nil
}

// words reads the texts of an event.
func (p *custom) words(d *decoder, f *findings, c *stream.Chunk) (err error) {
	if c.Text, err = d.answer(slotText, f, c); err != nil {
		return err
	}
	if c.Reasoning, err = d.answer(slotReasoning, f, c); err != nil {
		return err
	}
	if p.cumulative && f[slotFinish].raw == nil {
		c.Text = bytes.TrimRight(c.Text, "\uFFFD") // half of a letter, which the next event has whole
	}
	if len(c.Text) > 0 {
		c.Kind |= stream.EventText
		if p.cumulative {
			c.TextIs = stream.TextSoFar
		}
	}
	if len(c.Reasoning) > 0 {
		c.Kind |= stream.EventReasoning
	}
	if c.ID, err = d.label(slotID, f); err != nil {
		return err
	}
	if c.Finish, err = d.label(slotFinish, f); err != nil {
		return err
	}
	if ours, ok := p.finishWords[string(c.Finish)]; ok {
		c.Finish = append([]byte(nil), ours...)
	}
	if len(c.Finish) > 0 {
		c.Kind |= stream.EventFinish | stream.EventChoices
	}
	if raw := f[slotError].raw; raw != nil && string(raw) != "false" && string(raw) != `""` {
		d.scan.Resume(raw)
		c.Error = d.errorWords()
	}
	return nil
}

// answer is a text of the answer.
func (d *decoder) answer(of slot, f *findings, c *stream.Chunk) ([]byte, error) {
	raw := f[of].raw
	switch {
	case raw == nil:
		return nil, nil
	case raw[0] != '"':
		return nil, fmt.Errorf("what %s names is no text but %.60s", of, raw)
	}
	c.Kind |= stream.EventChoices // with an empty text too: it is an event of the answer
	return d.textOf(raw), nil
}

// textOf is what a string says that was found.
func (d *decoder) textOf(raw []byte) []byte { return d.scan.Unescape(raw[1 : len(raw)-1]) }

// label is the word of a text, a number or true; nil for false.
func (d *decoder) label(of slot, f *findings) ([]byte, error) {
	raw := f[of].raw
	switch {
	case raw == nil || string(raw) == "false":
		return nil, nil
	case raw[0] == '"':
		return d.textOf(raw), nil
	case raw[0] == '{' || raw[0] == '[':
		return nil, fmt.Errorf("what %s names is no word but %.60s", of, raw)
	}
	return raw, nil
}

// counts reads the numbers of tokens.
func counts(d *decoder, f *findings, c *stream.Chunk) error {
	s := &d.scan
	for of := slotPrompt; of <= slotCached; of++ {
		if f[of].raw == nil {
			continue
		}
		s.Resume(f[of].raw)
		d.field = &slotFields[of]
		n := d.count()
		if s.Err != nil {
			return s.Err
		}
		switch of {
		case slotPrompt:
			c.Usage.Prompt = n
		case slotOutput:
			c.Usage.Output, c.Kind = n, c.Kind|stream.EventUsage
		default:
			c.Usage.Cached, c.Usage.CachedKnown = n, true
		}
	}
	return nil
}

// sameScalar compares a value of an event with that of a file. Texts may be escaped
// differently.
func sameScalar(raw, want []byte) bool {
	if bytes.Equal(raw, want) {
		return true
	}
	var a, b string
	return raw[0] == '"' && want[0] == '"' && json.Unmarshal(raw, &a) == nil && json.Unmarshal(want, &b) == nil && a == b
}
