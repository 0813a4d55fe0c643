package serve

import (
	"math"
	"strconv"

	"github.com/inferometer/inferometer/internal/cli/argv"
	"github.com/inferometer/inferometer/internal/compat/pyjson"
	"github.com/inferometer/inferometer/internal/option"
)

// defineUsers declares the load in the words of fw-ai/benchmark (load_test.py).
func defineUsers(set *argv.Set, o *Options) {
	g := argv.Group(groupOurs)
	set.OptInt(&o.Users, "users", "A closed loop of so many users: --max-concurrency in the words of fw-ai/benchmark.", g,
		argv.WholeName()) // --use is vLLM's --use-beam-search
	o.Flag(set, "spawn-rate")
	set.OptFloat(&o.QPS, "qps", "Requests a second, evenly: --request-rate in the words of fw-ai/benchmark.", g, argv.Metavar("RATE"))
	set.Choice(&o.QPSSpacing, "qps-distribution", "constant", []string{"constant", "exponential"}, "How the requests of --qps are spaced.", g,
		argv.Later("is not drawn by this version; use constant or exponential", "uniform"))
	o.Flag(set, "summary-file")
}

// defineMultiTurn declares conversations in the words of vllm-bench.
func defineMultiTurn(set *argv.Set, o *Options) {
	g := argv.Group(groupOurs)
	set.Bool(&o.MultiTurn, "multi-turn", "Conversations, in the words of vllm-bench: --dataset-name random is then multi-turn, and sharegpt conversations.", g, argv.WholeName())
	set.OptInt(&o.TurnConcurrency, "multi-turn-concurrency", "Maximum number of conversation requests in flight: --max-concurrency in the words of vllm-bench.", g, argv.WholeName())
	set.OptInt(&o.TurnDelayMS, "multi-turn-delay-ms", "Milliseconds from an answer to the next turn: --think-time in the words of vllm-bench.", g, argv.WholeName(), argv.Metavar("MS"))
}

// resolveMultiTurn says the same in the words of the other flags.
func (o *Options) resolveMultiTurn(set *argv.Set) error {
	if o.MultiTurn {
		switch o.DatasetName {
		case "random":
			o.DatasetName = "multi-turn"
		case "sharegpt":
			o.DatasetName = "conversations"
		case "multi-turn", "conversations":
		default:
			return argv.Errorf("multi-turn", "goes with --dataset-name random or sharegpt, not %s", o.DatasetName)
		}
	}
	switch {
	case o.TurnConcurrency != nil && set.Seen("max-concurrency"):
		return argv.Errorf("multi-turn-concurrency", "can't be used together with --max-concurrency: they are the same")
	case o.TurnConcurrency != nil && *o.TurnConcurrency < 1:
		return argv.Errorf("multi-turn-concurrency", "must be at least 1, not %d", *o.TurnConcurrency)
	case o.TurnDelayMS != nil && set.Seen("think-time"):
		return argv.Errorf("multi-turn-delay-ms", "can't be used together with --think-time: they are the same")
	case o.TurnDelayMS != nil && *o.TurnDelayMS < 0:
		return argv.Errorf("multi-turn-delay-ms", "must be 0 or more, not %d", *o.TurnDelayMS)
	}
	if o.TurnConcurrency != nil {
		o.MaxConcurrency = o.TurnConcurrency
	}
	if o.TurnDelayMS != nil {
		return o.setDatasets("think-time", strconv.Itoa(*o.TurnDelayMS)+"ms")
	}
	return nil
}

// sayPace gives an option of the pace a number.
func (o *Options) sayPace(key string, v float64) {
	if err := o.draft.Set(key, option.FormatFloat(v)); err != nil {
		panic(err) // it takes numbers
	}
}

// resolveUsers says the same in the words of the other flags.
func (o *Options) resolveUsers() {
	if o.Users != nil && o.MaxConcurrency == nil {
		o.MaxConcurrency = o.Users
	}
	if o.QPS != nil {
		o.SummaryLoad = "QPS " + pyjson.Float(*o.QPS) + " " + o.QPSSpacing
	}
	if o.QPS != nil && !o.draft.Given("rate") {
		o.sayPace("rate", *o.QPS)
		if o.QPSSpacing == "constant" {
			o.sayPace("burstiness", math.Inf(1))
		}
	}
}

func (o *Options) checkUsers(set *argv.Set) error {
	switch {
	case o.Users != nil && set.Seen("max-concurrency"):
		return argv.Errorf("users", "can't be used together with --max-concurrency: they are the same")
	case o.Users != nil && *o.Users < 1:
		return argv.Errorf("users", "must be at least 1, not %d", *o.Users)
	case o.QPS != nil && (set.Seen("request-rate") || set.Seen("burstiness")):
		return argv.Errorf("qps", "can't be used together with --request-rate or --burstiness: both say when requests are sent")
	case o.QPS != nil && !(*o.QPS > 0 && !math.IsInf(*o.QPS, 1)):
		return argv.Errorf("qps", "must be above 0 and finite, not %g", *o.QPS)
	case o.QPS == nil && set.Seen("qps-distribution"):
		return argv.Errorf("qps-distribution", "needs --qps")
	case set.Seen("spawn-rate") && o.Users == nil:
		return argv.Errorf("spawn-rate", "needs --users")
	case set.Seen("spawn-rate") && !(o.SpawnRate > 0):
		return argv.Errorf("spawn-rate", "must be above 0, not %g", o.SpawnRate)
	}
	if math.IsInf(o.SpawnRate, 1) {
		o.SpawnRate = 0 // all at once, in the Spec's words
	}
	return nil
}

// noStream is vLLM's flag for how a set of Hugging Face's is read. With any other dataset
// vLLM does nothing about it, and here it asks for answers that are not streamed.
const noStream = "no-stream"

// resolveNoStream takes --no-stream for --unstreamed where it can mean nothing else.
func (o *Options) resolveNoStream(set *argv.Set) {
	if o.noStreamIsUnstreamed(set) {
		o.Unstreamed = true
	}
}

func (o *Options) noStreamIsUnstreamed(set *argv.Set) bool {
	return set.Lookup("unstreamed") != nil && set.Seen(noStream) && o.DatasetName != "hf" && o.Compat == ""
}
