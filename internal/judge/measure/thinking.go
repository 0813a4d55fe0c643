package measure

import "github.com/inferometer/inferometer/internal/judge/row"

// thinking sums up the reasoning of successes.
type thinking struct {
	any, unknown bool
	tokens, of   int64
}

func (t *thinking) add(r *row.Request) {
	n, any, known := r.Thinking()
	t.any = t.any || any
	if !known {
		t.unknown = true
		return
	}
	t.tokens += int64(n)
	t.of += int64(r.Row.Got)
}

// Thinking is the share of the output that was reasoning.
type Thinking struct {
	Share *float64 // nil: not known
}

// result is nil where no answer had any.
func (t *thinking) result() *Thinking {
	switch {
	case !t.any:
		return nil
	case t.unknown || t.of <= 0:
		return &Thinking{}
	}
	return &Thinking{Share: new(min(float64(t.tokens)/float64(t.of), 1))}
}
