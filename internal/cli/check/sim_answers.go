package check

import (
	"os"

	"github.com/inferometer/inferometer/internal/cli/argv"
	"github.com/inferometer/inferometer/internal/sim/answers"
)

// answerFlags are those that say how the questions of a key are answered.
var answerFlags = []string{"accuracy", "answer-seed", "answer-agreement", "answer-no-answer", "answer-load-flips"}

func simAnswerFlags(set *argv.Set, o *simOptions) {
	g := argv.Group("Answers")
	set.String(&o.answerKey, "answer-key", "", "Answer the questions of this key, by their prompts (inferometer eval --write-key makes one). Other prompts get words without a meaning.", g, argv.Metavar("FILE"))
	set.Float(&o.answers.Accuracy, "accuracy", 0, "Share of questions that are answered right, in expectation; each question has its luck, so that the server repeats itself.", g, argv.Shown("needed with --answer-key"))
	set.Int(&o.answerSeed, "answer-seed", 0, "Seed of the luck: another server has another.", g)
	set.Float(&o.answers.Agreement, "answer-agreement", 0, "Share of questions whose luck is common to all servers, whatever their seed: two of the same accuracy answer them alike.", g)
	set.Float(&o.answers.NoAnswer, "answer-no-answer", 0, "Share of questions that get a text without an answer; none of these is right.", g)
	set.Float(&o.answers.LoadFlips, "answer-load-flips", 0, "Share of answers that are drawn anew while other requests are in flight, as kernels do whose sums depend on the batch.", g)
}

// readKey reads the answer key, or refuses the flags that mean nothing without one.
func (o *simOptions) readKey(set *argv.Set) error {
	if o.answerKey == "" {
		for _, name := range answerFlags {
			if set.Seen(name) {
				return argv.Errorf(name, "it says how the questions of a key are answered; give the key with --answer-key")
			}
		}
		return nil
	}
	if !set.Seen("accuracy") {
		return argv.Errorf("answer-key", "give --accuracy too, the share of questions to answer right")
	}
	f, err := os.Open(o.answerKey)
	if err != nil {
		return argv.Errorf("answer-key", "%v", err)
	}
	defer f.Close()
	if o.answers.Key, err = answers.Read(f); err != nil {
		return argv.Errorf("answer-key", "%s: %v", o.answerKey, err)
	}
	o.answers.Seed = uint64(o.answerSeed)
	o.cfg.Answers = &o.answers
	return nil
}
