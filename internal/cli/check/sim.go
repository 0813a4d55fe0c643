package check

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"os/signal"
	"strings"
	"time"

	"github.com/inferometer/inferometer/internal/cli/argv"
	"github.com/inferometer/inferometer/internal/cli/command"
	"github.com/inferometer/inferometer/internal/clock"
	"github.com/inferometer/inferometer/internal/sim"
	"github.com/inferometer/inferometer/internal/sim/answers"
	"github.com/inferometer/inferometer/internal/sim/dialect"
	"github.com/inferometer/inferometer/internal/sim/engine"
	"github.com/inferometer/inferometer/internal/sim/random"
	"github.com/inferometer/inferometer/internal/sim/router"
	"github.com/inferometer/inferometer/tokenizer"
)

// simOptions are the flags of sim that are not a sim.Config themselves.
type simOptions struct {
	listen, truth, tokenizer, ttft, itl, faults, framing, ignore, changes string
	seed, answerSeed                                                      int
	answerKey                                                             string
	answers                                                               answers.Settings
	noPrefixCache, untilEOF, chatTemplate                                 bool
	cfg                                                                   sim.Config
	router                                                                router.Config
	policy                                                                string
	startupPort                                                           time.Duration
}

// Sim is the command sim.
func Sim(ctx context.Context, s command.Streams, args []string) error {
	set, o := simFlags()
	if done, err := command.Parse(s, set, args); done || err != nil {
		return err
	}
	if err := o.readKey(set); err != nil {
		return err
	}
	if err := o.resolve(); err != nil {
		return err
	}
	if err := cmp.Or(o.checkRouter(set), o.checkRole(set)); err != nil {
		return err
	}
	var truth io.Writer
	if o.truth != "" {
		f, err := os.OpenFile(o.truth, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o644)
		if err != nil {
			return fmt.Errorf("open the truth file: %w", err)
		}
		defer f.Close()
		truth = f
	}
	ctx, stop := signal.NotifyContext(ctx, command.StopSignals()...)
	defer stop()
	if o.untilEOF {
		go func() {
			_, _ = io.Copy(io.Discard, s.In)
			stop()
		}()
	}
	if o.policy != "" {
		return o.route(ctx, s, truth)
	}
	server, err := sim.New(o.cfg, truth)
	if err != nil {
		return &argv.UsageError{Text: err.Error()}
	}
	defer server.Close()
	if o.startupPort > 0 && !clock.Pause(ctx, o.startupPort) {
		return nil
	}
	l, err := o.open()
	if err != nil {
		return err
	}
	context.AfterFunc(ctx, stop) // a second signal ends a server that drains
	scheme, serve := "http", server.Serve
	if o.cfg.TLS {
		scheme, serve = "https", server.ServeTLS
	}
	fmt.Fprintf(s.Err, "inferometer sim: %s engine, model %q, at %s://%s\n", o.cfg.Engine, o.cfg.Model, scheme, l.Addr())
	if open := command.Reachable(l.Addr(), "send it requests", "listen"); open != "" && o.cfg.APIKey == "" {
		fmt.Fprintf(s.Err, "inferometer sim: %s\n", open)
	}
	err = serve(ctx, l)
	if n := server.Unknown(); n > 0 {
		fmt.Fprintf(s.Err, "inferometer sim: %d prompts were not in the answer key, and got words without a meaning\n", n)
	}
	return err
}

// open opens the address to listen on.
func (o *simOptions) open() (net.Listener, error) {
	l, err := net.Listen("tcp", o.listen)
	if err != nil {
		return nil, fmt.Errorf("listen on %s: %w; choose another address with --listen", o.listen, err)
	}
	return l, nil
}

// resolve reads the textual settings.
func (o *simOptions) resolve() error {
	var err error
	if o.cfg.TTFT, err = random.ParseDist(o.ttft); err != nil {
		return argv.Errorf("ttft", "%v", err)
	}
	if o.cfg.ITL, err = random.ParseDist(o.itl); err != nil {
		return argv.Errorf("itl", "%v", err)
	}
	if o.cfg.Changes, err = engine.ParseChanges(o.changes); err != nil {
		return argv.Errorf("change", "%v", err)
	}
	if o.cfg.Faults, err = sim.ParseFaults(o.faults); err != nil {
		return argv.Errorf("fault", "%v", err)
	}
	if o.cfg.Framing, err = dialect.ParseFraming(o.framing); err != nil {
		return argv.Errorf("framing", "%v", err)
	}
	if o.ignore != "" {
		o.cfg.Ignore = strings.Split(o.ignore, ",")
	}
	o.cfg.Seed = uint64(o.seed)
	if o.noPrefixCache && o.cfg.CountPrefixes {
		return argv.Errorf("prefix-cache", "contradicts --no-prefix-cache: give one of them")
	}
	o.cfg.Batch.PrefixCache = !o.noPrefixCache
	if o.tokenizer != "" {
		t, err := tokenizer.Load(o.tokenizer)
		if err != nil {
			return argv.Errorf("tokenizer", "%v", err)
		}
		o.cfg.Tokenizer = t
		if o.chatTemplate {
			o.cfg.Tokenizer = templated{t}
			if _, err := (templated{t}).EncodeChat([]answers.Message{{Role: "user", Content: "hello"}}); err != nil {
				return argv.Errorf("chat-template", "%v", err)
			}
		}
	} else if o.chatTemplate {
		return argv.Errorf("chat-template", "needs --tokenizer, whose template it is")
	}
	return nil
}

