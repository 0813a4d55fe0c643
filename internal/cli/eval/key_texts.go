package eval

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/inferometer/inferometer/internal/eval/score"
	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/sim/answers"
)

// wordings are how an answer may be put. Which of them a task understands is tried.
var wordings = []string{"The answer is (%s).", "The answer is %s.", "#### %s", "%s"}

// noAnswers are texts in which most tasks find no answer.
var noAnswers = []string{answers.NoAnswer, "...", "?"}

// mostWrongTexts is how many wrong answers a question gets.
const mostWrongTexts = 4

// texts are what may be said to a question.
type texts struct {
	question    *journal.Question
	right, none string
	wrong       []string
}

// makeTexts finds right and wrong answers to each question. All are scored as the answers
// of a run are, and only what is right, wrong or no answer by that is taken for it: so the
// key can't say what the score does not.
func makeTexts(t *journal.Task, questions []*journal.Question) ([]texts, error) {
	out := make([]texts, len(questions))
	for i, q := range questions {
		out[i].question = q
	}
	order, err := bestWordings(t, out)
	if err != nil {
		return nil, err
	}
	chosen := make([]string, len(out)) // the wording of each
	for _, wording := range order {
		verdicts, _ := scored(t, out, func(i int) string { return worded(wording, valueOf(out, i)) })
		for i := range out {
			if out[i].right == "" && verdicts[i] == '1' {
				chosen[i], out[i].right = wording, worded(wording, valueOf(out, i))
			}
		}
	}
	for k := range mostCandidates {
		say := func(i int) string {
			if list := others(out, i); k < len(list) && chosen[i] != "" {
				return worded(chosen[i], list[k])
			}
			return ""
		}
		verdicts, _ := scored(t, out, say)
		for i := range out {
			text := say(i)
			if verdicts[i] == '0' && text != "" && len(out[i].wrong) < mostWrongTexts && !slices.Contains(out[i].wrong, text) && text != out[i].right {
				out[i].wrong = append(out[i].wrong, text)
			}
		}
	}
	for _, text := range noAnswers {
		verdicts, _ := scored(t, out, func(int) string { return text })
		for i := range out {
			if out[i].none == "" && verdicts[i] == 'n' {
				out[i].none = text
			}
		}
	}
	return out, nil
}

// bestWordings are the wordings, first that which most scores of the task understand.
func bestWordings(t *journal.Task, all []texts) ([]string, error) {
	rights := map[string]int{}
	any := false
	for _, wording := range wordings {
		verdicts, sum := scored(t, all, func(i int) string { return worded(wording, valueOf(all, i)) })
		rights[wording] = sum
		any = any || strings.Contains(verdicts, "1")
	}
	if !any {
		return nil, fmt.Errorf("no right answer to the task %s could be made up: none of %q is scored as right", t.Name, wordings)
	}
	order := slices.Clone(wordings)
	if strings.Contains(valueOf(all, 0), "\n") { // a worked answer: it stands by itself
		slices.Reverse(order)
	}
	slices.SortStableFunc(order, func(a, b string) int { return rights[b] - rights[a] })
	return order, nil
}

// scored is what a text for each question is worth by the task's first score, a letter each
// as in score.Each, and how many are right by all of its scores together.
func scored(t *journal.Task, all []texts, say func(i int) string) (verdicts string, rights int) {
	own := *t
	own.Asked = len(all)
	c := score.NewCollector(&own)
	for i := range all {
		a := journal.Answer{Index: i, Question: *all[i].question, Outcome: journal.Complete, FinishReason: "stop", Text: say(i)}
		a.Number = i
		c.Add(&a)
	}
	r := c.Result()
	for i := range r.Scores {
		rights += r.Scores[i].Right
	}
	return r.Each.Right, rights
}

func worded(wording, value string) string { return strings.Replace(wording, "%s", value, 1) }

func valueOf(all []texts, i int) string {
	if right := all[i].question.Right; len(right) > 0 {
		return right[0]
	}
	return ""
}

// mostCandidates is how many other values are tried for each question.
const mostCandidates = 9

var (
	lastNumber = regexp.MustCompile(`(?s)^(.*?)(-?[0-9][0-9,]*)([^0-9]*)$`)
	oneLetter  = regexp.MustCompile(`^(\(?)([A-Z])(\)?)$`)
)

// others are values like the right one that may be wrong: other letters, other labels, other
// numbers, other questions' answers.
func others(all []texts, i int) (list []string) {
	q, value := all[i].question, valueOf(all, i)
	if m := oneLetter.FindStringSubmatch(value); m != nil && q.Options > 0 {
		for k := range min(q.Options, 26) {
			if letter := string(rune('A' + k)); letter != m[2] {
				list = append(list, m[1]+letter+m[3])
			}
		}
	}
	for _, label := range q.Labels {
		if label != value {
			list = append(list, label)
		}
	}
	if m := lastNumber.FindStringSubmatch(value); m != nil {
		if n, err := strconv.ParseInt(strings.ReplaceAll(m[2], ",", ""), 10, 64); err == nil && n < 1<<60 && n > -1<<60 {
			for _, more := range []int64{1, 2, 7, 10} {
				list = append(list, m[1]+strconv.FormatInt(n+more, 10)+m[3])
			}
		}
	}
	for k := 1; k < len(all) && len(list) < mostCandidates; k++ {
		if other := valueOf(all, (i+k*k)%len(all)); other != value && other != "" {
			list = append(list, other)
		}
		if k > 4*mostCandidates {
			break
		}
	}
	return list
}
