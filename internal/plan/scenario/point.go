package scenario

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/inferometer/inferometer/internal/judge/metric"
	"github.com/inferometer/inferometer/internal/plan/keys"
	"github.com/inferometer/inferometer/internal/send/protocol"
)

// Point is one run of bench serve.
type Point struct {
	ID          string            // its folder, from its values: it stays when others are added
	Values      map[string]string // of the matrix, by axis; always the target
	Repeat      int               // from 1
	Args        []string          // of bench serve, without what is known only when it runs
	EvalArgs    []string          // of the questions that follow; nil: none do
	Shown       []string          // both, secrets replaced
	Selected    bool              // to be run if it has no result
	Fingerprint string            // of all that its result depends on

	target   *Target
	scenario *Scenario // the file with the values of this point
	server   string    // what must run for it: equal texts are the same servers
	files    []string  // that its result depends on, each with its size and date
	place    int       // in the matrix
	number   int       // in the matrix without targets: equal numbers are to be compared
}

// Target is the name of the point's target.
func (p *Point) Target() string { return p.Values[targetAxis] }

// Servers is how many stand behind the point's target.
func (p *Point) Servers() int { return p.target.count() }

// Concurrency is the point's limit of requests in flight; 0: none.
func (p *Point) Concurrency() int {
	if c := p.scenario.Pace.Concurrency; c != nil {
		return *c
	}
	return 0
}

// repeatSuffix ends the ID of a repeat.
func repeatSuffix(repeat int) string { return fmt.Sprintf("_r%d", repeat) }

// serverKey is everything that distinguishes one server from another.
func (p *Point) serverKey() string {
	t := p.target
	b, err := json.Marshal([]any{t.BaseURL, t.BaseURLs, t.Balance, t.Command, t.Env, t.Cwd, t.Port, t.count(), t.Devices})
	if err != nil {
		panic(err) // texts and numbers alone
	}
	return p.Target() + " " + string(b)
}

