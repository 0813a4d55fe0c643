// Package multiturn is bench multi-turn: vLLM's stand-alone multi-turn script in its own
// flags. It says the same in the words of bench serve, which does the work.
package multiturn

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/inferometer/inferometer/internal/cli/argv"
	"github.com/inferometer/inferometer/internal/cli/command"
	"github.com/inferometer/inferometer/internal/cli/serve"
	"github.com/inferometer/inferometer/internal/option"
	"github.com/inferometer/inferometer/internal/spec"
)

// options are the script's flags.
type options struct {
	input, output, model, served, url, key, sampling, percentages string
	headers                                                       []string
	seed, clients, active, requests, maxTurns                     int
	minTokens, maxTokens, retries, timeout                        int
	rate                                                          float64
	noEarlyStop, sendID, verbose, trust                           bool
}

func flags() (*argv.Set, *options) {
	set := argv.New("inferometer bench multi-turn",
		"Conversations in the flags of vLLM's benchmark_serving_multi_turn.py. The run is one of bench serve, whose command line is printed first; "+
			"flags of bench serve may follow after --.")
	set.Example("The script's own example", "inferometer bench multi-turn -i generate_multi_turn.json -m meta-llama/Llama-3.1-8B-Instruct -p 2 -k 6")
	set.Example("Conversations of a file, with the result kept", "inferometer bench multi-turn -i chats.json -m qwen --max-turns 8 -- --save-result")
	o := &options{}
	g := argv.Group("The script's flags")
	set.String(&o.input, "input-file", "", "JSON: an array of conversations, or a generator's config.", g, argv.Short('i'), argv.Metavar("FILE"))
	set.String(&o.output, "output-file", "", "Write complete conversations with the server's answers.", g, argv.Output(), argv.Metavar("FILE"))
	set.String(&o.model, "model", "", "The model's name, and where its tokenizer is looked for.", g, argv.Short('m'), argv.Metavar("NAME"))
	set.String(&o.served, "served-model-name", "", "The name to send as model, where it differs.", g, argv.Metavar("NAME"))
	set.String(&o.url, "url", "http://localhost:8000", "The server.", g, argv.Short('u'), argv.Metavar("URL"), argv.Server())
	set.Bare(spec.LooksLikeAddress, "url")
	set.String(&o.key, "api-key", "", "Sent as a bearer token. OPENAI_API_KEY keeps it off the command line.", g, argv.Redact(func(string) string { return "***" }))
	set.Option(option.Field{Flag: "header", Kind: option.String, Metavar: "HEADER", Help: "A header, as Name: value or Name=value. May be given several times."},
		func(texts []string) error { o.headers = append(o.headers, texts...); return nil }, g, argv.Redact(func(string) string { return "***" }))
	set.Int(&o.seed, "seed", 0, "Seed of the generator.", g)
	set.Int(&o.clients, "num-clients", 1, "Requests in flight at a time.", g, argv.Short('p'))
	set.Int(&o.active, "max-active-conversations", 0, "Conversations open at a time.", g, argv.Short('k'), argv.Shown("as --num-clients"))
	set.Int(&o.requests, "max-num-requests", 0, "End after this many requests.", g, argv.Short('n'), argv.Shown("no bound"))
	set.Int(&o.maxTurns, "max-turns", 0, "Maximum number of messages in a conversation, of both sides.", g, argv.Shown("no bound"))
	set.Int(&o.minTokens, "limit-min-tokens", 0, "Accepted and without effect: the script does not send it either.", g)
	set.Int(&o.maxTokens, "limit-max-tokens", 0, "Tokens to ask for in each turn. 0: as many as the recorded answer has.", g)
	set.Float(&o.rate, "request-rate", 0, "Requests a second of each client: it thinks 1/RATE seconds on average, drawn exponentially. 0: it does not.", g)
	set.Int(&o.timeout, "request-timeout-sec", 120, "Give up on a request after this long.", g)
	set.Bool(&o.sendID, "send-conversation-id", "Send X-Session-ID with each request.", g)
	set.Bool(&o.noEarlyStop, "no-early-stop", "Accepted: a run goes on until all conversations have ended anyway.", g)
	set.Bool(&o.verbose, "verbose", "Accepted and without effect.", g, argv.Short('v'))
	set.Bool(&o.trust, "trust-remote-code", "Accepted and without effect: code from a model's repository is never run here.", g)
	set.Choice(&o.sampling, "conversation-sampling", "round_robin", []string{"round_robin"}, "Which conversation goes on. A turn goes when it is due.", g,
		argv.Later("is not drawn: a turn goes when the answer before it is there", "random"))
	set.Int(&o.retries, "max-retries", 0, "Must be 0: nothing that was sent is sent again.", g)
	set.String(&o.percentages, "warmup-percentages", "0%", "Must be 0%: the result has a steady state of its own.", g)
	serve.EngineFlags(set)
	refuse := func(reason string, arity argv.Arity, names ...string) {
		for _, name := range names {
			set.Unsupported(name, arity, reason)
		}
	}
	refuse("a separate pass over all first turns would have to hold every conversation; use -- --num-warmups N", argv.NoValue, "warmup-step")
	refuse("answers are not compared with those of the file; --output-file keeps them", argv.NoValue, "verify-output")
	refuse("times of tokens need a stream", argv.NoValue, "no-stream")
	refuse("no workbook is written; inferometer report writes CSV and Parquet", argv.NoValue, "excel-output")
	refuse("use -- --save-result --save-detailed, or inferometer report", argv.OneValue, "stats-json-output")
	refuse("use --output-file, or -- --journal-texts", argv.NoValue, "print-content")
	return set, o
}

