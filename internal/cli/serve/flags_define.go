package serve

import (
	"slices"

	"github.com/inferometer/inferometer/internal/cli/argv"
	"github.com/inferometer/inferometer/internal/cli/view"
	"github.com/inferometer/inferometer/internal/option"
	"github.com/inferometer/inferometer/internal/outside"
	"github.com/inferometer/inferometer/internal/send/hardware"
	"github.com/inferometer/inferometer/internal/spec"
)

// The flags of a run are the options of its Spec, which describe themselves. What is written
// here by hand is what says something in other words than the Spec, or how a run is shown.

// DetailsHelp is the same for bench serve and report.
const DetailsHelp = "Print all tables after the summary: latencies, intervals, what the server says, the verdict's reasons. The page and the JSON always have them."

// redactors say how values are hidden where a command line is written down, by the names
// that options use.
var redactors = map[string]func(string) string{
	"url": outside.RedactURL, "urls": redactURLs, "json": outside.RedactJSON, "pair": argv.RedactPair, "power": redactPower, "hardware": hardware.Redact,
}

// define declares the flags of the Spec's options that are wanted, but for those that are
// declared already.
func (o *Options) define(set *argv.Set, wanted func(f *option.Field) bool) {
	for _, f := range spec.Fields() {
		if f.Flag != "" && set.Lookup(f.Flag) == nil && wanted(&f) {
			o.Flag(set, f.Flag)
		}
	}
}

// Flag declares the flag of one option of the Spec, by its name.
func (o *Options) Flag(set *argv.Set, name string, opts ...argv.Option) {
	f := spec.Field(name)
	if hide := redactors[f.Redact]; hide != nil {
		opts = append([]argv.Option{argv.Redact(hide)}, opts...)
	}
	switch name {
	case "base-url":
		set.String(&o.BaseURL, name, "", f.Help, append([]argv.Option{argv.CommonGroup(f.Group), argv.Metavar(f.Metavar), argv.Server()}, opts...)...)
		return
	case "header":
		set.KeyValues(&o.Header, name, argv.ZeroOrMore, f.Help, append([]argv.Option{argv.CommonGroup(f.Group)}, opts...)...)
		return
	case "metrics-map", "protocol-file":
		file := map[string]*string{"metrics-map": &o.MetricsMapFile, "protocol-file": &o.ProtocolFile}[name]
		set.String(file, name, "", f.Help, append([]argv.Option{argv.Group(f.Group), argv.Metavar(f.Metavar), argv.WholeName()}, opts...)...)
		return
	case "run-dir":
		if set.Lookup("-o") == nil { // where the command has one of its own, a run's folder is inside
			opts = append(opts, argv.Short('o')) // and no --output: vLLM's --output-len can be cut to that
		}
	case "replica":
		opts = append(opts, argv.Alias("role"))
	case "endpoint":
		opts = append(opts, argv.Complete(argv.Word)) // its metavar says PATH, and means that of a URL
	}
	set.Option(f, func(texts []string) error { return f.SetTexts(&o.Spec, texts) }, opts...)
}

// named says that a flag is one of some.
func named(names ...string) func(f *option.Field) bool {
	return func(f *option.Field) bool { return slices.Contains(names, f.Flag) }
}

// DefineBackend declares by which protocol a server is spoken to.
func DefineBackend(set *argv.Set, o *Options) { o.define(set, named("backend", "protocol-file")) }

// DefineServer declares where the server is, and what it is called.
func DefineServer(set *argv.Set, o *Options) {
	EngineFlags(set)
	g := argv.Group(groupServer)
	o.Flag(set, "base-url")
	set.Bare(spec.LooksLikeAddress, "base-url")
	set.String(&o.Host, "host", "127.0.0.1", "The server's name or address.", g, argv.Metavar("HOST"))
	set.Int(&o.Port, "port", 8000, "The server's port.", g, argv.Common(), argv.Metavar("PORT"))
	o.define(set, func(f *option.Field) bool {
		return f.Group == groupServer && f.Flag != "backend" && f.Flag != "protocol-file"
	})
	set.Bool(&o.TrustRemoteCode, "trust-remote-code", "Accepted and without effect: code from a model's repository is never run here.", g)
}

