package sim

import (
	"context"
	"errors"
	"fmt"
	"net"
	"time"

	"github.com/inferometer/inferometer/internal/sim/answers"
	"github.com/inferometer/inferometer/internal/sim/dialect"
	"github.com/inferometer/inferometer/internal/sim/engine"
	"github.com/inferometer/inferometer/internal/sim/handoff"
	"github.com/inferometer/inferometer/internal/sim/random"
	"github.com/inferometer/inferometer/internal/sim/vocab"
)

// The engines.
const (
	EngineFixed = "fixed" // latencies drawn per request, whatever the load
	EngineBatch = "batch" // continuous batching by steps
)

// Config is everything that can be set. Start from DefaultConfig.
type Config struct {
	Name        string   // of this replica, told in the header x-inferometer-replica; empty: not told
	Model       string   // name in /v1/models and in each answer
	Root        string   // "root" in /v1/models; the model's name when empty
	Adapters    []string // names that a request may ask for in place of Model; each has its own texts and prefix cache
	MaxModelLen int      // prompt and answer together may not be longer, in tokens
	OwnedBy     string   // "owned_by" in /v1/models, by which clients tell servers apart
	Seed        uint64   // of the text, the latencies and the faults
	APIKey      string   // when set, each request must carry it as a bearer token

	Engine         string      // EngineFixed or EngineBatch
	TTFT           random.Dist // fixed engine: from the request to the first token, one draw per request
	ITL            random.Dist // fixed engine: between tokens, one draw per token
	TokensPerChunk int         // tokens in an event
	Batch          engine.BatchConfig
	CountPrefixes  bool            // fixed engine: count what a prefix cache of Batch's blocks would find; 0 of them are without a bound
	Changes        []engine.Change // makes it slower or faster from moments on

	Faults      Faults
	Stall       time.Duration // how long the fault "stall" stops a stream
	SlowHeaders time.Duration // how long the fault "slow-headers" holds the headers

	Framing     dialect.Framing
	MergeEvents int           // framing "merge": events in a write
	SplitGap    time.Duration // framing "split": pause between the writes of one event

	DefaultMaxTokens int     // for a chat request that names none
	EOS              float64 // chance that a token is the last one, unless ignore_eos is set
	EmbeddingSize    int     // numbers in an embedding

	// Answers is how questions of an answer key are answered; nil: no text has a meaning.
	Answers *answers.Settings

	// Ignore names fields of a request that this server does not know. Ollama, for one,
	// does not know max_completion_tokens.
	Ignore []string
	// ReadTimeout bounds how long a client may take to send a request.
	ReadTimeout time.Duration

	Role string         // handoff.Prefill or handoff.Decode; empty: it does both itself
	KV   handoff.Config // how prompts come to a decode server
	// Dial reaches the prefill servers; nil: over the network.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)

	StartupTime time.Duration // all requests get 503 until then
	WakeTime    time.Duration // of /wake_up
	AdapterTime time.Duration // of taking an adapter in
	Drain       time.Duration // how long requests may run on when the server is told to end; 0: they are cut off at once

	// IgnoreDisconnect makes it generate to the end for a client that has left, as some servers do; vLLM stops.
	IgnoreDisconnect bool

	Profiler  bool // answer /start_profile and /stop_profile, as vLLM does with --profiler-config
	TruthText bool // put the texts in the truth, not only their SHA-256
	// TruthAtOnce writes each record when its request has ended, so that a killed server leaves what it knew. Else
	// records are gathered for a second, and no request waits for the disk.
	TruthAtOnce bool
	TLS         bool // Serve speaks TLS with a certificate made at start

	// GoTimers makes its waits end by Go's timers, for a test in virtual time, instead of the kernel's, which are more exact.
	GoTimers bool

	Tokenizer vocab.Tokenizer // nil: the built-in one
}

// DefaultConfig is a server with 50 ms to the first token and 10 ms between tokens.
func DefaultConfig() Config {
	return Config{
		Model:            "sim",
		OwnedBy:          "inferometer",
		ReadTimeout:      5 * time.Minute,
		MaxModelLen:      32768,
		Engine:           EngineFixed,
		TTFT:             random.Constant(50 * time.Millisecond),
		ITL:              random.Constant(10 * time.Millisecond),
		TokensPerChunk:   1,
		Batch:            engine.DefaultBatch(),
		Stall:            30 * time.Second,
		SlowHeaders:      2 * time.Second,
		MergeEvents:      3,
		SplitGap:         200 * time.Microsecond,
		DefaultMaxTokens: 256,
		EmbeddingSize:    8,
		KV:               handoff.Config{BytesPerToken: 128 << 10},
	}
}

