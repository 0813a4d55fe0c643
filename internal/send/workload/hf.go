package workload

import (
	"bytes"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/inferometer/inferometer/internal/compat/numpy"
	"github.com/inferometer/inferometer/internal/files/spool"
	"github.com/inferometer/inferometer/internal/option"
	"github.com/inferometer/inferometer/internal/send/workload/hfset"
	"github.com/inferometer/inferometer/internal/send/workload/prompts"
)

var hf = NewKind(Kind{
	Name: "hf", Doc: "A set of Hugging Face's: a folder or file of Parquet, JSON or CSV, or a name on the hub.", File: true,
	SharedKeys: []string{keySkipChatTemplate, keyNoOversample, keyDisableShuffle, keyChatTemplateDate},
}, openHF)

// HFOptions shape the hf dataset.
type HFOptions struct {
	Subset       string  `json:"subset" flag:"hf-subset" help:"which subset of the set." shown:"its only one, or the one that vLLM takes"`
	Split        string  `json:"split" flag:"hf-split" help:"which split of the set." shown:"the one that vLLM takes, or train"`
	Name         string  `json:"name_on_hub" flag:"hf-name" metavar:"ORG/NAME" help:"the set's name, where the path is a folder or file." shown:"the path"`
	OutputLen    *int    `json:"output_len" flag:"hf-output-len" follows:"output-len" min:"1" shown:"by set, or as long as the recorded answer" help:"tokens to generate."`
	NoStream     bool    `json:"no_stream" flag:"no-stream" help:"shuffle all rows, not through a buffer of 1000."`
	PromptColumn string  `json:"prompt_column" flag:"hf-prompt-column" metavar:"NAME" help:"the column with the prompts, for a set that is not known." shown:"found by name"`
	AnswerColumn string  `json:"answer_column" flag:"hf-answer-column" metavar:"NAME" help:"the column whose text is as long as what to generate, or whose number says how many tokens, for a set that is not known." shown:"none: 256 tokens"`
	ImageColumn  string  `json:"image_column" flag:"hf-image-column" metavar:"NAME" help:"the column with an image, or a list of them, for a set that is not known." shown:"none"`
	MinDistance  float64 `json:"blazedit_min_distance" flag:"blazedit-min-distance" default:"0" help:"vdaita/edit_*: least distance between the code before and after."`
	MaxDistance  float64 `json:"blazedit_max_distance" flag:"blazedit-max-distance" default:"1" help:"vdaita/edit_*: largest distance."`
	Categories   string  `json:"bfcl_categories" flag:"bfcl-categories" metavar:"A,B" help:"Berkeley-Function-Calling-Leaderboard: its categories." shown:"simple,live_simple,multiple"`
}

// hfDataset takes requests from the rows of a set. All are chosen, rendered and counted
// before the first is sent.
type hfDataset struct {
	set    *hfset.Set
	source *hfset.Source
	opts   Options
	own    *HFOptions
	kept   spool.Spool // requests until they are due: to make them again would unpack and render while the server is measured
	chosen []int       // in the order of requests, their numbers in the spool
	later  []int       // read ahead and not chosen: warm-ups
	ended  bool        // the set has no more rows
	total  int
	repeat *numpy.Python
	next   int
}

// openHF finds the set by its name and its files by the path.
func openHF(o Options, own *HFOptions) (Dataset, error) {
	name := own.Name
	if name == "" {
		name = o.Path
	}
	set := hfset.Find(name)
	if set == nil && hfset.IsSpeech(name) {
		return nil, fmt.Errorf("%s is a set of speech, which is not read by this version; its files can be given with --dataset-name custom_audio", name)
	}
	read := own.read(&o, set)
	if err := locate(&o, read); err != nil {
		return nil, err
	}
	read.Path = o.Path
	if set == nil {
		var err error
		if set, err = hfset.Unknown(read); err != nil {
			return nil, err
		}
	}
	switch {
	case set.Chat && !o.Chat:
		return nil, fmt.Errorf("%s can only be sent as a chat: use --backend openai-chat", set.Names[0])
	case o.Tokenizer == nil && set.Wrap == hfset.Always:
		return nil, prompts.ErrNoTokenizer
	}
	source, err := set.Open(read)
	if err != nil {
		return nil, err
	}
	d := &hfDataset{set: set, source: source, opts: o, own: own}
	if err := d.choose(o.NumPrompts); err != nil {
		d.Close()
		return nil, err
	}
	return d, nil
}

// read is what the set is read with.
func (own *HFOptions) read(o *Options, set *hfset.Set) *hfset.Options {
	r := &hfset.Options{
		Subset: own.Subset, Split: own.Split, Seed: o.Seed, Shuffle: !o.DisableShuffle, Stream: !own.NoStream,
		MinDistance: own.MinDistance, MaxDistance: own.MaxDistance,
		PromptColumn: own.PromptColumn, AnswerColumn: own.AnswerColumn, ImageColumn: own.ImageColumn,
	}
	for c := range strings.SplitSeq(own.Categories, ",") {
		if c = strings.TrimSpace(c); c != "" {
			r.Categories = append(r.Categories, c)
		}
	}
	if set != nil {
		if set.NoSubset {
			r.Subset = ""
		}
		if r.Subset == "" {
			r.Subset = set.Subset
		}
		if r.Split == "" {
			r.Split = set.Split
		}
	}
	return r
}

