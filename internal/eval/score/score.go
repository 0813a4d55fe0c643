// Package score is what the answers of a run are worth: from the journal's lines of
// questions and answers to right and wrong, and from these to an accuracy with its error.
// It is a pure function of a journal: an answer is scored as often as one likes.
package score

// Result is what the answers of a run are worth. Its fields appear in the result file as
// they are, under inferometer.eval.
type Result struct {
	Task    string `json:"task"`
	Version string `json:"version,omitempty"`
	Kind    string `json:"kind"`
	Shots   int    `json:"shots"`
	Chat    bool   `json:"chat"`
	Data    string `json:"data,omitempty"`
	SHA     string `json:"questions_sha,omitempty"` // two results with the same are of the same questions

	Questions  int `json:"questions"`  // planned
	Answered   int `json:"answered"`   // with a complete answer: the base of all shares below
	Unanswered int `json:"unanswered"` // whose request failed, or was not sent
	Earlier    int `json:"earlier"`    // answered in a part of the run that was killed
	CutOff     int `json:"cut_off"`    // answers that reached the limit of tokens
	NoAnswer   int `json:"no_answer"`  // answers in which the first score found none
	Refused    int `json:"refused"`    // of NoAnswer: the model or its server declined

	PromptTokens int64 `json:"prompt_tokens"` // as the server counted
	OutputTokens int64 `json:"output_tokens"`

	Chance *float64 `json:"chance"` // accuracy of guessing; null: not known
	Scores []Score  `json:"scores"` // the first is the task's own
	// Categories are by the first score, by name; absent where the task has none.
	Categories []Category `json:"categories,omitempty"`
	Each       Each       `json:"each"`
	Warnings   []string   `json:"warnings,omitempty"`
}

// Score is an accuracy by one way of scoring.
type Score struct {
	Name   string `json:"name"`
	Metric string `json:"metric"`
	Accuracy
}

// Category is the accuracy of some of the questions.
type Category struct {
	Name string `json:"name"`
	Accuracy
}

// Accuracy is a share of right answers with its error.
type Accuracy struct {
	Right    int      `json:"right"`
	Of       int      `json:"of"`
	Value    *float64 `json:"value"`  // null where nothing was answered
	StdErr   *float64 `json:"stderr"` // as lm-eval prints it: of the sample, over n-1; null below 2 answers
	Low      *float64 `json:"low"`    // Wilson's 95 % interval
	High     *float64 `json:"high"`
	NoAnswer int      `json:"no_answer"` // answers in which this score found none
	// Worst and Best are the accuracy over all questions if all that are unanswered were wrong, or right.
	Worst *float64 `json:"worst,omitempty"`
	Best  *float64 `json:"best,omitempty"`
	// Chance: it can't be told from guessing. null: guessing is not known.
	Chance *bool `json:"like_chance"`
}

// Each is what became of each question, in their order: enough to pair two results.
type Each struct {
	Numbers []int    `json:"numbers"`
	IDs     []string `json:"ids,omitempty"`
	// Right has a letter for each: 1 right, 0 wrong, n no answer was found in the text (wrong), - unanswered.
	Right string `json:"right"`
	// Answers are what was found in each text, shortened; Hashes are of the texts.
	Answers []string `json:"answers,omitempty"`
	Hashes  []string `json:"hashes,omitempty"`
}
