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

	"github.com/inferometer/inferometer/internal/judge/metric"
	"github.com/inferometer/inferometer/internal/option"
	"github.com/inferometer/inferometer/internal/plan/keys"
	"github.com/inferometer/inferometer/internal/send/protocol"
)

// Point is one run of bench serve.
type Point struct {
	ID          string            // its folder, from its values: it stays when others are added
	Values      map[string]string // of the matrix, by axis; always the target
	Repeat      int               // from 1
	Load        option.Settings   // of bench serve, without what is known only when it runs
	Eval        option.Settings   // of the questions that follow; nil: none do
	Shown       []string          // both as a person types them, secrets replaced
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
	all := []any{t.BaseURL, t.BaseURLs, t.Balance, t.Command, t.Env, t.Cwd, t.Port, t.count(), t.Devices}
	if len(t.Backends) > 0 {
		all = append(all, t.Backends.key())
	}
	if key := p.scenario.Faults.key(); key != "" {
		all = append(all, key)
	}
	b, err := json.Marshal(all)
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
	for _, b := range p.target.Backends {
		files = append(files, b.commandFiles()...)
	}
	p.files = files
	all := []any{p.server, p.Load.Words(), p.scenario.ResetCache, p.scenario.SLO.String(), files, p.scenario.Search}
	if len(p.Eval) > 0 {
		all = append(all, p.Eval.Words())
	}
	if len(p.scenario.Faults) > 0 {
		all = append(all, p.scenario.Faults.text(p.target))
	}
	if p.scenario.Routers != nil {
		all = append(all, p.scenario.Routers)
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

// load is what bench serve is asked for at a point. Each point of a target has its own
// seed (the file's plus shift), so that no prompt is sent to a server twice and its
// prefix cache has no hits. The same point of another target has the same seed, and
// so the same prompts.
func (p *Point) load(shift int) option.Settings {
	var to option.Settings
	s, w := p.scenario, &p.scenario.Workload
	to.Text("label", p.ID)
	p.api().settings(&to)
	to.Text("dataset-name", w.Dataset)
	to.Text("dataset-path", string(w.Path))
	to = append(to, keys.Workload().Settings(cmp.Or(w.Dataset, "random"), w.Options)...)
	to.Number("num-prompts", p.numPrompts())
	seed := w.Seed
	if !w.SamePrompts {
		seed += shift
	}
	to.Number("seed", &seed)
	if w.IgnoreEOS {
		to.Add("ignore-eos")
	}
	to.Float("temperature", w.Temperature)
	s.Pace.settings(&to)
	if s.Warmup > 0 {
		to.Number("num-warmups", &s.Warmup)
	}
	s.Fleet.settings(&to)
	to.Text("metrics-url", strings.Join(p.target.Metrics, ","))
	to.Text("metrics-map", string(p.target.Map))
	p.reported(&to)
	return slices.Concat(to, option.Settings(s.Flags), option.Settings(p.target.Flags))
}

func (pc *Pace) settings(to *option.Settings) {
	to.Number("max-concurrency", pc.Concurrency)
	to.Float("request-rate", pc.Rate)
	to.Span("duration", pc.Duration)
	*to = append(*to, keys.Pace().Settings("", pc.Options)...)
	to.Span("request-timeout", pc.RequestTimeout)
	to.Span("deadline", pc.Deadline)
}

func (f *Fleet) settings(to *option.Settings) {
	to.Text("fleet", string(f.NATS))
	if f.Agents != 0 {
		to.Number("fleet-agents", &f.Agents)
	}
	for _, key := range slices.Sorted(maps.Keys(f.Labels)) {
		to.Text("fleet-label", key+"="+f.Labels[key])
	}
	to.Span("fleet-wait", f.Wait)
	to.Span("fleet-lease", f.Lease)
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

// reported asks for the latencies and percentiles that tables and SLOs read.
func (p *Point) reported(to *option.Settings) {
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
	to.Text("percentile-metrics", strings.Join(names, ","))
	to.Text("metric-percentiles", strings.Join(words, ","))
}

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

// Planned is what a person asks for, to have the point by itself: the load and the questions that
// follow, if any do. The addresses of servers that are started for the point are not known
// before; target is its name then.
func (p *Point) Planned() (load, eval option.Settings, target string) {
	if p.target.started() {
		return p.Load, p.Eval, p.Values[targetAxis]
	}
	if len(p.Eval) > 0 {
		eval = p.at(p.Eval, p.target.urls())
	}
	return p.at(p.Load, p.checkedURLs()), eval, ""
}

// at completes settings of the point with the addresses of its servers.
func (p *Point) at(settings option.Settings, urls []string) option.Settings {
	if len(urls) == 1 {
		return settings.With("base-url", urls[0])
	}
	settings = settings.With("targets", strings.Join(urls, ","))
	if p.target.Balance != "" {
		settings.Add("balance", p.target.Balance)
	}
	return settings
}
