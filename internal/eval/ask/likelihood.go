package ask

import (
	"context"
	"fmt"
	"time"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/send/load"
	"github.com/inferometer/inferometer/internal/send/workload"
)

// The text by which a server is asked whether it tells likelihoods. It is none of the task's.
const (
	checkContext = "The sky is"
	checkChoice  = " blue"
)

// It is asked so often where something else went wrong, and so long each time.
const (
	checkTries = 3
	checkTime  = 10 * time.Second
)

// CheckLikelihoods finds out whether the server of cfg tells how likely a prompt's end is, before a task
// that needs it is asked: one that passes over the question would fail every request.
func CheckLikelihoods(ctx context.Context, cfg load.Config, t *journal.Task) error {
	if t == nil || t.Kind != journal.TaskChoice {
		return nil
	}
	for range checkTries {
		one, cancel := context.WithTimeout(ctx, checkTime)
		got, err := load.Try(one, cfg, &workload.Request{Prompt: checkContext + checkChoice, Context: len(checkContext), OutputTokens: 1})
		cancel()
		if err != nil {
			return err
		}
		switch got.Outcome {
		case journal.Complete:
			return nil
		case journal.HTTP4xx, journal.Protocol, journal.Empty:
			return fmt.Errorf("%s does not tell how likely a text is, by which the task %s is scored: %s; vLLM and SGLang tell it at /v1/completions (echo with logprobs), or let the answer be generated: --task letter",
				cfg.Secrets.Scrub(cfg.URL), t.Name, got.Error)
		}
	}
	return nil // of the moment, maybe: the load's outcomes say it
}
