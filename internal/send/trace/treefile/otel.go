package treefile

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/inferometer/inferometer/internal/outside"
	"github.com/inferometer/inferometer/internal/send/trace/tree"
)

var otel = &Format{
	Name: "otel", Doc: "OpenTelemetry's GenAI spans (JSON: lists of spans, one span a line, or OTLP): requests with their texts; times are dates or nanoseconds.", Timed: true,
	looks: func(head []byte) bool {
		return hasKeys(head, "spans") && (hasKeys(head, "span_id") || hasKeys(head, "spanId")) || hasKeys(head, "resourceSpans") ||
			hasKeys(head, "trace_id", "span_id", "attributes")
	},
	group: func() grouper { return &otelTraces{found: map[string]int{}} },
	build: buildOTel,
}

// maxSpans bounds the requests of a tree: who waits for whom is found among all pairs.
const maxSpans = 10_000

// otelTraces groups spans by their trace. A list of spans is a tree as it is.
type otelTraces struct {
	found map[string]int
	all   []group
	first time.Time // of all requests
}

func (g *otelTraces) zero() time.Time { return g.first }

func (g *otelTraces) add(n int, value []byte) error {
	var v otelValue
	if err := json.Unmarshal(value, &v); err != nil {
		return err
	}
	for _, s := range v.all() {
		if from, _, err := s.times(); err == nil && s.isRequest() && (g.first.IsZero() || from.Before(g.first)) {
			g.first = from
		}
	}
	if v.Spans != nil {
		g.all = append(g.all, group{values: []int{n}})
		return nil
	}
	for _, s := range v.all() {
		i, known := g.found[s.trace()]
		if !known {
			i = len(g.all)
			g.found[s.trace()] = i
			g.all = append(g.all, group{key: s.trace()})
		}
		if values := g.all[i].values; len(values) == 0 || values[len(values)-1] != n {
			g.all[i].values = append(values, n)
		}
	}
	return nil
}

// groups are the traces with a request among their spans. Those of tools alone can't be told here, and fail
// when they are built: a trace without requests is not one of an agent.
func (g *otelTraces) groups() ([]group, error) { return g.all, nil }

// call is a request of a trace.
type call struct {
	*otelSpan
	from, to  time.Time
	input     []json.RawMessage
	answer    json.RawMessage
	output    string   // the answer, for comparing
	tools     []string // ids of the calls in it
	whole     string   // the input with the answer, for comparing
	prefixes  []string // of the input
	ancestors []uint64 // set of calls
}

func buildOTel(m material) (*tree.Tree, error) {
	var spans []*otelSpan
	id := m.key
	for _, raw := range m.values {
		var v otelValue
		if err := json.Unmarshal(raw, &v); err != nil {
			return nil, err
		}
		for _, s := range v.all() {
			if m.key == "" || s.trace() == m.key {
				spans = append(spans, s)
			}
		}
		if id == "" {
			id = v.TraceID
		}
	}
	if id == "" && len(spans) > 0 {
		id = spans[0].trace()
	}
	calls, err := callsOf(spans)
	if err != nil {
		return nil, err
	}
	t := &tree.Tree{ID: outside.Word(id)}
	if !m.zero.IsZero() {
		t.At = calls[0].from.Sub(m.zero)
	}
	agents := newAgents(spans)
	for i := range calls {
		u := calls[i].turn(calls[0].from)
		u.Branch = agents.of(calls[i].otelSpan)
		u.Parents = parents(calls, i)
		u.Own = calls[i].input
		for k, p := range u.Parents {
			if p.History == tree.Full {
				from := &calls[p.Turn]
				u.Own = calls[i].input[len(from.input)+1:]
				u.Parents[k].History = tree.Full
			}
		}
		t.Turns = append(t.Turns, u)
	}
	pauses(t)
	chain(t, agents.list)
	return t, nil
}

// callsOf are the requests that had an answer, in the order of their starts.
func callsOf(spans []*otelSpan) ([]call, error) {
	var calls []call
	for _, s := range spans {
		if !s.isRequest() {
			continue
		}
		c := call{otelSpan: s}
		var err error
		if c.from, c.to, err = s.times(); err != nil {
			return nil, err
		}
		if c.input, err = s.input(); err != nil {
			return nil, fmt.Errorf("span %q: %w", outside.Word(s.name()), err)
		}
		if c.answer, err = s.answer(); err != nil {
			return nil, fmt.Errorf("span %q: %w", outside.Word(s.name()), err)
		}
		calls = append(calls, c)
	}
	if len(calls) == 0 || len(calls) > maxSpans {
		return nil, fmt.Errorf("it has %d spans of requests (gen_ai.operation.name: chat) with their input messages, and must have 1 to %d", len(calls), maxSpans)
	}
	slices.SortStableFunc(calls, func(a, b call) int {
		if c := a.from.Compare(b.from); c != 0 {
			return c
		}
		return a.to.Compare(b.to)
	})
	for i := range calls {
		calls[i].digest()
	}
	return calls, nil
}

