package bench

import (
	"context"
	"fmt"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/send/load"
	"github.com/inferometer/inferometer/internal/send/workload"
)

// The text by which a server is asked whether it tells likelihoods. It is none of the task's.
const (
	checkContext = "The sky is"
	checkChoice  = " blue"
)

// checkTries is how often it is asked where something else went wrong.
const checkTries = 3

// checkChoices finds out whether a server tells how likely a prompt's end is, before a task
// that needs it is asked: one that passes over the question would fail every request.
func (r *Run) checkChoices(ctx context.Context, url string) error {
	if r.task == nil || r.task.Kind != journal.TaskChoice {
		return nil
	}
	cfg := r.loadConfig(nil, nil)
	cfg.URL, cfg.Targets, cfg.Balance = url, nil, nil
	for range checkTries {
		one, cancel := context.WithTimeout(ctx, preflightTime)
		got, err := load.Try(one, cfg, &workload.Request{Prompt: checkContext + checkChoice, Context: len(checkContext), OutputTokens: 1})
		cancel()
		if err != nil {
			return err
		}
		switch got.Outcome {
		case journal.Complete:
			return nil
		case journal.HTTP4xx, journal.Protocol, journal.Empty:
			return r.noLikelihoods(url, &got)
		}
	}
	return nil // of the moment, maybe: the load's outcomes say it
}

// noLikelihoods says what to do about such a server.
func (r *Run) noLikelihoods(url string, got *journal.Request) error {
	return fmt.Errorf("%s does not tell how likely a text is, by which the task %s is scored: %s; vLLM and SGLang tell it at /v1/completions (echo with logprobs), or let the answer be generated: --task letter",
		r.wire.Secrets.Scrub(url), r.task.Name, got.Error)
}
