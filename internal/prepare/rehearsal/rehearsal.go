// Package rehearsal is a run without sending: what its workload holds, and the
// fingerprints by which the same workload is known elsewhere.
package rehearsal

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"hash"
	"time"

	"github.com/inferometer/inferometer/internal/send/load"
	"github.com/inferometer/inferometer/internal/send/trace/stats"
)

// Rehearsal is what a run would send.
type Rehearsal struct {
	Facts
	Requests      int  `json:"requests"`
	All           bool `json:"all"`         // false: a run without a number of requests; these are the first
	FixedTimes    bool `json:"fixed_times"` // false: when a request is sent depends on the answers before it
	Unmeasured    int  `json:"unmeasured,omitempty"`
	Conversations int  `json:"conversations,omitempty"`
	Waiting       int  `json:"wait_for_answers,omitempty"` // later turns: of these only the plan is known

	PromptTokens *stats.Lengths `json:"prompt_tokens"` // nil: nobody could count them
	OutputTokens stats.Lengths  `json:"output_tokens"`
	BodyBytes    stats.Lengths  `json:"body_bytes"`
	Prefix       Prefix         `json:"shared_prefix"`
	LastDue      float64        `json:"last_due_seconds"` // 0 without fixed times
	First        []Shown        `json:"first"`

	SHA    string          `json:"workload_sha256"`
	Prints Prints          `json:"-"`
	Spec   json.RawMessage `json:"-"` // of the run, with the tokenizer's commit
}

// Facts are what the requests were made from.
type Facts struct {
	Model     string    `json:"model"` // in the bodies
	Endpoint  string    `json:"endpoint"`
	Backend   string    `json:"backend"`
	Pace      string    `json:"pace"`
	AtOnce    int       `json:"max_concurrency,omitempty"` // 0: no bound
	Length    float64   `json:"length_seconds,omitempty"`  // of a run that ends by time
	Seed      int       `json:"seed"`
	Tokenizer Tokenizer `json:"tokenizer"`
	Dataset   Dataset   `json:"dataset"`
	Files     []string  `json:"files,omitempty"` // of this machine that are read: dataset, task, tokenizer
}

// Tokenizer is what counted.
type Tokenizer struct {
	Source   string `json:"source"` // file, server or none
	ID       string `json:"id,omitempty"`
	Revision string `json:"revision,omitempty"`
	SHA256   string `json:"sha256,omitempty"` // over its files
}

// Dataset is where prompts come from.
type Dataset struct {
	Name     string `json:"name"`
	Revision string `json:"revision,omitempty"` // of the hub
	SHA256   string `json:"sha256,omitempty"`   // of its file
}

// Shown is one of the first requests.
type Shown struct {
	Index        int     `json:"index"`
	Due          float64 `json:"due_seconds"`
	PromptTokens int     `json:"prompt_tokens,omitempty"`
	OutputTokens int     `json:"output_tokens"`
	Bytes        int     `json:"bytes"`
	Body         string  `json:"body"` // shortened in its middle
}

// Prints are fingerprints of requests: of each of the first, and of blocks of those after.
type Prints struct {
	Bodies []string `json:"bodies"` // 16 hex digits of each body's SHA-256
	Due    []int64  `json:"due_ns"`
	Blocks []Block  `json:"blocks,omitempty"`
}

// Block is the fingerprint of requests From up to but not including To.
type Block struct {
	From   int    `json:"from"`
	To     int    `json:"to"`
	Bodies string `json:"bodies"`
	Due    string `json:"due"`
}

const (
	firstPrints = 1000 // requests with a fingerprint of their own
	blockSize   = 1000
	shownFirst  = 3
	shownBytes  = 400
	printDigits = 16
)

// Collector sees each request of a rehearsal.
type Collector struct {
	most                  int // 0: no bound
	scrub                 func(string) string
	counted               bool
	prompt, output, bytes *stats.Counter
	prefix                *prefixes
	conversations         map[int]bool
	block                 *openBlock
	r                     Rehearsal
}

// NewCollector is one for a workload that was not begun. most bounds the requests; 0: no
// bound. scrub takes secrets out of what is shown.
func NewCollector(facts Facts, most int, scrub func(string) string) *Collector {
	return &Collector{
		most: most, scrub: scrub, counted: true, prompt: stats.NewCounter(), output: stats.NewCounter(), bytes: stats.NewCounter(), prefix: newPrefixes(), conversations: map[int]bool{},
		r: Rehearsal{Facts: facts, All: true},
	}
}

// Add takes a request in. It is false when there are enough.
func (c *Collector) Add(p *load.Planned) bool {
	if c.most > 0 && c.r.Requests == c.most {
		c.r.All = false
		return false
	}
	w := p.Request
	c.printPrompt(p)
	if len(c.r.First) < shownFirst {
		c.r.First = append(c.r.First, Shown{w.Index, p.Due.Seconds(), w.PromptTokens, w.OutputTokens, len(p.Body), shorten([]byte(c.scrub(string(p.Body))), shownBytes)})
	}
	c.r.Requests++
	if w.Unmeasured {
		c.r.Unmeasured++
	}
	if w.Conversation > 0 {
		c.conversations[w.Conversation] = true
	}
	if p.Waits {
		c.r.Waiting++
	}
	if w.PromptTokens == 0 {
		c.counted = false
	}
	c.prompt.Add(w.PromptTokens)
	c.output.Add(w.OutputTokens)
	c.bytes.Add(len(p.Body))
	c.prefix.add(p.Text)
	c.r.LastDue = max(c.r.LastDue, p.Due.Seconds())
	return true
}

// Done gives the result.
func (c *Collector) Done(sha string, fixedTimes bool) *Rehearsal {
	c.endBlock()
	r := &c.r
	if c.counted && r.Requests > 0 {
		l := c.prompt.Lengths()
		r.PromptTokens = &l
	}
	r.OutputTokens, r.BodyBytes, r.Prefix = c.output.Lengths(), c.bytes.Lengths(), c.prefix.summary()
	r.SHA, r.FixedTimes, r.Conversations = sha, fixedTimes && r.Waiting == 0, len(c.conversations)
	return r
}

// openBlock is a block under way.
type openBlock struct {
	from, n     int
	bodies, due hash.Hash
}

// printPrompt keeps the fingerprint of a request.
func (c *Collector) printPrompt(p *load.Planned) {
	sum := sha256.Sum256(p.Body)
	if n := c.r.Requests; n < firstPrints {
		c.r.Prints.Bodies = append(c.r.Prints.Bodies, hex.EncodeToString(sum[:])[:printDigits])
		c.r.Prints.Due = append(c.r.Prints.Due, int64(p.Due))
		return
	}
	if c.block == nil {
		c.block = &openBlock{from: c.r.Requests, bodies: sha256.New(), due: sha256.New()}
	}
	c.block.bodies.Write(sum[:])
	_ = binary.Write(c.block.due, binary.LittleEndian, int64(p.Due)) // a hash takes all
	if c.block.n++; c.block.n == blockSize {
		c.endBlock()
	}
}

func (c *Collector) endBlock() {
	if b := c.block; b != nil {
		digits := func(h hash.Hash) string { return hex.EncodeToString(h.Sum(nil))[:printDigits] }
		c.r.Prints.Blocks = append(c.r.Prints.Blocks, Block{b.from, b.from + b.n, digits(b.bodies), digits(b.due)})
		c.block = nil
	}
}

// due is a time in the words of a person.
func due(ns int64) string { return time.Duration(ns).Round(time.Microsecond).String() }
