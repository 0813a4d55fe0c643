package find

import (
	"context"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/inferometer/inferometer/internal/bench"
	"github.com/inferometer/inferometer/internal/cli/argv"
	"github.com/inferometer/inferometer/internal/cli/serve"
	"github.com/inferometer/inferometer/internal/cli/view"
	"github.com/inferometer/inferometer/internal/judge/metric"
	"github.com/inferometer/inferometer/internal/judge/slo"
	"github.com/inferometer/inferometer/internal/option"
	"github.com/inferometer/inferometer/internal/plan/find"
	"github.com/inferometer/inferometer/internal/send/live"
	"github.com/inferometer/inferometer/internal/send/load"
)

// options are the flags of find; serve are those of bench serve, which its
// probes get.
type options struct {
	find.Options
	slo, mapped, out string
	format           string
	serve            *serve.Options
	screen           *view.Screen  // nil: there is none
	live             *live.Feed    // of the probes; nil: nobody is told
	control          *load.Control // pauses them; may be nil
	instead          instead
	mapKey           string
	mapValues        []string
}

// instead runs what the commands of this package choose to run, in their tests: see bench.Child.
type instead func(ctx context.Context, drain <-chan struct{}, c *bench.Child) (*bench.Outcome, error)

const groupFind = "Search"

// Flags are the flags of find.
func Flags() (*argv.Set, *options) {
	set := argv.New("inferometer find",
		"Find the highest rate or concurrency at which an SLO holds. Each probe is a short run of bench serve, placed where it tells most; a long run confirms the answer. "+
			"The flags of bench serve say what is sent and where.")
	set.Example("The highest rate of 1,024-token prompts within an SLO",
		`inferometer find --base-url http://gpu-box:8000 --slo "p99_ttft<=500ms and p99_itl<=60ms and failed<0.1%" --random-input-len 1024 --random-output-len 128`)
	set.Example("The highest concurrency, looked for between 8 and 512",
		`inferometer find --vary concurrency --from 8 --to 512 --slo "p95_tpot<=40ms"`)
	set.Example("How many agents at a time, so that 19 of 20 jobs end within ten minutes",
		`inferometer find --vary conversations --dataset-name trace --dataset-path traces.jsonl --slo "p95_job<=10min" --probe 20m --confirm 1h --max-time 12h`)
	set.Example("A capacity map: how it falls with the length of the prompt",
		`inferometer find --slo "p99_ttft<=1s" --map input-len=128,512,2048`)
	o := &options{}
	g := argv.CommonGroup(groupFind)
	set.String(&o.slo, "slo", "", `What must hold, as in "p99_ttft<=500ms and failed<0.1%"; docs/conditions.md has the grammar.`, g, argv.Metavar("SLO"))
	set.Choice(&o.Vary, "vary", find.Rate, find.VaryNames(), "What is raised: requests a second, requests at a time, or conversations at a time.", g)
	set.OptFloat(&o.From, "from", "The first load to try, and the lowest.", g, argv.Metavar("X"), argv.Shown("1, and lower if needed"))
	set.OptFloat(&o.To, "to", "The highest load to try.", g, argv.Metavar("X"), argv.Shown("no bound"))
	o.Tolerance = 0.05
	set.Custom("tolerance", "5%", "How precise the answer must be: half of its 95 % interval.", o.setTolerance, g, argv.Metavar("SHARE"))
	set.Duration(&o.MaxTime, "max-time", 20*time.Minute, "End the search after this long, with what is known then.", g)
	set.Duration(&o.Probe, "probe", 10*time.Second, "How long the first probes are; close to the edge they are longer.", g)
	set.Duration(&o.Confirm, "confirm", time.Minute, "How long the run is that confirms the answer.", g)
	set.Duration(&o.Cooldown, "cooldown", time.Second, "The pause between probes where the server does not report when it is idle.", g)
	set.String(&o.mapped, "map", "", "Search once for each value of a flag of bench serve, as in input-len=128,512,2048.", g, argv.Metavar("FLAG=V,V,…"))
	set.String(&o.out, "output", "results/find", "Folder for the probes and the answer. A search that was interrupted goes on from it.", g, argv.Output(), argv.Metavar("DIR"))
	set.Bool(&o.Fresh, "fresh", "Forget the probes of an earlier search in the folder.", g)
	set.Bool(&o.AnyVerdict, "any-verdict", "Also count probes whose verdict is INVALID, or that something on this machine disturbed.", g, argv.WholeName())
	set.Choice(&o.format, "format", "table", []string{"table", "json"}, "What to print.", argv.Group(groupFind), argv.WholeName())
	o.serve = serve.NewOptions()
	serve.DefineBackend(set, o.serve)
	serve.DefineServer(set, o.serve)
	serve.DefineLoad(set, o.serve)
	serve.DefineOurs(set, o.serve)
	serve.DefineRequest(set, o.serve)
	serve.DefineDataset(set, o.serve)
	serve.DefineFleet(set, o.serve)
	set.Seldom(slices.Collect(maps.Keys(Own()))...)
	set.Seldom("port", "endpoint", "header", "extra-body", "ignore-eos", "seed", "num-warmups")
	return set, o
}

func (o *options) setTolerance(text string) error {
	number, percent := strings.CutSuffix(strings.TrimSpace(text), "%")
	v, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
	if percent {
		v /= 100
	}
	if err != nil || !(v >= 0.005 && v <= 0.5) {
		return argv.Errorf("", "must be a share from 0.5%% to 50%%, not %q", text)
	}
	o.Tolerance = v
	return nil
}

