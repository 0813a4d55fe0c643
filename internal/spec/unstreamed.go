package spec

import (
	"slices"

	"github.com/inferometer/inferometer/internal/judge/condition"
	"github.com/inferometer/inferometer/internal/judge/metric"
	"github.com/inferometer/inferometer/internal/usage"
)

// checkUnstreamed refuses to ask for an answer in one piece where that can't be, or where
// something else asks for a stream.
func (s *Spec) CheckUnstreamed() error {
	if !s.Unstreamed {
		return nil
	}
	b := s.API()
	switch {
	case b.Pooling || !b.Streams() && s.alwaysWhole():
		return usage.Errorf("unstreamed", "has no effect with %s %s: its answers are never streams", usage.Ref("backend"), s.Backend).WithHint("leave it out")
	case b.Streams():
		return usage.Errorf("unstreamed", "can't be asked of %s %s: its answers are only read as streams", usage.Ref("backend"), s.Backend)
	case s.ContinuousUsage:
		return usage.Errorf("unstreamed", "can't be used together with %s, which asks for usage in each event of a stream", usage.Ref("continuous-usage"))
	case s.ProbeRequestRate > 0:
		return usage.Errorf("unstreamed", "can't be used together with %s: a probe is timed to its first token", usage.Ref("probe-request-rate"))
	}
	return nil
}

// alwaysWhole says whether the backend has no streams, whatever is asked for.
func (s *Spec) alwaysWhole() bool {
	streamed := *s
	streamed.Unstreamed = false
	return !streamed.API().Streams()
}

// checkWhole refuses conditions on times that an answer in one piece does not have.
func (s *Spec) checkWhole() error {
	if s.API().Streams() {
		return nil
	}
	why, which := usage.Ref("unstreamed"), ""
	if !s.Unstreamed {
		why, which = "backend", " "+s.Backend
	}
	refuse := func(flag, name string) error {
		return usage.Errorf(flag, "can't be on %s with %s%s: an answer in one piece has no time to its first token, and none between two", name, why, which).
			WithHint("e2el is known")
	}
	for name := range s.Goodput {
		if limit, ok := metric.ParseLimit(name); ok && limit.Metric.OfStream {
			return refuse("goodput", name)
		}
	}
	for _, c := range []struct {
		flag, text string
		kind       condition.Kind
	}{
		{"slo", s.SLO, condition.Limit}, {"give-up", s.GiveUp, condition.Limit}, {"until", s.Until, condition.Width},
	} {
		if c.text == "" {
			continue
		}
		clauses, err := condition.Parse(c.text, c.kind)
		if err != nil {
			continue // it is refused where it is read
		}
		if i := slices.IndexFunc(clauses, ofStream); i >= 0 {
			return refuse(c.flag, clauses[i].Metric)
		}
	}
	return nil
}

func ofStream(c condition.Clause) bool {
	n, ok := c.Name()
	return ok && n.Metric.OfStream
}
