package measure

import (
	"github.com/inferometer/inferometer/internal/eval/score"
	"github.com/inferometer/inferometer/internal/journal"
)

// answersOf scores the answers of a run whose requests are questions, while the journal is
// read. It is nil for any other run.
func answersOf(j Journal) *score.Collector {
	task := j.Run().Task
	if task == nil {
		return nil
	}
	c := score.NewCollector(task)
	if lines, ok := j.(interface {
		OnAnswer(see func(*journal.Answer))
	}); ok {
		lines.OnAnswer(c.Add)
	}
	if lines, ok := j.(interface {
		OnChecked(see func(*journal.Checked))
	}); ok {
		lines.OnChecked(c.Checked)
	}
	return c
}
