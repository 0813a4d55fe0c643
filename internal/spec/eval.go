package spec

import (
	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/send/workload"
	"github.com/inferometer/inferometer/internal/usage"
)

// RefuseCode says why a task is not asked: its answers are programs, and nobody allowed
// to run them; or it has none, and the permission is a mistake.
func (s *Spec) RefuseCode(t *journal.Task) error {
	switch code := t != nil && t.Kind == journal.TaskCode; {
	case code && !s.AllowCode:
		return usage.Errorf("allow-code", "is needed for the task %s: its answers are programs that a model wrote, and they are run on this machine (docs/code.md)", t.Name)
	case s.AllowCode && !code:
		return usage.Errorf("allow-code", "is for a task whose answers are programs, such as humaneval: no other runs any")
	}
	return nil
}

// Asks says that the requests are questions, whose answers are kept and scored.
func (s *Spec) Asks() bool { return s.DatasetName == workload.EvalName }

// checkEval refuses what would change or divide the answers.
func (s *Spec) checkEval() error {
	b := s.API()
	switch {
	case !s.Asks():
		return nil
	case b.Pooling || b.Query || s.carries().Upload:
		return usage.Errorf("backend", "%s gives no texts, and questions need answers", s.Backend).WithHint("use %s %s or %s", usage.Ref("backend"), BackendOpenAI, BackendChat)
	case s.IgnoreEOS:
		return usage.Errorf("ignore-eos", "can't be used with questions: an answer ends where the model ends it")
	case s.InFleet():
		return usage.Errorf("fleet", "can't send questions: their answers are kept by one process").WithHint("leave it out; %s limits the requests in flight", usage.Ref("max-concurrency"))
	case !s.Share.Whole():
		return usage.Errorf("client-share", "can't be used with questions: their answers are scored together")
	}
	return nil
}
