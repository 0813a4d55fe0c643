// Package ask says what can be asked of a server: whether a task can be put in the way that a Spec wants it, and whether
// the server tells what the task is scored by.
package ask

import (
	"github.com/inferometer/inferometer/internal/eval/score"
	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/spec"
	"github.com/inferometer/inferometer/internal/usage"
)

// Check looks at what a Spec's dataset asks, and whether it can be asked in this way; a nil
// task asks nothing. What a task needs of the Spec is put into it.
func Check(s *spec.Spec, t *journal.Task) error {
	if err := s.RefuseCode(t); err != nil || t == nil {
		return err
	}
	if err := score.Check(t); err != nil {
		return usage.Errorf("task", "%s can't be scored: %v", t.Name, err)
	}
	switch t.Kind {
	case journal.TaskGenerate, journal.TaskCode: // code was allowed
		return nil
	case journal.TaskChoice:
		return choices(s, t)
	}
	return usage.Errorf("task", "%s is of the kind %q, which this version can't ask", t.Name, t.Kind)
}

// choices prepares for requests of which each holds one choice. Its likelihood is in the
// log-probabilities of the prompt, which only completions give, and not as a stream.
func choices(s *spec.Spec, t *journal.Task) error {
	if !s.API().Echoes || s.Protocol != nil {
		return usage.Errorf("backend", "%s gives no log-probabilities of a prompt, by which the task %s is scored", s.Backend, t.Name).
			WithHint("use --backend %s or %s", spec.BackendOpenAI, spec.BackendVLLM)
	}
	s.Unstreamed = true
	if err := s.CheckUnstreamed(); err != nil {
		return err
	}
	s.PercentileMetrics = journal.WholeMetrics()
	return nil
}
