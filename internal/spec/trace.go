package spec

import (
	"github.com/inferometer/inferometer/internal/send/workload"
)

// resolveTrace sets what the preset of a trace says and nobody gave.
func (s *Spec) resolveTrace(given func(flag string) bool) {
	own, ok := s.DatasetOptions.(*workload.TraceOptions)
	if !ok {
		return
	}
	resolved := *own // other Specs may have the same
	s.DatasetOptions = &resolved
	resolved.ApplyPreset(given)
	if d := resolved.Duration(); d > 0 && !given("duration") && !given("num-prompts") && !given("trace-passes") && !given("max-requests") && s.Until == "" {
		s.Duration = d
	}
}

// modelStops says that answers end where the model ends them, though the dataset says how long they are.
func (s *Spec) modelStops(given func(flag string) bool) bool {
	own, ok := s.DatasetOptions.(*workload.TraceOptions)
	return ok && (own.Stops() || given("ignore-eos"))
}

// SetLoop says how a trace is played whose file decides it, and checks what follows from it.
func (s *Spec) SetLoop(loop string) error {
	own, ok := s.DatasetOptions.(*workload.TraceOptions)
	if !ok {
		return nil
	}
	resolved := *own
	resolved.Loop, s.DatasetOptions = loop, &resolved
	if err := s.CheckDataset(); err != nil {
		return err
	}
	return s.checkConversations()
}