// templated counts chats by the tokenizer's own template.
type templated struct{ *tokenizer.Tokenizer }

// EncodeChat implements [dialect.ChatTokenizer].
func (t templated) EncodeChat(messages []answers.Message) ([]int32, error) {
	list := make([]tokenizer.Message, len(messages))
	for i, m := range messages {
		list[i] = tokenizer.Message{Role: m.Role, Content: m.Content}
	}
	text, err := t.ApplyChatTemplate(list, tokenizer.ChatOptions{AddGenerationPrompt: true})
	if err != nil {
		return nil, err
	}
	return t.Encode(text)
}

func simFlags() (*argv.Set, *simOptions) {
	set := argv.New("inferometer sim",
		"An OpenAI-compatible server whose truth is known: it answers on schedule, writes down what it sent and when, and fails on request.")
	set.Example("50 ms to the first token, 10 ms between tokens, with a log of the truth",
		"inferometer sim --listen 127.0.0.1:18000 --ttft 50ms --itl 10ms --truth truth.jsonl")
	set.Example("Continuous batching with a small KV cache and speculative decoding",
		"inferometer sim --engine batch --num-blocks 4096 --spec-tokens 3 --spec-acceptance 0.7")
	set.Example("A server that fails now and then",
		"inferometer sim --fault truncate=0.05,error-event=0.05,http-500=0.02,reset=0.02")
	set.Example("A server that answers 80 % of a task's questions right",
		"inferometer sim --answer-key key.jsonl --accuracy 0.8")
	set.Example("A router in front of two of them, which sends equal beginnings of prompts to the same",
		"inferometer sim --listen 127.0.0.1:18000 --policy prefix --replica http://127.0.0.1:18001 http://127.0.0.1:18002")
	d := sim.DefaultConfig()
	o := &simOptions{cfg: d, router: router.DefaultConfig()}
	c := &o.cfg
	g := argv.Group("Server")
	set.String(&o.listen, "listen", "127.0.0.1:8000", "Address to listen on; port 0 takes a free one.", g, argv.Common(), argv.Metavar("HOST:PORT"))
	set.String(&c.Name, "name", "", "Name of this replica, told in the header x-inferometer-replica of each answer.", g, argv.Common(), argv.Metavar("NAME"), argv.Shown("not told"))
	set.String(&c.Model, "model", d.Model, "Name of the model.", g, argv.Common(), argv.Metavar("NAME"))
	set.Strings(&c.Adapters, "lora-modules", argv.OneOrMore, "Adapters that requests may ask for in place of the model. Each has its own texts and its own prefixes in the cache.", g, argv.Common(), argv.Metavar("NAME"))
	set.String(&c.OwnedBy, "owned-by", d.OwnedBy, "Owner of the model in /v1/models, by which clients tell servers apart: library is Ollama's.", g, argv.Metavar("NAME"))
	set.Int(&c.MaxModelLen, "max-model-len", d.MaxModelLen, "Maximum number of tokens of prompt and answer together.", g, argv.Common())
	set.String(&o.tokenizer, "tokenizer", "", "A tokenizer.json or its folder, for counting and /tokenize.", g, argv.Common(), argv.Metavar("PATH"), argv.Shown("a built-in one"))
	set.Bool(&o.chatTemplate, "chat-template", "Make prompts of chats by the chat template of --tokenizer, as a real server does. Without it: a line for each message.", g)
	set.String(&c.APIKey, "api-key", "", "Ask each request for this bearer token.", g, argv.Common(), argv.Redact(func(string) string { return "…" }))
	set.Bool(&c.TLS, "tls", "Speak TLS, with a certificate made at start.", g, argv.Common())
	set.Int(&o.seed, "seed", 0, "Seed of texts, latencies and faults.", g, argv.Common())
	set.String(&o.truth, "truth", "", "Append one JSON line per request: what was sent, and when.", g, argv.Common(), argv.Metavar("FILE"))
	set.Bool(&o.untilEOF, "until-eof", "End when standard input does: for a program that starts this one and may die.", g)
	set.Bool(&c.Profiler, "profiler", "Answer POST /start_profile and /stop_profile, which do nothing here. Without it: 404.", g)
	set.Bool(&c.TruthText, "truth-text", "Put the generated texts into the truth.", g)
	set.Bool(&c.TruthAtOnce, "truth-at-once", "Write each line of the truth when its request has ended, and not each second, so that a killed server leaves what it knew.", g)

	g = argv.Group("Engine")
	set.Choice(&c.Engine, "engine", d.Engine, []string{sim.EngineFixed, sim.EngineBatch},
		"fixed draws latencies whatever the load; batch simulates continuous batching.", g, argv.Common())
	set.String(&o.ttft, "ttft", "50ms", "fixed: time to the first token: 50ms, uniform:40ms-60ms, exp:50ms, normal:50ms:5ms, lognormal:50ms:0.3.", g, argv.Common(), argv.Metavar("DIST"))
	set.String(&o.itl, "itl", "10ms", "fixed: time between tokens, likewise.", g, argv.Common(), argv.Metavar("DIST"))
	set.String(&o.changes, "change", "", "Become slower or faster: with 5s=3 each wait takes 3 times as long from 5 s after the first request on; with 5s=3,10s=1 up to 10 s.", g, argv.Common(), argv.Metavar("AFTER=TIMES,…"), argv.Shown("none"))
	set.Int(&c.TokensPerChunk, "tokens-per-chunk", d.TokensPerChunk, "Tokens in an event.", g)
	set.Float(&c.EOS, "eos", d.EOS, "Chance that a token is the last, unless the request ignores it.", g)
	simBatchFlags(set, &c.Batch, &d.Batch)
	simAnswerFlags(set, o)
	simRouterFlags(set, o)
	simRoleFlags(set, &c.Role, &c.KV)
	simLifeFlags(set, o)
	set.Bool(&o.noPrefixCache, "no-prefix-cache", "batch: don't reuse the KV cache of equal prefixes.", argv.Group("Engine"))
	set.Bool(&c.CountPrefixes, "prefix-cache", "fixed: count what a prefix cache would find, and tell it as cached tokens. It makes nothing faster.", argv.Group("Engine"), argv.Common())

	g = argv.Group("Faults and framing")
	set.String(&o.ignore, "ignore-fields", "", "Fields of requests that this server does not know, by commas: Ollama does not know max_completion_tokens.", g, argv.Metavar("NAME,…"), argv.Shown("none"))
	set.String(&o.faults, "fault", "",
		"Shares of requests that fail: truncate, error-event, http-500, http-429, reset, stall, short, empty, slow-headers, flip.", g, argv.Common(), argv.Metavar("NAME=SHARE,…"))
	set.Bool(&c.IgnoreDisconnect, "ignore-disconnect", "Generate to the end for a client that has hung up, as some servers do. Without it: stop, as vLLM does.", g)
	set.Duration(&c.Stall, "stall", d.Stall, "How long the fault stall holds a stream.", g)
	set.Duration(&c.SlowHeaders, "slow-headers", d.SlowHeaders, "How long the fault slow-headers holds the headers.", g)
	set.String(&o.framing, "framing", "",
		"How events look on the wire: "+strings.Join(dialect.FramingNames(), ", ")+".", g, argv.Common(), argv.Metavar("NAME,…"))
	set.Int(&c.MergeEvents, "merge-events", d.MergeEvents, "Events in a write, with the framing merge.", g)
	set.Duration(&c.SplitGap, "split-gap", d.SplitGap, "Pause between the writes of an event, with the framing split.", g)
	return set, o
}