// validate says which setting is wrong and how to mend it.
func (c *Config) validate() error {
	atLeast := func(name string, v, least int) error {
		if v < least {
			return fmt.Errorf("%s is %d; give %d or more", name, v, least)
		}
		return nil
	}
	notNegative := func(name string, d time.Duration) error {
		if d < 0 {
			return fmt.Errorf("%s is %v; give 0 or more", name, d)
		}
		return nil
	}
	share := func(name string, v float64) error {
		if !(v >= 0 && v <= 1) {
			return fmt.Errorf("%s is %v; give a number from 0 to 1", name, v)
		}
		return nil
	}
	errs := []error{
		atLeast("max-model-len", c.MaxModelLen, 2),
		atLeast("tokens-per-chunk", c.TokensPerChunk, 1),
		atLeast("merge-events", c.MergeEvents, 1),
		atLeast("default-max-tokens", c.DefaultMaxTokens, 1),
		atLeast("embedding-size", c.EmbeddingSize, 1),
		notNegative("stall", c.Stall),
		notNegative("read-timeout", c.ReadTimeout),
		notNegative("slow-headers", c.SlowHeaders),
		notNegative("split-gap", c.SplitGap),
		notNegative("startup-time", c.StartupTime),
		notNegative("wake-time", c.WakeTime),
		notNegative("adapter-time", c.AdapterTime),
		notNegative("drain", c.Drain),
		share("eos", c.EOS),
		engine.ValidateChanges(c.Changes),
		c.KV.Validate(),
		c.Faults.validate(),
		c.Framing.Validate(),
	}
	if c.Answers != nil {
		errs = append(errs, c.Answers.Validate())
	}
	if !isHeaderText(c.Name) {
		errs = append(errs, fmt.Errorf("name %q can't stand in a header; give letters, digits and signs", c.Name))
	}
	if c.Role != "" && c.Role != handoff.Prefill && c.Role != handoff.Decode {
		errs = append(errs, fmt.Errorf("role %q is unknown; give %s or %s, or none for a server that does both", c.Role, handoff.Prefill, handoff.Decode))
	}
	if c.Model == "" {
		errs = append(errs, errors.New("model is empty; give the name that clients ask for"))
	}
	switch c.Engine {
	case EngineFixed:
		if c.CountPrefixes {
			errs = append(errs, atLeast("block-size", c.Batch.BlockSize, 1), atLeast("num-blocks", c.Batch.NumBlocks, 0))
		}
	case EngineBatch:
		b := &c.Batch
		errs = append(
			errs,
			notNegative("step-base", b.Base),
			notNegative("step-per-prefill-token", b.PerPrefillToken),
			notNegative("step-per-sequence", b.PerSequence),
			notNegative("step-per-cached-token", b.PerCachedToken),
			notNegative("step-per-draft-token", b.PerDraftToken),
			atLeast("max-num-batched-tokens", b.MaxNumBatchedTokens, 1+b.SpecTokens),
			atLeast("max-num-seqs", b.MaxNumSeqs, 1),
			atLeast("block-size", b.BlockSize, 1),
			atLeast("spec-tokens", b.SpecTokens, 0),
			share("spec-acceptance", b.SpecAcceptance),
		)
		// One sequence of full length must fit alone, or it would wait for ever.
		if b.BlockSize > 0 {
			need := (c.MaxModelLen + b.SpecTokens + b.BlockSize - 1) / b.BlockSize
			if b.NumBlocks < need {
				errs = append(errs, fmt.Errorf("num-blocks is %d, too few for one sequence of max-model-len %d; give %d or more, or a smaller max-model-len", b.NumBlocks, c.MaxModelLen, need))
			}
		}
		if b.Base == 0 && b.PerSequence == 0 {
			errs = append(errs, errors.New("step-base and step-per-sequence are both 0, so a step would take no time; give one of them"))
		}
	default:
		errs = append(errs, fmt.Errorf("engine %q is unknown; give %q or %q", c.Engine, EngineFixed, EngineBatch))
	}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("sim: %w", err)
	}
	return nil
}
