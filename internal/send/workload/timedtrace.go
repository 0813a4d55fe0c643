package workload

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strconv"
	"time"

	"github.com/inferometer/inferometer/internal/compat/numpy"
	"github.com/inferometer/inferometer/internal/compat/pyhash"
	"github.com/inferometer/inferometer/internal/option"
	"github.com/inferometer/inferometer/internal/send/workload/prompts"
)

var timedTrace = NewKind(Kind{
	Name: "timed_trace", Doc: "Rows of a JSONL file with times, lengths and ids of prompt blocks, as vLLM replays them. The dataset trace does it without its defects.",
	File: true, Timed: true, IgnoreEOS: true,
}, openTimedTrace)

// TimesOption is the option of datasets whose rows have times.
type TimesOption struct {
	SelfTimed *bool `json:"self_timed" flag:"self-timed" help:"send at the trace's own times, or, with --no-self-timed, at the run's pace."`
}

// TimedTraceOptions are vLLM's.
type TimedTraceOptions struct {
	ChunkSize  int     `json:"timed_trace_chunk_hash_size" flag:"timed-trace-chunk-hash-size" default:"16" min:"1" help:"tokens of a block: 16 in Bailian's traces, 512 in Mooncake's."`
	Multiplier float64 `json:"timed_trace_sec_multiplier" flag:"timed-trace-sec-multiplier" default:"1" above:"0" below:"inf" help:"times × this are seconds: 0.001 for Mooncake."`
	Timestamp  string  `json:"timed_trace_label_timestamp" flag:"timed-trace-label-timestamp" default:"timestamp" metavar:"KEY" help:"the key of the time."`
	Input      string  `json:"timed_trace_label_input_length" flag:"timed-trace-label-input-length" default:"input_length" metavar:"KEY" help:"the key of the prompt's tokens."`
	Output     string  `json:"timed_trace_label_output_length" flag:"timed-trace-label-output-length" default:"output_length" metavar:"KEY" help:"the key of the tokens to generate."`
	IDs        string  `json:"timed_trace_label_hash_ids" flag:"timed-trace-label-hash-ids" default:"hash_ids" metavar:"KEY" help:"the key of the list of block ids."`
	HashSeed   int     `json:"timed_trace_hash_seed" flag:"timed-trace-hash-seed" whole:"true" default:"0" min:"0" max:"4294967295" help:"tokens are those of vLLM's client under PYTHONHASHSEED=N; without that variable its own differ from start to start."`
	TimesOption
}

// IsSelfTimed says whether the trace's times are used. In vLLM a rate does not change that.
func (o *TimedTraceOptions) IsSelfTimed(paced bool) bool {
	return o.SelfTimed == nil || *o.SelfTimed
}

// CheckWith looks at the options beside those of all datasets.
func (o *TimedTraceOptions) CheckWith(all *Options) error {
	if all.Chat {
		return option.Errorf("backend", "must send completions with %s timed_trace, whose prompts are token ids", option.Ref("dataset_name")).
			WithHint("use --backend openai or vllm")
	}
	return nil
}

func (*TimedTraceOptions) sendsIDs() bool { return true }

// timedDataset replays the rows of a file in its order.
type timedDataset struct {
	*corpus
	own    *TimedTraceOptions
	ids    []int32 // ordinary ones, ascending
	key    pyhash.Key
	total  int
	next   int
	short  int // rows whose ids are too few for their length
	behind int // rows with an earlier time than the one before
}

// timedRow is a row without its tokens.
type timedRow struct {
	at            time.Duration
	input, output int
	ids           []string // as they are written
}

func openTimedTrace(o Options, own *TimedTraceOptions) (Dataset, error) {
	v, ok := o.Tokenizer.(prompts.Vocabulary)
	if !ok {
		return nil, errNoVocabulary
	}
	c, err := openCorpus(o.Path, indexLines)
	if err != nil {
		return nil, err
	}
	d := &timedDataset{corpus: c, own: own, ids: allOrdinaryIDs(v), key: pyhash.NewKey(uint32(own.HashSeed)), total: min(o.NumPrompts, len(c.spans))}
	if err := d.look(); err != nil {
		c.file.Close()
		return nil, err
	}
	return d, nil
}

// allOrdinaryIDs are all ids but the special ones: added tokens are among them, as in
// transformers' get_vocab.
func allOrdinaryIDs(v prompts.Vocabulary) []int32 {
	size := v.VocabSize()
	if all, ok := v.(interface{ Len() int }); ok {
		size = max(size, all.Len())
	}
	return ordinaryOf(v, size)
}

// look reads all rows that will be sent, so that a bad one ends no run.
func (d *timedDataset) look() error {
	if d.total == 0 {
		return fmt.Errorf("%s has no row", d.file.Name())
	}
	last := time.Duration(math.MinInt64)
	for i := range d.total {
		r, err := d.row(i)
		if err != nil {
			return err
		}
		if r.at < last {
			d.behind++
		}
		last = r.at
		if len(r.ids)*d.own.ChunkSize < r.input {
			d.short++
		}
	}
	return nil
}