// Run is the command.
func Run(ctx context.Context, s command.Streams, args []string) error {
	var rest []string
	if i := slices.Index(args, "--"); i >= 0 {
		args, rest = args[:i], args[i+1:]
	}
	set, o := flags()
	if done, err := command.Parse(s, set, args); done || err != nil {
		return err
	}
	settings, err := o.settings()
	if err != nil {
		return err
	}
	fmt.Fprintf(s.Err, "the same as: inferometer bench serve %s\n", quoted(append(settings.Words(), rest...)))
	return serve.BenchLaid(ctx, s, settings, rest)
}

// check looks at what the script looks at, and at what is done in one way only.
func (o *options) check() error {
	if o.active == 0 {
		o.active = o.clients
	}
	switch {
	case o.input == "":
		return argv.Errorf("input-file", "is needed: a JSON array of conversations, or a generator's config")
	case o.model == "":
		return argv.Errorf("model", "is needed, as in the script")
	case o.clients < 1:
		return argv.Errorf("num-clients", "must be at least 1, not %d", o.clients)
	case o.active < o.clients:
		return argv.Errorf("max-active-conversations", "must be at least --num-clients: each client has one")
	case o.requests < 0:
		return argv.Errorf("max-num-requests", "must be above 0, not %d", o.requests)
	case o.maxTurns < 0:
		return argv.Errorf("max-turns", "must be above 0, not %d", o.maxTurns)
	case o.maxTokens < 0:
		return argv.Errorf("limit-max-tokens", "must be 0 or more: each request says how long its answer may be")
	case o.minTokens > 0 && o.minTokens > o.maxTokens:
		return argv.Errorf("limit-min-tokens", "of %d is above --limit-max-tokens", o.minTokens)
	case o.retries != 0:
		return argv.Errorf("max-retries", "must be 0: nothing that was sent is sent again, and a failed turn ends its conversation")
	case o.percentages != "0%" && o.percentages != "0":
		return argv.Errorf("warmup-percentages", "must be 0%%: the result has a steady state of its own")
	case o.timeout < 1:
		return argv.Errorf("request-timeout-sec", "must be at least 1, not %d", o.timeout)
	case !(o.rate >= 0) || o.rate > 1e6:
		return argv.Errorf("request-rate", "must be from 0 to a million, not %g", o.rate)
	case o.rate > 0 && o.active != o.clients:
		return argv.Errorf("request-rate", "with more conversations than clients makes a client sleep, not a user: give as many of each")
	}
	return nil
}

// settings are those of bench serve.
func (o *options) settings() (to option.Settings, err error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	headers, err := o.headerPairs()
	if err != nil {
		return nil, err
	}
	to.Add("backend", "openai-chat")
	to.Add("base-url", strings.TrimSuffix(o.url, "/"))
	to.Add("model", o.model)
	to.Add("dataset-name", "conversations")
	to.Add("dataset-path", o.input)
	to.Add("num-prompts", "0")
	to.Number("seed", &o.seed)
	to.Number("max-concurrency", &o.clients)
	to.Number("max-conversations", &o.active)
	to.Add("request-timeout", strconv.Itoa(o.timeout)+"s")
	to.Text("served-model-name", o.served)
	to.Text("save-conversations", o.output)
	above0 := func(flag string, n int) {
		if n > 0 {
			to.Number(flag, &n)
		}
	}
	above0("max-requests", o.requests)
	above0("multi-turn-max-turns", (o.maxTurns+1)/2)
	above0("output-len", o.maxTokens)
	if !o.sendID {
		to.Add("session-header", "")
	}
	if o.rate > 0 {
		to.Add("think-time", "exponential:"+time.Duration(float64(time.Second)/o.rate).String())
	}
	if len(headers) > 0 {
		to.Add("header", headers...)
	}
	return to, nil
}

// headerPairs writes headers as Name=value. The key wins over one that was given.
func (o *options) headerPairs() (pairs []string, err error) {
	for _, h := range o.headers {
		name, value, ok := strings.Cut(h, ":")
		if !ok {
			name, value, ok = strings.Cut(h, "=")
		}
		if !ok {
			return nil, argv.Errorf("header", "needs Name: value, or Name=value")
		}
		if o.key != "" && strings.EqualFold(strings.TrimSpace(name), "authorization") {
			continue
		}
		pairs = append(pairs, strings.TrimSpace(name)+"="+strings.TrimSpace(value))
	}
	if o.key != "" {
		pairs = append(pairs, "Authorization=Bearer "+o.key)
	}
	return pairs, nil
}

// quoted is a command line that can be pasted. Values of headers are not shown.
func quoted(args []string) string {
	var b strings.Builder
	header := false
	for i, a := range args {
		if i > 0 {
			b.WriteByte(' ')
		}
		if strings.HasPrefix(a, "--") {
			header = a == "--header"
		} else if name, _, ok := strings.Cut(a, "="); header && ok {
			a = name + "=***"
		}
		if a == "" || strings.ContainsAny(a, " \t\n\"'\\$&|<>*?;()#~`!{}[]") {
			a = "'" + strings.ReplaceAll(a, "'", `'\''`) + "'"
		}
		b.WriteString(a)
	}
	return b.String()
}
