// Package record is the command record: a reverse proxy that captures traffic as a trace.
package record

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"time"

	"github.com/inferometer/inferometer/internal/cli/argv"
	"github.com/inferometer/inferometer/internal/cli/command"
	"github.com/inferometer/inferometer/internal/outside"
	"github.com/inferometer/inferometer/internal/prepare"
	"github.com/inferometer/inferometer/internal/record"
	"github.com/inferometer/inferometer/internal/send/tokens"
	"github.com/inferometer/inferometer/internal/spec"
)

// options are the flags of record.
type options struct {
	target, listen, out, size, tokenizer, revision, session string
	maxTime, duration                                       time.Duration
	block                                                   int
	texts, noTokenize                                       bool
}

func flags(o *options) *argv.Set {
	set := argv.New("inferometer record",
		"Stand in front of a server and write down the traffic that passes, as a trace that bench serve --dataset-name trace replays: when each request came, "+
			"how long prompt and answer were, which prompts begin alike (as hashes keyed with a secret that is not kept), sampling parameters, sessions, and how it ended. "+
			"If an answer does not give its length (clients rarely ask for usage), the server's /tokenize is asked, where it has one. The traffic is not changed. Texts are not kept unless --texts is given; keys and headers never are. Ctrl-C ends it: once, when what is in flight has ended; twice, at once.")
	set.Example("In front of a server on this machine", "inferometer record --base-url http://127.0.0.1:8000 --listen 127.0.0.1:9000 -o traffic.jsonl")
	set.Example("For days: one file per hour, of at most 1 GB", "inferometer record --base-url http://127.0.0.1:8000 -o traffic.jsonl --max-time 1h --max-size 1GB")
	set.Example("With exact lengths and blocks", "inferometer record --base-url http://127.0.0.1:8000 --tokenizer Qwen/Qwen3-8B")
	set.Example("What was recorded, and its replay", "inferometer trace stats traffic.jsonl")
	set.String(&o.target, "base-url", "", "The server's URL. A path in it is put before each request's.", argv.Server(), argv.Metavar("URL"), argv.Redact(outside.RedactURL))
	set.Bare(spec.LooksLikeAddress, "base-url")
	set.String(&o.listen, "listen", "127.0.0.1:9000", "Address to listen on; port 0 takes a free one. Clients use it in place of the server's.", argv.Metavar("HOST:PORT"))
	set.String(&o.out, "output", "traffic.jsonl", "The file to write. An existing file is refused.", argv.Output(), argv.Metavar("FILE"))
	set.String(&o.size, "max-size", "", "Begin a new file before one is larger, as in 500MB: traffic-0001.jsonl and so on.", argv.Metavar("SIZE"), argv.Shown("no limit"))
	set.Duration(&o.maxTime, "max-time", 0, "Begin a new file after this long, as in 1h.", argv.Shown("no limit"))
	set.Duration(&o.duration, "duration", 0, "Stop after this long.", argv.Shown("at Ctrl-C"))
	set.String(&o.tokenizer, "tokenizer", "", "A tokenizer.json, a folder that holds one, or a model's name: counts what answers do not report, instead of the server's /tokenize, and makes blocks exact.", argv.Metavar("PATH"), argv.Shown("none: blocks are of bytes"))
	set.String(&o.revision, "tokenizer-revision", "", "The branch, tag or commit of a tokenizer that is named by its model.", argv.Metavar("REVISION"), argv.Shown("main"))
	set.Bool(&o.noTokenize, "no-tokenize", "Don't ask the server: lengths that an answer does not give stay unknown.")
	set.Int(&o.block, "block-size", 16, "Tokens of a prompt's block; without a tokenizer about as many.")
	set.String(&o.session, "session-header", "", "A header that names a request's session, besides X-Session-Id and others. Only its keyed hash is kept.", argv.Metavar("NAME"), argv.Shown("none"))
	set.Bool(&o.texts, "texts", "Keep the requests' bodies and the answers' texts too.")
	return set
}

// Run is the command.
func Run(ctx context.Context, s command.Streams, args []string) error {
	var o options
	set := flags(&o)
	if done, err := command.Parse(s, set, args); done || err != nil {
		return err
	}
	made, err := o.resolve(ctx, s)
	if err != nil {
		return err
	}
	l, err := net.Listen("tcp", o.listen)
	if err != nil {
		return fmt.Errorf("listen on %s: %w; choose another address with --listen", o.listen, err)
	}
	if l.Addr().String() == made.Target.Host {
		return errors.Join(argv.Errorf("base-url", "is where this command itself would listen"), l.Close())
	}
	log.SetOutput(io.Discard) // net/http would print what a server sends unasked: texts, and what steers a terminal
	line := &progress{line: command.NewLine(s.Err)}
	made.Say = line.say
	c := o.counter()
	words, ask := o.lengths(ctx, c)
	if ask {
		made.Counter = c
	}
	r, err := record.New(*made)
	if err != nil {
		return errors.Join(err, l.Close())
	}
	ctx, drain, stop := interrupts(ctx, o.duration, line.say) // before a word: who reads it may press Ctrl-C at once
	defer stop()
	line.say("inferometer record: %s is in front of %s; rows go to %s", "http://"+l.Addr().String(), outside.RedactURL(o.target), made.Files.First())
	if words != "" {
		line.say("%s", words)
	}
	if open := command.Reachable(l.Addr(), "send requests through it to "+outside.RedactURL(o.target), "listen"); open != "" {
		line.say("inferometer record: %s", open)
	}
	ended := line.follow(r)
	err = r.Serve(ctx, drain, l)
	ended()
	return finish(r, line, err)
}

