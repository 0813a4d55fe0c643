package workload

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"os"

	"github.com/inferometer/inferometer/internal/compat/numpy"
	"github.com/inferometer/inferometer/internal/send/workload/prompts"
)

// entryReader knows the entries of one kind of file.
type entryReader interface {
	// request makes a request of an entry; nil if the entry is not fit for one.
	request(raw []byte) (*Request, error)
	// prompt gives the request's prompt again, without counting.
	prompt(raw []byte) (string, error)
}

// mediaReader is an entryReader whose requests hold more than a text.
type mediaReader interface {
	// fill adds the rest of an entry to a request with its prompt, which has a mark in front of it.
	fill(raw []byte, r *Request, mark string) error
}

// fileDataset takes requests from the entries of a file in shuffled order, and
// repeats them at random where they are too few. All entries are chosen and
// counted before the first request, so that no tokenizing disturbs the run; their
// texts are read again when they are due.
type fileDataset struct {
	*corpus
	entries entryReader
	tok     prompts.Tokenizer
	order   []int32 // entries in the order in which they are looked at
	looked  int     // how many have been
	chosen  []choice
	total   int
	random  *numpy.Python // as the shuffle left it
	repeat  *numpy.Python
	next    int
}

// choice is a request without its text.
type choice struct {
	entry, promptTokens, outputTokens int32
	text                              uint64 // hash of the prompt
}

// newFileDataset chooses n requests.
func newFileDataset(c *corpus, entries entryReader, o Options, n int) (*fileDataset, error) {
	d := &fileDataset{corpus: c, entries: entries, tok: o.Tokenizer, order: make([]int32, len(c.spans))}
	for i := range d.order {
		d.order[i] = int32(i)
	}
	d.random = numpy.NewPython(o.Seed)
	if !o.DisableShuffle {
		d.random.Shuffle(len(d.order), func(i, j int) {
			d.order[i], d.order[j] = d.order[j], d.order[i]
		})
	}
	for len(d.chosen) < n {
		r, entry, err := d.look()
		if err != nil {
			return nil, err
		}
		if r == nil {
			break
		}
		d.chosen = append(d.chosen, choice{entry, int32(r.PromptTokens), int32(r.OutputTokens), hashOf(r.Prompt)})
	}
	if len(d.chosen) == 0 {
		return nil, fmt.Errorf("%s has no entry that can be used (of %d)", c.file.Name(), len(c.spans))
	}
	d.total = n
	if o.NoOversample {
		d.total = len(d.chosen)
	}
	d.repeat = numpy.NewPython(o.Seed) // vLLM seeds it once more here
	return d, nil
}

// look goes on to the next fit entry; a nil request is the end of the file.
func (d *fileDataset) look() (*Request, int32, error) {
	for d.looked < len(d.order) {
		entry := d.order[d.looked]
		d.looked++
		raw, err := d.read(int(entry))
		if err != nil {
			return nil, 0, err
		}
		r, err := d.entries.request(raw)
		if err != nil {
			return nil, 0, fmt.Errorf("%s, entry %d: %w", d.file.Name(), entry+1, err)
		}
		if r != nil {
			return r, entry, nil
		}
	}
	return nil, 0, nil
}

// Next implements Source.
func (d *fileDataset) Next() (*Request, error) {
	if d.next >= d.total {
		return nil, io.EOF
	}
	var c choice
	if d.next < len(d.chosen) {
		c = d.chosen[d.next]
	} else {
		c = d.chosen[d.repeat.Below(len(d.chosen))]
	}
	r, err := d.again(c, "")
	if err != nil {
		return nil, err
	}
	r.Index = d.next
	d.next++
	return r, nil
}

// again reads a chosen entry's text once more, and puts a mark in front of it.
func (d *fileDataset) again(c choice, mark string) (*Request, error) {
	raw, err := d.read(int(c.entry))
	if err != nil {
		return nil, err
	}
	prompt, err := d.entries.prompt(raw)
	if err != nil {
		return nil, err
	}
	r := &Request{Prompt: mark + prompt, PromptTokens: int(c.promptTokens), OutputTokens: int(c.outputTokens)}
	if m, ok := d.entries.(mediaReader); ok {
		err = m.fill(raw, r, mark)
	}
	return r, err
}

// Len implements Dataset.
func (d *fileDataset) Len() int { return d.total }

