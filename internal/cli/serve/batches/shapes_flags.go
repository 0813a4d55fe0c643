package batches

import (
	"strconv"
	"strings"

	"github.com/inferometer/inferometer/internal/cli/argv"
	"github.com/inferometer/inferometer/internal/cli/serve"
	"github.com/inferometer/inferometer/internal/judge/batch"
	"github.com/inferometer/inferometer/internal/show/report"
)

// shapesOptions is what the flags of bench shapes say.
type shapesOptions struct {
	*serve.Options
	nPrompt, nGen, nDepth, batch intList
	pairs                        [][2]int // -pg
	repetitions                  int
	output                       string
	noWarmup                     bool
	subtractOverhead             bool
	ids                          idOptions
}

const groupShapes = "Shapes"

func shapesFlags() (*argv.Set, *shapesOptions) {
	set := argv.New("inferometer bench shapes",
		"Measure prompt processing and token generation by shape, as llama-bench does, against a running server. "+
			"Lists are separated by commas or given several times; 1-5, 512-4096+512 and 1-16*2 are ranges.")
	set.Example("pp512 and tg128, five times each", "inferometer bench shapes --base-url http://127.0.0.1:8080")
	set.Example("Generation at three depths, for 1 and 8 sequences at once",
		"inferometer bench shapes -p 0 -n 128 -d 0,4096,16384 -b 1,8 -r 3")
	set.Example("A prompt and its answer as one, as JSON", "inferometer bench shapes -p 0 -n 0 -pg 1024,256 -o json")
	_, run := serve.Flags() // for the defaults of what has no flag here
	o := &shapesOptions{Options: run}
	serve.DefineBackend(set, run)
	serve.DefineServer(set, run)
	g := argv.CommonGroup(groupShapes)
	o.nPrompt.define(set, "n-prompt", 'p', 512, "Tokens of a prompt. 0 is none.", g)
	o.nGen.define(set, "n-gen", 'n', 128, "Tokens to generate, 2 or more. 0 is none.", g)
	set.Custom("pg", "", "A prompt and its answer measured as one: tokens of both. -pg is the same.", o.addPair, g, argv.Metavar("PP,TG"))
	o.nDepth.define(set, "n-depth", 'd', 0, "Tokens that stand before. For a prompt the server's prefix cache must be on.", g)
	o.batch.define(set, "batch", 'b', 1, "Sequences at once.", g)
	set.Int(&o.repetitions, "repetitions", 5, "How often each shape is measured.", g, argv.Short('r'))
	set.Choice(&o.output, "output", "md", report.ShapesFormats, "The form of the result.", g, argv.Short('o'),
		argv.Later("is not written by this version; use md, csv, json or jsonl", "sql"))
	set.Bool(&o.noWarmup, "no-warmup", "Send no batch before those that are measured.", g)
	set.Bool(&o.subtractOverhead, "subtract-overhead", "Take the time of a prompt of one token from the times of pp. It is shown in any case.", g)
	set.Options(&o.ids, g)
	serve.DefineRunning(set, run)
	serve.DefineRequest(set, run)
	set.Config()
	return set, o
}

// llamaArgs makes -pg, which no argparse knows, a flag with a long name.
func llamaArgs(args []string) []string {
	out := make([]string, len(args))
	for i, a := range args {
		if a == "-pg" || strings.HasPrefix(a, "-pg=") {
			a = "-" + a
		}
		out[i] = a
	}
	return out
}

