package task

import (
	"fmt"

	"github.com/inferometer/inferometer/internal/compat/numpy"
)

// maxShots bounds the worked examples before a question.
const maxShots = 1000

// drawExamples chooses the worked examples of all questions, one after the other, since
// each draw depends on those before it. Each list holds places in pool.
func (t *Task) drawExamples(asked, pool []*row, pools map[string][]int, shots int, seed int64) ([][]int, error) {
	if shots == 0 {
		return nil, nil
	}
	all := make([]int, len(pool))
	for i := range all {
		all[i] = i
	}
	random := numpy.NewPython(uint64(max(seed, -seed)))
	out := make([][]int, len(asked))
	for i, r := range asked {
		from := all
		if t.ofCategory {
			category, err := t.categoryOf(r)
			if err != nil {
				return nil, rowError(r, err)
			}
			if from = pools[category]; len(from) < shots {
				return nil, fmt.Errorf("question %d asks for %d worked examples of its category %q, and there are %d: give others with --examples, or fewer with --num-fewshot",
					r.number+1, shots, category, len(from))
			}
		}
		chosen, err := t.choose(r, pool, from, shots, random)
		if err != nil {
			return nil, err
		}
		out[i] = chosen
	}
	return out, nil
}

func (t *Task) choose(r *row, pool []*row, from []int, shots int, random *numpy.Python) ([]int, error) {
	if !t.random {
		if t.exclude {
			from = others(pool, from, r, shots)
		}
		if len(from) < shots {
			return nil, tooFew(shots, len(from))
		}
		return from[:shots], nil
	}
	draw := func(from []int, n int) ([]int, error) {
		if n > len(from) {
			return nil, tooFew(n, len(from))
		}
		out := random.Sample(len(from), n)
		for i, at := range out {
			out[i] = from[at]
		}
		return out, nil
	}
	if !t.exclude {
		return draw(from, shots)
	}
	drawn, err := draw(from, shots+1) // one more, since the question may be among them
	if err != nil {
		return nil, err
	}
	if drawn = others(pool, drawn, r, shots); len(drawn) == shots {
		return drawn, nil
	}
	return draw(others(pool, from, r, len(from)), shots)
}

// others are the first n that are not the question itself.
func others(pool []*row, from []int, r *row, n int) []int {
	out := make([]int, 0, min(n, len(from)))
	for _, at := range from {
		if len(out) == n {
			break
		}
		if !pool[at].same(r) {
			out = append(out, at)
		}
	}
	return out
}

func tooFew(wanted, there int) error {
	return fmt.Errorf("%d worked examples are asked for, and there are %d: give more with --examples, or ask for fewer with --num-fewshot", wanted, there)
}

func rowError(r *row, err error) error { return fmt.Errorf("row %d: %w", r.number+1, err) }