// digest makes what is compared with other calls.
func (c *call) digest() {
	text := ""
	for _, m := range c.input {
		text = hash(text, m)
		c.prefixes = append(c.prefixes, text)
	}
	if c.answer != nil {
		c.output = hash("", c.answer)
		c.whole = hash(text, c.answer)
		c.tools = toolCalls(c.answer)
	}
}

// parents are the calls that one waits for: those whose answers are in its prompt, and the one that ended last
// before it, as not each answer is found again. What these wait for themselves is left out.
func parents(calls []call, i int) (list []tree.Parent) {
	c := &calls[i]
	c.ancestors = make([]uint64, i/64+1)
	said, called := map[string]bool{}, map[string]bool{}
	for _, m := range c.input {
		said[hash("", m)] = true
		for _, id := range toolCalls(m) {
			called[id] = true
		}
	}
	var causes []int
	latest := -1
	for k := range i {
		if calls[k].to.After(c.from) {
			continue
		}
		if calls[k].answer != nil && (said[calls[k].output] || all(calls[k].tools, called)) {
			causes = append(causes, k)
		}
		if latest < 0 || !calls[k].to.Before(calls[latest].to) {
			latest = k
		}
	}
	full := c.continues(calls, causes)
	if latest >= 0 && !slices.Contains(causes, latest) {
		causes = append(causes, latest)
		slices.Sort(causes)
	}
	for _, k := range slices.Backward(causes) {
		if k != full && c.ancestors[k/64]&(1<<(k%64)) != 0 {
			continue
		}
		p := tree.Parent{Turn: k}
		if k == full {
			p.History = tree.Full
		}
		list = append(list, p)
		c.ancestors[k/64] |= 1 << (k % 64)
		for w, bits := range calls[k].ancestors {
			c.ancestors[w] |= bits
		}
	}
	slices.Reverse(list)
	return list
}

// continues is the call whose whole prompt and answer the prompt begins with, the longest of them; -1: there
// is none.
func (c *call) continues(calls []call, causes []int) int {
	found, length := -1, 0
	for _, k := range causes {
		n := len(calls[k].input) + 1
		if n <= len(c.input) && n >= length && calls[k].whole == c.prefixes[n-1] {
			found, length = k, n
		}
	}
	return found
}

// all says that each of some ids is in a set; of none it says no.
func all(ids []string, in map[string]bool) bool {
	return len(ids) > 0 && !slices.ContainsFunc(ids, func(id string) bool { return !in[id] })
}

// turn is a call without its parents.
func (c *call) turn(zero time.Time) tree.Turn {
	u := tree.Turn{
		Name: outside.Word(c.name()), At: c.from.Sub(zero), Took: c.to.Sub(c.from), Model: outside.Word(c.text("gen_ai.request.model")), Answer: c.answer,
		Input:  c.count("gen_ai.usage.input_tokens", "gen_ai.usage.prompt_tokens"),
		Output: c.count("gen_ai.usage.output_tokens", "gen_ai.usage.completion_tokens"),
	}
	for _, name := range []string{"max_tokens", "temperature", "top_p", "top_k", "frequency_penalty", "presence_penalty"} {
		if raw := c.Attributes["gen_ai.request."+name]; isNumber(raw) {
			u.Fields = field(u.Fields, name, raw)
		}
	}
	u.Fields = field(u.Fields, "tools", c.definitions())
	return u
}

// agents finds the agent of a span: the nearest span above it that is one's work.
type agents struct {
	spans map[string]*otelSpan
	found map[string]int // by the id of that span; the empty one is nobody's
	list  []tree.Branch
}

func newAgents(spans []*otelSpan) *agents {
	a := &agents{spans: map[string]*otelSpan{}, found: map[string]int{"": 0}, list: []tree.Branch{{Name: tree.Root, Kind: tree.Subagent}}}
	for _, s := range spans {
		a.spans[s.id()] = s
	}
	return a
}

func (a *agents) of(s *otelSpan) int {
	for range 1000 { // spans may name each other as parents
		if s = a.spans[s.parent()]; s == nil {
			return 0
		}
		if s.text("gen_ai.operation.name") == "invoke_agent" || s.text("gen_ai.operation.name") == "create_agent" {
			break
		}
	}
	i, known := a.found[s.id()]
	if !known {
		i = len(a.list)
		a.found[s.id()] = i
		name := s.text("gen_ai.agent.name")
		if name == "" {
			name = strings.TrimPrefix(s.Name, "invoke_agent ")
		}
		kind := outside.Word(name)
		if kind == "" {
			kind = tree.Subagent
		}
		a.list = append(a.list, tree.Branch{Name: outside.Word(s.id()), Kind: kind})
	}
	return i
}