// locate makes a name on the hub a folder.
func locate(o *Options, read *hfset.Options) error {
	_, err := os.Stat(o.Path)
	if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if strings.Count(o.Path, "/") != 1 || strings.HasPrefix(o.Path, ".") {
		return err
	}
	if o.Fetch == nil {
		return fmt.Errorf("%s is neither a folder nor a file here", o.Path)
	}
	name := o.Path
	o.Path, err = hfset.Fetch(name, read, o.Fetch)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// choose takes n requests.
func (d *hfDataset) choose(n int) error {
	for len(d.chosen) < n && !d.ended {
		if err := d.look(n - len(d.chosen)); err != nil {
			return err
		}
		d.chosen, d.later = append(d.chosen, d.later...), nil
	}
	if len(d.chosen) == 0 {
		return fmt.Errorf("%s has no row that can be used (of %d)", d.opts.Path, d.source.Rows())
	}
	d.total = n
	if d.opts.NoOversample {
		d.total = len(d.chosen)
	}
	d.repeat = numpy.NewPython(d.opts.Seed)
	return nil
}

// lookAtMost is how many rows are read in one go: those of a file in their order there.
const lookAtMost = 4096

// look reads n further rows and puts what becomes of them to later.
func (d *hfDataset) look(n int) error {
	n = min(n, lookAtMost)
	found := make([]int, n)
	taken, err := d.source.Take(n, func(i int, s hfset.Sample) error {
		r, err := d.request(&s)
		if err != nil || r == nil {
			return err
		}
		found[i], err = d.keep(r)
		return err
	})
	d.ended = taken < n
	for _, at := range found {
		if at > 0 {
			d.later = append(d.later, at-1)
		}
	}
	return err
}

// keep puts a request away; its number counts from 1.
func (d *hfDataset) keep(r *Request) (int, error) {
	var b bytes.Buffer
	if err := gob.NewEncoder(&b).Encode(r); err != nil { // which leaves bytes as they are
		return 0, err
	}
	return d.kept.Len() + 1, d.kept.Add(b.Bytes())
}

func (d *hfDataset) get(i int) (*Request, error) {
	b, err := d.kept.Get(i)
	if err != nil {
		return nil, err
	}
	r := &Request{}
	return r, gob.NewDecoder(bytes.NewReader(b)).Decode(r)
}

// Next implements Source.
func (d *hfDataset) Next() (*Request, error) {
	if d.next >= d.total {
		return nil, io.EOF
	}
	at := 0
	if d.next < len(d.chosen) {
		at = d.chosen[d.next]
	} else {
		at = d.chosen[d.repeat.Below(len(d.chosen))]
	}
	r, err := d.get(at)
	if err != nil {
		return nil, err
	}
	r.Index = d.next
	d.next++
	return r, nil
}

// Len implements Dataset.
func (d *hfDataset) Len() int { return d.total }

// Close implements Dataset.
func (d *hfDataset) Close() error { return errors.Join(d.source.Close(), d.kept.Close()) }

// Notes say what was guessed.
func (d *hfDataset) Notes() []string {
	if d.set.Guessed == "" {
		return nil
	}
	return []string{fmt.Sprintf("%s is not among the known sets: its prompts are taken from the column %s (--hf-prompt-column)", d.opts.Path, d.set.Guessed)}
}

// Warmups implements Dataset: rows that were not chosen; when they run out, chosen ones
// with a mark in front.
func (d *hfDataset) Warmups(n int) (warm []*Request, err error) {
	for len(d.later) < n && !d.ended {
		if err := d.look(n - len(d.later)); err != nil {
			return nil, err
		}
	}
	for i := range max(n, 0) {
		var r *Request
		if i < len(d.later) {
			r, err = d.get(d.later[i])
		} else {
			r, err = d.marked(i)
		}
		if err != nil {
			return nil, err
		}
		r.Index = i
		warm = append(warm, r)
	}
	return warm, nil
}

func (d *hfDataset) marked(i int) (*Request, error) {
	r, err := d.get(d.chosen[i%len(d.chosen)])
	if err != nil {
		return nil, err
	}
	mark := fmt.Sprintf("Warm-up %d. ", i+1)
	r.Prompt = mark + r.Prompt
	if r.Messages != nil {
		r.Messages, err = withSystem(r.Messages, mark)
	}
	return r, err
}

// Check implements [option.Checker].
func (o *HFOptions) Check() error {
	if o.MinDistance > o.MaxDistance {
		return option.Errorf("blazedit_min_distance", "must not be above %s, as %v is above %v", option.Ref("blazedit_max_distance"), o.MinDistance, o.MaxDistance)
	}
	return nil
}