func simBatchFlags(set *argv.Set, c, d *engine.BatchConfig) {
	g := argv.Group("Engine")
	set.Duration(&c.Base, "step-base", d.Base, "batch: what each step takes.", g, argv.Common())
	set.Duration(&c.PerPrefillToken, "step-per-prefill-token", d.PerPrefillToken, "batch: what a prompt token adds to its step.", g)
	set.Duration(&c.PerSequence, "step-per-sequence", d.PerSequence, "batch: what a decoding sequence adds to a step.", g)
	set.Duration(&c.PerCachedToken, "step-per-cached-token", d.PerCachedToken, "batch: what a token in the KV cache adds to a step.", g)
	set.Duration(&c.PerDraftToken, "step-per-draft-token", d.PerDraftToken, "batch: what a draft token of speculative decoding adds to a step, accepted or not.", g)
	set.Int(&c.MaxNumBatchedTokens, "max-num-batched-tokens", d.MaxNumBatchedTokens, "batch: tokens in a step; longer prompts come in chunks.", g, argv.Common())
	set.Int(&c.MaxNumSeqs, "max-num-seqs", d.MaxNumSeqs, "batch: sequences that run at once.", g, argv.Common())
	set.Int(&c.BlockSize, "block-size", d.BlockSize, "Tokens in a block of the KV cache (batch) or of --prefix-cache.", g)
	set.Int(&c.NumBlocks, "num-blocks", d.NumBlocks, "Blocks in all, of the KV cache (batch) or of --prefix-cache, where 0 is without a bound.", g, argv.Common())
	set.Int(&c.SpecTokens, "spec-tokens", d.SpecTokens, "batch: draft tokens per step of speculative decoding; 0 is off.", g, argv.Common())
	set.Float(&c.SpecAcceptance, "spec-acceptance", d.SpecAcceptance, "batch: chance that a draft token is accepted.", g)
}
