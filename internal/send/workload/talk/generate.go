package talk

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"strconv"

	"github.com/inferometer/inferometer/internal/compat/numpy"
)

// What a generator's config may ask for.
const (
	maxGenerated = 1 << 20  // conversations
	maxTextFile  = 64 << 20 // bytes
	maxTextFiles = 100
	maxLength    = 1 << 24 // tokens of one message
)

// GeneratorConfig is the input of vLLM's multi-turn script that describes conversations in
// place of holding them. Its turns are messages: two of them are one of ours.
type GeneratorConfig struct {
	Filetype         string   `json:"filetype"`
	NumConversations int      `json:"num_conversations"`
	TextFiles        []string `json:"text_files"`
	PrintStats       bool     `json:"print_stats"`
	Input            struct {
		Turns        *Lengths `json:"num_turns"`
		Tokens       *Lengths `json:"num_tokens"`
		Prefix       *Lengths `json:"prefix_num_tokens"`
		CommonPrefix *Lengths `json:"common_prefix_num_tokens"`
	} `json:"prompt_input"`
	Output struct {
		Tokens *Lengths `json:"num_tokens"`
	} `json:"prompt_output"`
}

// GeneratorFiletype is the filetype of a config.
const GeneratorFiletype = "generate_conversations"

// ParseGenerator reads a config; nil: the file is something else.
func ParseGenerator(raw []byte) (*GeneratorConfig, error) {
	var kind struct {
		Filetype *string `json:"filetype"`
	}
	if json.Unmarshal(raw, &kind) != nil || kind.Filetype == nil {
		return nil, nil
	}
	if *kind.Filetype != GeneratorFiletype {
		return nil, fmt.Errorf("its filetype is %.60q, and only %q is known", *kind.Filetype, GeneratorFiletype)
	}
	g := &GeneratorConfig{}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	if err := d.Decode(g); err != nil {
		return nil, err
	}
	switch {
	case g.NumConversations < 1 || g.NumConversations > maxGenerated:
		return nil, fmt.Errorf("num_conversations must be from 1 to %d, not %d", maxGenerated, g.NumConversations)
	case len(g.TextFiles) == 0 || len(g.TextFiles) > maxTextFiles:
		return nil, fmt.Errorf("text_files must name from 1 to %d files", maxTextFiles)
	}
	for _, f := range []struct {
		name string
		of   *Lengths
	}{
		{"prompt_input.num_turns", g.Input.Turns},
		{"prompt_input.num_tokens", g.Input.Tokens},
		{"prompt_input.prefix_num_tokens", g.Input.Prefix},
		{"prompt_output.num_tokens", g.Output.Tokens},
	} {
		if f.of == nil {
			return nil, fmt.Errorf("it has no %s", f.name)
		}
	}
	for name, of := range map[string]*Lengths{
		"prompt_input.num_turns": g.Input.Turns, "prompt_input.num_tokens": g.Input.Tokens, "prompt_input.prefix_num_tokens": g.Input.Prefix,
		"prompt_input.common_prefix_num_tokens": g.Input.CommonPrefix, "prompt_output.num_tokens": g.Output.Tokens,
	} {
		if err := of.check(); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	return g, nil
}

// Lengths is a distribution of whole numbers, in the script's words.
type Lengths struct {
	Distribution string   `json:"distribution"`
	Value        *float64 `json:"value"`
	Min          *float64 `json:"min"`
	Max          *float64 `json:"max"`
	Alpha        *float64 `json:"alpha"`
	Average      *float64 `json:"average"`
	MedianRatio  *float64 `json:"median_ratio"`
	Mean         *float64 `json:"mean"`
	Sigma        *float64 `json:"sigma"`
}

func (l *Lengths) check() error {
	if l == nil {
		return nil
	}
	within := func(name string, v *float64, low, high float64) error {
		if v == nil {
			return fmt.Errorf("%s needs %s", l.Distribution, name)
		}
		if !(*v >= low && *v <= high) {
			return fmt.Errorf("%s must be from %g to %g, not %g", name, low, high, *v)
		}
		return nil
	}
	var err error
	switch l.Distribution {
	case "constant":
		err = within("value", l.Value, 0, maxLength)
	case "uniform":
		if err = errors.Join(within("min", l.Min, math.SmallestNonzeroFloat64, maxLength), within("max", l.Max, 0, maxLength)); err == nil && *l.Min > *l.Max {
			err = errors.New("min is above max")
		}
		return err
	case "zipf":
		err = within("alpha", l.Alpha, 1.0000001, 1e6)
	case "poisson":
		err = within("alpha", l.Alpha, 0, maxLength)
	case "lognormal":
		if (l.Average == nil) == (l.Mean == nil) {
			return errors.New("lognormal needs average, or mean and sigma")
		}
		if l.Mean != nil {
			err = errors.Join(within("mean", l.Mean, math.SmallestNonzeroFloat64, 30), within("sigma", l.Sigma, 0, 10))
		} else {
			err = within("average", l.Average, 1, maxLength)
		}
		if r := l.MedianRatio; r != nil && !(*r > 0 && *r < 1) {
			err = errors.New("median_ratio must be above 0 and below 1")
		}
	default:
		return fmt.Errorf("the distribution %.40q is unknown: use constant, uniform, zipf, poisson or lognormal", l.Distribution)
	}
	if err == nil && l.Max != nil {
		err = within("max", l.Max, 1, maxLength)
	}
	return err
}

// draw gives n lengths, as the script draws them from NumPy's global generator.
func (l *Lengths) draw(r *numpy.RandomState, n int) []int {
	values := make([]float64, n)
	for i := range values {
		values[i] = l.one(r)
	}
	if l.Distribution == "lognormal" && l.Average != nil {
		sum := 0.0
		for _, v := range values {
			sum += v
		}
		for i := range values {
			values[i] *= *l.Average / (sum / float64(n))
		}
	}
	list := make([]int, n)
	for i, v := range values {
		if l.Distribution != "uniform" && l.Max != nil {
			v = math.Min(v, *l.Max)
		}
		if l.Distribution == "lognormal" {
			v = math.RoundToEven(v)
		}
		list[i] = int(math.Min(v, maxLength))
	}
	return list
}

func (l *Lengths) one(r *numpy.RandomState) float64 {
	switch l.Distribution {
	case "uniform":
		if *l.Min == math.Trunc(*l.Min) && *l.Max == math.Trunc(*l.Max) {
			return float64(r.Randint(int64(*l.Min), int64(*l.Max)+1))
		}
		return r.Uniform(*l.Min, *l.Max)
	case "zipf":
		return float64(r.Zipf(*l.Alpha))
	case "poisson":
		return float64(r.Poisson(*l.Alpha))
	case "lognormal":
		if l.Mean != nil {
			return r.LogNormal(*l.Mean, *l.Sigma)
		}
		ratio := 0.85
		if l.MedianRatio != nil {
			ratio = *l.MedianRatio
		}
		median := *l.Average * ratio
		return r.LogNormal(math.Log(median), math.Sqrt(2*math.Log(*l.Average/median)))
	}
	return *l.Value
}

// Encoder is the tokenizer that a Generator needs.
type Encoder interface {
	Encode(text string) ([]int32, error)
	Decode(ids []int32) (string, error)
}

// Generator makes conversations of a config, one after the other: lengths as the script
// draws them for the same seed. The words around the text are ours.
type Generator struct {
	config *GeneratorConfig
	tok    Encoder
	text   []int32
	random *numpy.RandomState
	turns  []int // messages of each conversation
	prefix []int
	common int
	base   int // where the text of the next conversation begins
	next   int
}

// NewGenerator reads the texts and draws what is drawn before the first conversation.
func NewGenerator(c *GeneratorConfig, tok Encoder, seed uint64) (*Generator, error) {
	g := &Generator{config: c, tok: tok, random: numpy.NewRandomState(seed)}
	for _, name := range c.TextFiles {
		ids, err := readText(name, tok)
		if err != nil {
			return nil, err
		}
		g.text = append(g.text, ids...)
	}
	g.turns = c.Input.Turns.draw(g.random, c.NumConversations)
	for i, n := range g.turns {
		n = max(2, n)
		if g.turns[i] = n + n%2; g.turns[i]/2 > MaxTurns {
			return nil, fmt.Errorf("a conversation of %d messages is too long", g.turns[i])
		}
	}
	g.prefix = c.Input.Prefix.draw(g.random, c.NumConversations)
	if c.Input.CommonPrefix != nil {
		g.common = c.Input.CommonPrefix.draw(g.random, 1)[0]
	}
	g.base = g.common
	return g, nil
}

func readText(name string, tok Encoder) ([]int32, error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() > maxTextFile {
		return nil, fmt.Errorf("%s is no file of at most %d MiB", name, maxTextFile>>20)
	}
	b, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	return tok.Encode(string(bytes.ToValidUTF8(b, []byte("\uFFFD"))))
}

// Turns are those of each conversation, in requests.
func (g *Generator) Turns() []int {
	list := make([]int, len(g.turns))
	for i, n := range g.turns {
		list[i] = n / 2
	}
	return list
}

// Next makes the next conversation, whose Number is set; nil: there are no more.
func (g *Generator) Next() (*Conversation, error) {
	if g.next == len(g.turns) {
		return nil, nil
	}
	i := g.next
	g.next++
	messages := g.turns[i]
	input := g.config.Input.Tokens.draw(g.random, messages)
	output := g.config.Output.Tokens.draw(g.random, messages)
	longest := 0
	for _, n := range input {
		longest = max(longest, n)
	}
	c := &Conversation{Number: i + 1, ID: "CONV_ID_" + strconv.Itoa(i), Turns: make([]Turn, messages/2)}
	start := g.base + g.prefix[i]
	for t := 0; t < messages; t += 2 {
		turn := &c.Turns[t/2]
		words, tokens, err := g.user(i, t, input[t], start+t*longest)
		if err != nil {
			return nil, err
		}
		answer, err := g.part(0, max(1, output[t+1]))
		if err != nil {
			return nil, err
		}
		turn.Messages, turn.PromptTokens = []Message{{JSON: Text("user", words)}}, tokens
		turn.Recorded, turn.RecordedTokens, turn.OutputTokens = Text(assistant, answer), max(1, output[t+1]), max(1, output[t+1])
	}
	g.base = start + messages
	Sequence(c.Turns)
	return c, nil
}

// user is a message of the user: what tells the conversation from others first, then text.
func (g *Generator) user(conversation, message, tokens, from int) (string, int, error) {
	head := fmt.Sprintf("Conversation %d, message %d. Go on with this text: ", conversation+1, message/2+1)
	ids, err := g.tok.Encode(head)
	if err != nil {
		return "", 0, err
	}
	if message == 0 {
		tokens -= g.common
		own, err := g.slice(g.base, g.prefix[conversation])
		if err != nil {
			return "", 0, err
		}
		shared, err := g.slice(0, g.common)
		if err != nil {
			return "", 0, err
		}
		tokens += len(own)
		ids = append(append(append([]int32{}, shared...), ids...), own...)
		tokens += len(shared)
	}
	filler, err := g.slice(from, max(0, tokens-len(ids)))
	if err != nil {
		return "", 0, err
	}
	ids = append(ids, filler...)
	text, err := g.tok.Decode(ids)
	return text, len(ids), err
}

func (g *Generator) part(from, n int) (string, error) {
	ids, err := g.slice(from, n)
	if err != nil {
		return "", err
	}
	return g.tok.Decode(ids)
}

func (g *Generator) slice(from, n int) ([]int32, error) {
	if from+n > len(g.text) {
		return nil, fmt.Errorf("text_files have %d tokens, and the conversations need at least %d: give more text", len(g.text), from+n)
	}
	return g.text[from : from+n : from+n], nil
}