// beside are what a run does beside its load.
var beside = named("probe-request-rate", "profile")

// DefineLoad declares how many requests are sent, and when.
func DefineLoad(set *argv.Set, o *Options) {
	o.Flag(set, "num-prompts")
	o.definePace(set, groupLoad, "rate", "burstiness")
	o.define(set, func(f *option.Field) bool { return f.Group == groupLoad && !beside(f) })
	o.definePace(set, groupLoad, "ramp_up_strategy", "ramp_up_start_rps", "ramp_up_end_rps")
	set.Bool(&o.DisableTQDM, "disable-tqdm", "Show no progress; the same as --progress none.", argv.Group(groupLoad))
}

// ofServe are options that only bench serve and what is like it have.
var ofServe = named("duration", "unstreamed", "spawn-rate", "summary-file")

// DefineOurs declares what vLLM's client does not have.
func DefineOurs(set *argv.Set, o *Options) {
	o.Flag(set, "duration")
	o.definePace(set, groupOurs, "stages")
	o.definePace(set, groupOurs)
	o.Flag(set, "unstreamed")
	DefineRunning(set, o)
}

// DefineRunning declares what all commands that send a load share: bounds, files, transport and display.
func DefineRunning(set *argv.Set, o *Options) {
	g := argv.Group(groupOurs)
	set.CSV(&o.Targets, "targets", nil, "Several servers, loaded together as one, in place of --base-url.", g,
		argv.Metavar("URL,URL,…"), argv.Redact(redactURLs))
	o.define(set, func(f *option.Field) bool { return f.Group == groupOurs && !ofServe(f) })
	set.Bool(&o.Details, "details", DetailsHelp, g)
	defineAllowRead(set, o, allowReadHelp, g)
	view.Define(set, &o.Progress, g)
	set.Bool(&o.Quiet, "quiet", "Print only the result and errors.", g)
	set.String(&o.CPUProfile, "cpu-profile", "", "Write a profile of this program's own CPU time, for go tool pprof.", g, argv.Metavar("FILE"), argv.Hidden())
}

// DefineRequest declares what stands in each request.
func DefineRequest(set *argv.Set, o *Options) {
	o.define(set, func(f *option.Field) bool { return f.Group == groupRequest })
}

// isPlot says that an option is about the pictures that vLLM's client leaves beside a result.
var isPlot = named("plot-timeline", "timeline-itl-thresholds", "plot-dataset-stats")

// DefineFleet declares by which agents on other machines a run is sent.
func DefineFleet(set *argv.Set, o *Options) {
	o.define(set, func(f *option.Field) bool { return f.Group == groupFleet })
}

// Define declares the flags of bench serve for any command that has them all but --slo, which
// some have in words of their own.
func Define(set *argv.Set, o *Options) {
	DefineBackend(set, o)
	DefineServer(set, o)
	DefineLoad(set, o)
	DefineOurs(set, o)
	defineUsers(set, o)
	defineMultiTurn(set, o)
	o.define(set, beside)
	DefineRequest(set, o)
	DefineDataset(set, o)
	o.define(set, func(f *option.Field) bool { return f.Flag != "slo" })
	set.Config()
	refuseFlags(set)
}

// defineShown declares what bench serve and eval do with a run beside sending it.
func defineShown(set *argv.Set, o *Options) {
	g := argv.Group(groupOurs)
	set.Bool(&o.PrintSpec, "print-spec", "Print the run that the flags ask for as JSON, and send nothing; inferometer exec runs it. Secrets are variables in it.", g, argv.WholeName())
	defineEvents(set, o, g)
	defineRehearsal(set, o)
	o.Upload.Define(set, g)
	defineExport(set, o, g)
	defineFormat(set, o, argv.Group(groupResult))
}