// Own are the flags of bench serve that are the search's own business, and why.
func Own() map[string]string {
	own := map[string]string{}
	for why, names := range map[string][]string{
		"a probe is as long as the search wants it; --probe and --confirm set the lengths": {"num-prompts", "duration", "deadline", "until", "give-up"},
		"an edge can be found only while the load stays the same":                          {"ramp-up-strategy", "ramp-up-start-rps", "ramp-up-end-rps", "stages", "ramp-rate", "ramp-duration"},
		"the search has its own progress and result; --output names the folder":            {"disable-tqdm", "quiet", "details", "strict", "run-dir", "keep-runs", "cpu-profile"},
	} {
		for _, name := range names {
			own[name] = why
		}
	}
	return own
}

func (o *options) validate(set *argv.Set) error {
	if o.slo == "" {
		return argv.Errorf("slo", "is needed").WithHint(`as in --slo "p99_ttft<=500ms and failed<0.1%%"`)
	}
	var err error
	if o.SLO, err = slo.Parse(o.slo); err != nil {
		return argv.Errorf("slo", "%v", err)
	}
	for name, why := range Own() {
		if set.Seen(name) {
			return argv.Errorf(name, "is not for find: %s", why)
		}
	}
	if set.Seen(o.Flag()) {
		return argv.Errorf(o.Flag(), "is what the search varies").WithHint("bound it with --from and --to")
	}
	if o.Vary != find.Rate && set.Seen("request-rate") {
		return argv.Errorf("request-rate", "can't be used with --vary %s: a closed loop has no rate of its own", o.Vary)
	}
	if err := o.checkRange(); err != nil {
		return err
	}
	if err := o.checkMap(set); err != nil {
		return err
	}
	_, _, err = serve.SpecOf(o.probes(o.workload(set, o.values()[0])))
	return err
}

func (o *options) checkRange() error {
	switch {
	case o.From != nil && !(*o.From > 0), o.From != nil && o.Vary != find.Rate && *o.From < 1:
		return argv.Errorf("from", "must be above 0, and at least 1 where it is no rate, not %g", *o.From)
	case o.To != nil && *o.To < o.Start():
		return argv.Errorf("to", "must not be below --from, %g, and is %g", o.Start(), *o.To)
	case o.Probe <= 0 || o.Confirm < o.Probe:
		return argv.Errorf("confirm", "must be at least as long as --probe, %v, and is %v", o.Probe, o.Confirm)
	case o.MaxTime < o.Confirm:
		return argv.Errorf("max-time", "must be at least as long as --confirm, %v, and is %v", o.Confirm, o.MaxTime)
	}
	return nil
}

// checkMap reads --map; the values are checked as bench serve would.
func (o *options) checkMap(set *argv.Set) error {
	if o.mapped == "" {
		return nil
	}
	key, values, ok := strings.Cut(o.mapped, "=")
	key = strings.TrimPrefix(strings.TrimSpace(key), "--")
	o.mapKey, o.mapValues = key, strings.Split(values, ",")
	if f := set.Lookup(key); !ok || f == nil || f.Group == groupFind {
		return argv.Errorf("map", "needs a flag of bench serve and its values, as in input-len=128,512,2048, not %q", o.mapped)
	}
	for _, v := range o.mapValues {
		if _, _, err := serve.SpecOf(option.Settings{{Flag: key, Values: []string{v}}}); err != nil {
			return argv.Errorf("map", "%v", err)
		}
	}
	return nil
}

// values are those of the mapped flag, or one that is none.
func (o *options) values() []string {
	if len(o.mapValues) == 0 {
		return []string{""}
	}
	return o.mapValues
}

// workload is what the user gave for bench serve, at a value of the mapped flag.
func (o *options) workload(set *argv.Set, value string) option.Settings {
	given := set.Given().Without(func(flag string) bool { return flag == "progress" || ofFind(set, flag) })
	if value != "" {
		given = given.With(o.mapKey, value)
	}
	return given
}

// probes is what bench serve is asked for by all probes; workload is what the user
// gave. Of a flag given twice the last one counts. The load, its length, the seed and the
// folder are set anew for each probe.
func (o *options) probes(workload option.Settings) option.Settings {
	to := slices.Clone(workload)
	to.Add(o.Flag(), strconv.FormatFloat(o.Start(), 'f', -1, 64))
	to.Span("duration", o.Probe)
	to.Add("give-up", o.SLO.String())
	to.Add("run-dir", ".")
	names := metric.AlwaysNames()
	for _, name := range o.SLO.Latencies() {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	percentiles := []string{"50", "90", "99"}
	for _, p := range o.SLO.Percentiles() {
		if word := strconv.FormatFloat(p, 'f', -1, 64); !slices.Contains(percentiles, word) {
			percentiles = append(percentiles, word)
		}
	}
	to.Add("percentile-metrics", strings.Join(names, ","))
	to.Add("metric-percentiles", strings.Join(percentiles, ","))
	if limits := o.goodput(); len(limits) > 0 {
		to.Add("goodput", limits...)
	}
	return to
}

// ofFind says that a flag is one of the search's own.
func ofFind(set *argv.Set, flag string) bool {
	f := set.Lookup(flag)
	return f != nil && f.Group == groupFind
}

// goodput turns the SLO's limits of latencies into those of single requests: a
// request is good that keeps them all.
func (o *options) goodput() (limits []string) {
	for _, c := range o.SLO {
		if limit, ok := c.OfEach(); ok {
			limits = append(limits, limit)
		}
	}
	return limits
}