// Close implements Dataset.
func (d *fileDataset) Close() error { return d.file.Close() }

// pythonState is after the last repetition, where there are some: vLLM seeds the
// generator once more for them.
func (d *fileDataset) pythonState() *numpy.Python {
	if d.total <= len(d.chosen) {
		return d.random.Clone()
	}
	p := d.repeat.Clone()
	for range d.total - max(d.next, len(d.chosen)) {
		p.Below(len(d.chosen))
	}
	return p
}

// Warmups implements Dataset: entries that were not chosen and whose text was not
// either; when they run out, chosen ones with a mark in front.
func (d *fileDataset) Warmups(n int) ([]*Request, error) {
	seen := make(map[uint64]bool, len(d.chosen))
	for _, c := range d.chosen {
		seen[c.text] = true
	}
	looked := d.looked
	defer func() { d.looked = looked }() // each call gives the same
	var warm []*Request
	for len(warm) < n {
		r, _, err := d.look()
		if err != nil {
			return nil, err
		}
		if r == nil {
			break
		}
		if h := hashOf(r.Prompt); !seen[h] {
			seen[h] = true
			r.Index = len(warm)
			warm = append(warm, r)
		}
	}
	for len(warm) < n {
		r, err := d.marked(len(warm))
		if err != nil {
			return nil, err
		}
		warm = append(warm, r)
	}
	return warm, nil
}

func (d *fileDataset) marked(i int) (*Request, error) {
	r, err := d.again(d.chosen[i%len(d.chosen)], fmt.Sprintf("Warm-up %d. ", i+1))
	if err != nil {
		return nil, err
	}
	r.Index = i
	if d.tok != nil {
		r.PromptTokens, err = prompts.CountTokens(d.tok, r.Prompt)
	}
	return r, err
}

func hashOf(text string) uint64 {
	h := fnv.New64a()
	io.WriteString(h, text)
	return h.Sum64()
}

// corpus is a file of entries, of which only the places are kept: a shuffle
// needs all of them, and their texts may be larger than the memory.
type corpus struct {
	file  *os.File
	spans []span
}

// span is where an entry lies in the file.
type span struct {
	at   int64
	size int
}

// openCorpus finds the entries of a file with index.
func openCorpus(path string, index func(io.Reader) ([]span, error)) (*corpus, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	spans, err := index(f)
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return &corpus{f, spans}, nil
}

// read gives the bytes of entry i.
func (c *corpus) read(i int) ([]byte, error) {
	b := make([]byte, c.spans[i].size)
	_, err := c.file.ReadAt(b, c.spans[i].at)
	return b, err
}

// indexLines finds the lines that are not blank.
func indexLines(r io.Reader) ([]span, error) {
	var spans []span
	in := bufio.NewReaderSize(r, 1<<20)
	at := int64(0)
	line := span{}
	blank := true
	for {
		part, err := in.ReadSlice('\n')
		line.size += len(part)
		at += int64(len(part))
		blank = blank && len(bytes.TrimSpace(part)) == 0
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if !blank {
			spans = append(spans, line)
		}
		line, blank = span{at: at}, true
		if errors.Is(err, io.EOF) {
			return spans, nil
		}
		if err != nil {
			return nil, err
		}
	}
}

// indexArray finds those elements of a JSON array that, decoded into a T, keep
// wants. Elements of another type are left out.
func indexArray[T any](r io.Reader, keep func(T) bool) ([]span, error) {
	var spans []span
	dec := json.NewDecoder(bufio.NewReaderSize(r, 1<<20))
	if t, err := dec.Token(); err != nil || t != json.Delim('[') {
		return nil, fmt.Errorf("it must be a JSON array of conversations: %w", orElse(err, "it begins with something else"))
	}
	for dec.More() {
		from := dec.InputOffset()
		var element T
		err := dec.Decode(&element)
		var mismatch *json.UnmarshalTypeError
		if errors.As(err, &mismatch) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("at byte %d: %w", from, err)
		}
		if keep(element) {
			spans = append(spans, span{from, int(dec.InputOffset() - from)})
		}
	}
	if _, err := dec.Token(); err != nil {
		return nil, fmt.Errorf("the array has no end: %w", err)
	}
	return spans, nil
}

func orElse(err error, text string) error {
	if err != nil {
		return err
	}
	return errors.New(text)
}