// Notes says what vLLM passes over in silence.
func (d *timedDataset) Notes() (notes []string) {
	if d.short > 0 {
		notes = append(notes, fmt.Sprintf("%d of %d rows have fewer block ids than their length needs, so that their prompts are shorter: is --timed-trace-chunk-hash-size %d right?",
			d.short, d.total, d.own.ChunkSize))
	}
	if d.behind > 0 {
		notes = append(notes, fmt.Sprintf("%d rows are earlier than the one before and are sent late, as vLLM does: the dataset trace sorts them", d.behind))
	}
	return notes
}

func (d *timedDataset) row(i int) (*timedRow, error) {
	raw, err := d.read(i)
	if err != nil {
		return nil, err
	}
	r, err := d.own.parse(raw)
	if err != nil {
		return nil, fmt.Errorf("%s, row %d: %w", d.file.Name(), i+1, err)
	}
	return r, nil
}

// mostTimedIDs and mostTimedTokens bound a row.
const (
	mostTimedIDs    = 1 << 20
	mostTimedTokens = 1 << 24
)

func (o *TimedTraceOptions) parse(raw []byte) (*timedRow, error) {
	var entry map[string]json.RawMessage
	if err := json.Unmarshal(bytes.TrimSpace(raw), &entry); err != nil {
		return nil, err
	}
	r := &timedRow{}
	var at float64
	for _, f := range []struct {
		key, flag string
		to        any
	}{
		{o.Input, "input-length", &r.input},
		{o.Output, "output-length", &r.output},
		{o.Timestamp, "timestamp", &at},
	} {
		value, ok := entry[f.key]
		if !ok || json.Unmarshal(value, f.to) != nil {
			return nil, fmt.Errorf("it needs a number as %q: --timed-trace-label-%s names the key", f.key, f.flag)
		}
	}
	if r.input < 0 || r.input > mostTimedTokens || r.output < 1 || r.output > mostTimedTokens {
		return nil, fmt.Errorf("%d input and %d output tokens are out of bounds", r.input, r.output)
	}
	seconds := at * o.Multiplier
	if !(seconds >= 0 && seconds <= 1e9) {
		return nil, fmt.Errorf("a time of %g s is not within 0 and 31 years", seconds)
	}
	r.at = time.Duration(math.Round(seconds * 1e9))
	var ids []json.Number
	if value, ok := entry[o.IDs]; ok {
		if err := json.Unmarshal(value, &ids); err != nil || len(ids) > mostTimedIDs {
			return nil, fmt.Errorf("%q must be a list of at most %d whole numbers", o.IDs, mostTimedIDs)
		}
	}
	for _, id := range ids {
		if bytes.ContainsAny([]byte(id), ".eE") || id == "-0" || id == "" {
			return nil, fmt.Errorf("%q must hold whole numbers, not %s", o.IDs, id)
		}
		r.ids = append(r.ids, string(id))
	}
	return r, nil
}

// Next implements Source.
func (d *timedDataset) Next() (*Request, error) {
	if d.next == d.total {
		return nil, io.EOF
	}
	r, err := d.row(d.next)
	if err != nil {
		return nil, err
	}
	request := d.request(r, d.key)
	request.Index, request.Due = d.next, r.at
	d.next++
	return request, nil
}

// request expands each block to the tokens that Python's generator draws when it is
// seeded by the hash of the block's id and size. The last block's size is in the hash,
// so that a part of a block is not the beginning of the whole one.
func (d *timedDataset) request(r *timedRow, key pyhash.Key) *Request {
	left, count := r.input, 0
	prompt := []byte{'['}
	for _, id := range r.ids {
		size := min(left, d.own.ChunkSize)
		draw := numpy.NewPython(uint64(uint32(key.String(id + ":" + strconv.Itoa(size)))))
		for range size {
			if count > 0 {
				prompt = append(prompt, ',')
			}
			prompt = strconv.AppendInt(prompt, int64(d.ids[draw.Choices(len(d.ids))]), 10)
			count++
		}
		if left -= size; left <= 0 {
			break
		}
	}
	return &Request{Prompt: string(append(prompt, ']')), TokenIDs: true, PromptTokens: count, OutputTokens: r.output}
}

// Len implements Dataset.
func (d *timedDataset) Len() int { return d.total }

// Close implements Dataset.
func (d *timedDataset) Close() error { return d.file.Close() }

// numPyState: vLLM's class seeds NumPy's generator with 0, whatever --seed is.
func (d *timedDataset) numPyState() *numpy.RandomState { return numpy.NewRandomState(0) }

// Warmups implements Dataset: the same rows with another salt.
func (d *timedDataset) Warmups(n int) ([]*Request, error) {
	key := pyhash.NewKey(uint32(d.own.HashSeed) ^ 0x9e3779b9)
	warm := make([]*Request, n)
	for i := range warm {
		r, err := d.row(i % d.total)
		if err != nil {
			return nil, err
		}
		warm[i] = d.request(r, key)
		warm[i].Index = i
	}
	return warm, nil
}