// finish says what there is.
func finish(r *record.Recorder, line *progress, err error) error {
	c := r.Counts()
	line.say("%d requests recorded in %d rows: %d without a whole answer, %d of unknown length; %d others passed", c.Requests, c.Written, c.Failed, c.Unknown, c.Others)
	if c.Unknown > 0 {
		line.say("note: a replay does not send requests of unknown length; --tokenizer, or clients that ask for usage (stream_options.include_usage), tell those of prompts, and --output-len at the replay gives answers one")
	}
	if err != nil {
		return err
	}
	if c.Lost > 0 {
		return command.Exit(command.ExitPartial, fmt.Errorf("%d requests are not in the recording", c.Lost))
	}
	return nil
}

// resolve makes the recorder's options of the flags.
func (o *options) resolve(ctx context.Context, s command.Streams) (*record.Options, error) {
	if o.target == "" {
		return nil, argv.Errorf("base-url", "is needed: the server's URL, such as http://127.0.0.1:8000")
	}
	address, err := spec.ReadAddress("base-url", o.target)
	if err != nil {
		return nil, err
	}
	target, err := url.Parse(address.Base)
	if err != nil {
		return nil, err
	}
	size, err := parseSize(o.size)
	switch {
	case err != nil:
		return nil, argv.Errorf("max-size", "%v", err)
	case target.User != nil:
		return nil, argv.Errorf("base-url", "can't hold a user: clients send their own keys, which pass as they are")
	case o.block < 1 || o.block > 1<<16:
		return nil, argv.Errorf("block-size", "must be from 1 to 65536, not %d", o.block)
	case o.maxTime < 0 || o.duration < 0:
		return nil, argv.Errorf("max-time", "and --duration can't be negative")
	case o.out == "":
		return nil, argv.Errorf("output", "needs a file's name")
	case o.revision != "" && o.tokenizer == "":
		return nil, argv.Errorf("tokenizer-revision", "goes with --tokenizer")
	}
	made := &record.Options{Target: target, Block: o.block, Texts: o.texts, Session: o.session, Files: record.Files{Out: o.out, MaxSize: size, MaxTime: o.maxTime}}
	if o.tokenizer == "" {
		return made, nil
	}
	host := &prepare.Host{
		Environment: spec.Environment{Release: command.Release(), Lookup: os.LookupEnv, Proxy: http.ProxyFromEnvironment},
		Say:         func(format string, args ...any) { fmt.Fprintf(s.Err, format+"\n", args...) },
	}
	place, _, err := host.NamedTokenizer(ctx, o.tokenizer, o.revision)
	if err != nil {
		return nil, err
	}
	made.Tokenizer, err = tokens.Load(place)
	return made, err
}

// parseSize reads 500MB, 1GiB or a number of bytes.
func parseSize(text string) (int64, error) {
	if text == "" {
		return 0, nil
	}
	units := []struct {
		name string
		size float64
	}{{"kib", 1 << 10}, {"mib", 1 << 20}, {"gib", 1 << 30}, {"kb", 1e3}, {"mb", 1e6}, {"gb", 1e9}, {"k", 1e3}, {"m", 1e6}, {"g", 1e9}, {"b", 1}, {"", 1}}
	for _, u := range units {
		number, ok := strings.CutSuffix(strings.ToLower(text), u.name)
		if !ok {
			continue
		}
		v, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
		if err != nil || !(v*u.size >= 1 && v*u.size < 1<<60) {
			break
		}
		return int64(v * u.size), nil
	}
	return 0, fmt.Errorf("needs a size such as 500MB or 1GiB, not %q", outside.Word(text))
}

// interrupts: the first signal, or the end of the time, lets what is in flight end; the second ends that too.
func interrupts(parent context.Context, after time.Duration, say func(string, ...any)) (ctx context.Context, drain <-chan struct{}, stop func()) {
	ctx, cancel := context.WithCancel(parent)
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, command.StopSignals()...)
	soft, done := make(chan struct{}), make(chan struct{})
	var timer <-chan time.Time
	if after > 0 {
		timer = time.After(after)
	}
	go func() {
		defer close(done)
		select {
		case <-signals:
			say("stopping: no more connections are taken; Ctrl-C once more ends what is in flight")
		case <-timer:
		case <-ctx.Done():
			return
		}
		close(soft)
		select {
		case <-signals:
			cancel()
		case <-ctx.Done():
		}
	}()
	return ctx, soft, func() {
		signal.Stop(signals)
		cancel()
		<-done
	}
}