func (o *shapesOptions) validate() error {
	if err := validateBatches(o.Options); err != nil {
		return err
	}
	if o.repetitions < 1 {
		return argv.Errorf("repetitions", "must be at least 1, not %d", o.repetitions)
	}
	for _, l := range []struct {
		name   string
		values []int
		least  int
	}{{"n-prompt", o.nPrompt.values, 0}, {"n-gen", o.nGen.values, 0}, {"n-depth", o.nDepth.values, 0}, {"batch", o.batch.values, 1}} {
		for _, v := range l.values {
			if v < l.least || v > 1<<24 {
				return argv.Errorf(l.name, "must be from %d to %d, not %d", l.least, 1<<24, v)
			}
		}
	}
	for _, n := range o.nGen.values {
		if n == 1 {
			return argv.Errorf("n-gen", "must be at least 2: its time is that from the first token to the last")
		}
	}
	if err := argv.CheckOptions(&o.ids); err != nil {
		return err
	}
	if len(o.shapes()) == 0 {
		return argv.Errorf("n-prompt", "and --n-gen are 0, and there is no -pg: nothing is left to measure")
	}
	return nil
}

// shapes lists the tests in llama-bench's order: all prompts, all generations, all pairs.
func (o *shapesOptions) shapes() (shapes []batch.Shape) {
	for _, b := range o.batch.values {
		for _, d := range o.nDepth.values {
			add := func(prompt, gen int) {
				if prompt+gen > 0 {
					shapes = append(shapes, batch.Shape{Prompt: prompt, Gen: gen, Depth: d, Batch: b})
				}
			}
			for _, n := range o.nPrompt.values {
				add(n, 0)
			}
			for _, n := range o.nGen.values {
				add(0, n)
			}
			for _, p := range o.pairs {
				add(p[0], p[1])
			}
		}
	}
	return shapes
}

func (o *shapesOptions) addPair(text string) error {
	a, b, _ := strings.Cut(text, ",")
	prompt, errA := strconv.Atoi(a)
	gen, errB := strconv.Atoi(b)
	if errA != nil || errB != nil || prompt < 1 || gen < 1 || prompt > 1<<24 || gen > 1<<24 {
		return argv.Errorf("", "needs the tokens of prompt and answer, as in 512,128, not %q", text)
	}
	o.pairs = append(o.pairs, [2]int{prompt, gen})
	return nil
}

// intList is a flag that takes several numbers, and may be given several times.
type intList struct {
	values []int
	given  bool // the first time replaces the default
}

func (l *intList) define(set *argv.Set, name string, short byte, def int, help string, opts ...argv.Option) {
	l.values = []int{def}
	set.Custom(name, strconv.Itoa(def), help, l.add, append(opts, argv.Short(short), argv.Metavar("N,…"))...)
}

func (l *intList) add(text string) error {
	if !l.given {
		l.values, l.given = nil, true
	}
	for part := range strings.SplitSeq(text, ",") {
		values, ok := parseRange(part)
		if !ok {
			return argv.Errorf("", "needs numbers between commas or ranges such as 1-5, 512-4096+512 or 1-16*2, not %q", text)
		}
		l.values = append(l.values, values...)
	}
	return nil
}

// mostOfRange keeps a slip of the finger from filling the memory.
const mostOfRange = 10_000

// parseRange reads first, first-last, first-last+step and first-last*factor.
func parseRange(text string) (values []int, ok bool) {
	first, rest, isRange := strings.Cut(strings.TrimSpace(text), "-")
	from, err := strconv.Atoi(first)
	if err != nil {
		return nil, false
	}
	if !isRange {
		return []int{from}, true
	}
	step, factor := 1, 1
	last, by, stepped := strings.Cut(rest, "+")
	if stepped {
		step, err = strconv.Atoi(by)
	} else if last, by, stepped = strings.Cut(rest, "*"); stepped {
		step = 0
		factor, err = strconv.Atoi(by)
	}
	to, errTo := strconv.Atoi(last)
	if err != nil || errTo != nil || step < 0 || factor < 1 || step == 0 && (factor < 2 || from < 1) || from > to {
		return nil, false
	}
	for v := from; v <= to; v = v*factor + step {
		if values = append(values, v); len(values) > mostOfRange {
			return nil, false
		}
	}
	return values, true
}