// fingerprint changes with everything that the result depends on. Files are
// represented by their size and modification time.
func (p *Point) fingerprint() string {
	var files []string
	for _, name := range append(p.evalFiles(), string(p.scenario.Workload.Path), p.api().Tokenizer) {
		if info, err := os.Stat(name); name != "" && err == nil {
			files = append(files, fmt.Sprintf("%s %d %d", name, info.Size(), info.ModTime().UnixNano()))
		}
	}
	files = append(files, p.target.commandFiles()...)
	p.files = files
	all := []any{p.server, p.Args, p.scenario.ResetCache, p.scenario.SLO.String(), files, p.scenario.Search}
	if len(p.EvalArgs) > 0 {
		all = append(all, p.EvalArgs)
	}
	b, err := json.Marshal(all)
	if err != nil {
		panic(err) // texts and numbers alone
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// api is how the point's server is spoken to.
func (p *Point) api() API {
	t, w := p.target.API, p.scenario.Workload.API
	return API{
		Backend: cmp.Or(t.Backend, w.Backend, "openai"), Endpoint: cmp.Or(t.Endpoint, w.Endpoint),
		Model: cmp.Or(t.Model, w.Model), Served: cmp.Or(t.Served, w.Served), Tokenizer: cmp.Or(t.Tokenizer, w.Tokenizer),
	}
}

// endpoint is the path of the point's API.
func (a API) endpoint() string {
	usual := ""
	if p, err := protocol.FindBackend(a.Backend); err == nil {
		usual = p.Path()
	}
	return cmp.Or(a.Endpoint, usual)
}

// argList collects flags; what is not given is left to bench serve.
type argList []string

func (a *argList) text(flag, value string) {
	switch {
	case value == "":
	case value[0] == '-': // or it would be taken for a flag
		*a = append(*a, "--"+flag+"="+value)
	default:
		*a = append(*a, "--"+flag, value)
	}
}

func (a *argList) number(flag string, value *int) {
	if value != nil {
		*a = append(*a, "--"+flag, strconv.Itoa(*value))
	}
}

func (a *argList) float(flag string, value *float64) {
	if value != nil {
		*a = append(*a, "--"+flag, strings.TrimPrefix(strconv.FormatFloat(*value, 'g', -1, 64), "+"))
	}
}

func (a *argList) span(flag string, value time.Duration) {
	if value > 0 {
		*a = append(*a, "--"+flag, value.String())
	}
}

func (a *argList) on(flag string, value bool) {
	if value {
		*a = append(*a, "--"+flag)
	}
}

// args are the flags of bench serve for a point. Each point of a target has its own
// seed (the file's plus shift), so that no prompt is sent to a server twice and its
// prefix cache has no hits. The same point of another target has the same seed, and
// so the same prompts.
func (p *Point) args(shift int) []string {
	var a argList
	s, w, api := p.scenario, &p.scenario.Workload, p.api()
	a.text("label", p.ID)
	api.flags(&a)
	w.flags(&a)
	a.number("num-prompts", p.numPrompts())
	seed := w.Seed
	if !w.SamePrompts {
		seed += shift
	}
	a.number("seed", &seed)
	a.on("ignore-eos", w.IgnoreEOS)
	a.float("temperature", w.Temperature)
	s.Pace.flags(&a)
	if s.Warmup > 0 {
		a.number("num-warmups", &s.Warmup)
	}
	s.Fleet.flags(&a)
	a.text("metrics-url", strings.Join(p.target.Metrics, ","))
	a.text("metrics-map", string(p.target.Map))
	latencies, percentiles := p.reported()
	a.text("percentile-metrics", latencies)
	a.text("metric-percentiles", percentiles)
	a = append(a, s.Flags.args()...)
	return append(a, p.target.Flags.args()...) // of a flag given twice the last one counts
}

func (w *Workload) flags(a *argList) {
	a.text("dataset-name", w.Dataset)
	a.text("dataset-path", string(w.Path))
	*a = append(*a, keys.Workload().Args(cmp.Or(w.Dataset, "random"), w.Options)...)
}

func (pc *Pace) flags(a *argList) {
	a.number("max-concurrency", pc.Concurrency)
	a.float("request-rate", pc.Rate)
	a.span("duration", pc.Duration)
	*a = append(*a, keys.Pace().Args("", pc.Options)...)
	a.span("request-timeout", pc.RequestTimeout)
	a.span("deadline", pc.Deadline)
}

func (f *Fleet) flags(a *argList) {
	a.text("fleet", string(f.NATS))
	if f.Agents != 0 {
		a.number("fleet-agents", &f.Agents)
	}
	for _, key := range slices.Sorted(maps.Keys(f.Labels)) {
		a.text("fleet-label", key+"="+f.Labels[key])
	}
	a.span("fleet-wait", f.Wait)
	a.span("fleet-lease", f.Lease)
}

// numPrompts is the number of requests, if the file sets it. If both keys are set, the
// larger number counts, so that a point of low concurrency has enough requests for a
// percentile, too.
func (p *Point) numPrompts() *int {
	w := &p.scenario.Workload
	if w.PromptsPerSlot == nil || p.Concurrency() == 0 {
		return w.NumPrompts
	}
	n := *w.PromptsPerSlot * p.Concurrency()
	if w.NumPrompts != nil {
		n = max(n, *w.NumPrompts)
	}
	return &n
}

// reported are the latencies and percentiles that tables and SLOs read.
func (p *Point) reported() (latencies, percentiles string) {
	names := metric.AlwaysNames()
	shown, asked := p.scenario.Columns.statistics()
	for _, name := range append(p.scenario.SLO.Latencies(), shown...) {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	ps := slices.Concat([]float64{50, 90, 95, 99}, p.scenario.SLO.Percentiles(), asked)
	slices.Sort(ps)
	var words []string
	for _, q := range slices.Compact(ps) {
		words = append(words, strconv.FormatFloat(q, 'f', -1, 64))
	}
	return strings.Join(names, ","), strings.Join(words, ",")
}

// checkedArgs are the complete arguments, with placeholders for the addresses of
// servers that are not started yet.
func (p *Point) checkedArgs() []string { return p.argsFor(p.checkedURLs()) }

// checkedURLs are the servers' addresses, or placeholders.
func (p *Point) checkedURLs() []string {
	urls := p.target.BaseURLs
	if p.target.BaseURL != "" {
		urls = []string{p.target.BaseURL}
	}
	for i := len(urls); i < p.target.count(); i++ {
		urls = append(urls[:len(urls):len(urls)], "http://127.0.0.1:"+strconv.Itoa(1+i))
	}
	return urls
}

// Planned are the arguments with the servers' addresses. Those of servers that are
// started for the point are not known before; target is its name then.
func (p *Point) Planned() (args []string, target string) {
	if p.target.started() {
		return slices.Clone(p.Args), p.Values[targetAxis]
	}
	return p.checkedArgs(), ""
}

// argsFor completes the arguments with the addresses of the servers.
func (p *Point) argsFor(urls []string) []string { return p.with(p.Args, urls) }

// with completes arguments of the point.
func (p *Point) with(args, urls []string) []string {
	args = slices.Clone(args)
	if len(urls) == 1 {
		return append(args, "--base-url", urls[0])
	}
	args = append(args, "--targets", strings.Join(urls, ","))
	if p.target.Balance != "" {
		args = append(args, "--balance", p.target.Balance)
	}
	return args
}
