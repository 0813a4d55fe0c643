package workload

import (
	"errors"
	"fmt"
	"io"

	"github.com/inferometer/inferometer/internal/compat/numpy"
	"github.com/inferometer/inferometer/internal/send/trace"
	"github.com/inferometer/inferometer/internal/send/workload/prompts"
)

// burstModel is the model whose rows vLLM takes.
const burstModel = "GPT-4"

var burstGPT = NewKind(Kind{
	Name: "burstgpt", Doc: "Lengths of BurstGPT's requests to GPT-4, drawn from its CSV file. The dataset trace has their times too.", File: true,
}, openBurstGPT)

// burstDataset draws rows of the file as pandas does, and makes prompts of as many
// consecutive ids as a row says. As in vLLM their text is not measured again.
type burstDataset struct {
	vocabulary prompts.Vocabulary
	rows       [][2]int32 // input and output tokens
	order      []int32
	next       int
}

func openBurstGPT(o Options, _ *struct{}) (Dataset, error) {
	v, ok := o.Tokenizer.(prompts.Vocabulary)
	if !ok {
		return nil, errNoVocabulary
	}
	rows, err := burstRows(o.Path)
	if err != nil {
		return nil, err
	}
	d := &burstDataset{vocabulary: v, rows: rows}
	random := numpy.NewRandomState(o.Seed)
	if o.NumPrompts <= len(rows) {
		d.order = random.Permutation(len(rows))[:o.NumPrompts]
		return d, nil
	}
	for range o.NumPrompts { // with replacement
		d.order = append(d.order, int32(random.Randint(0, int64(len(rows)))))
	}
	return d, nil
}

var errNoVocabulary = errors.New("its prompts are made of token ids, which needs a tokenizer.json: give --tokenizer")

// burstRows reads the lengths of successful requests to burstModel.
func burstRows(path string) ([][2]int32, error) {
	t, err := trace.Open("burstgpt", path)
	if err != nil {
		return nil, err
	}
	from := t.Rows()
	defer from.Close()
	var rows [][2]int32
	var r trace.Row
	for {
		err := from.Next(&r)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		if r.Model == burstModel && r.Output > 0 {
			rows = append(rows, [2]int32{int32(r.Input), int32(r.Output)})
		}
	}
	if len(rows) == 0 {
		return nil, fmt.Errorf("%s has no row of the model %s with response tokens", path, burstModel)
	}
	return rows, nil
}

// Next implements Source.
func (d *burstDataset) Next() (*Request, error) {
	if d.next == len(d.order) {
		return nil, io.EOF
	}
	r, err := d.request(d.next, d.next)
	d.next++
	return r, err
}

// request makes one of the row that is drawn for an index, from ids that begin at first.
func (d *burstDataset) request(index, first int) (*Request, error) {
	row := d.rows[d.order[index%len(d.order)]]
	ids := make([]int32, row[0])
	for j := range ids {
		ids[j] = int32((first + j) % d.vocabulary.VocabSize())
	}
	text, err := d.vocabulary.Decode(ids)
	return &Request{Index: index, Prompt: text, PromptTokens: len(ids), OutputTokens: int(row[1])}, err
}

// Len implements Dataset.
func (d *burstDataset) Len() int { return len(d.order) }

// Close implements Dataset.
func (d *burstDataset) Close() error { return nil }

// Warmups implements Dataset: ids from the middle of what is left of the vocabulary.
func (d *burstDataset) Warmups(n int) ([]*Request, error) {
	size := d.vocabulary.VocabSize()
	warm := make([]*Request, n)
	for i := range warm {
		var err error
		if warm[i], err = d.request(i, min(len(d.order), size)+(size-min(len(d.order), size))/2+i); err != nil {
			return nil, err
		}
	}
	return warm, nil
}
