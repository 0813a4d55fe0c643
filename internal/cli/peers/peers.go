// Package peers is what other load generators call things: their flags and commands, and
// what to type here. The command line answers from these tables, and the pages of
// docs/coming-from are written from them: there is no second list.
//
// A flag of another tool is refused, never accepted. The same words mean other things
// elsewhere (AIPerf's --num-prompts is the size of the dataset), and only of vllm bench we
// promise that a command line runs unchanged. What to type is said instead, whole.
package peers

import (
	"slices"
	"strconv"
	"strings"
)

// Tool is one other program.
type Tool struct {
	Name     string // as its authors write it
	Of       string // which version the tables were read from
	Flags    []Flag
	Commands []Command
}

// Flag is a flag of a tool.
type Flag struct {
	// Names are the ways to write it, the usual one first, with the word for its value:
	// "--isl N, --synthetic-input-tokens-mean". No word: it takes none; one with … takes several.
	Names string
	// Here is what to type, with % in the place of the value. LeaveOut: nothing is to be typed.
	// Empty: there is no equivalent.
	Here string
	// Values say what a value is called here. Empty: as it is there.
	Values map[string]string
	// Remark is what else there is to know, with `marks` for the documents. It reads on after a
	// colon or a semicolon, and of what is left out after a comma.
	Remark string
	// Page is where a document says more, below docs and without .md.
	Page string
}

// LeaveOut says that a flag needs no equal: what it asks for is done anyway.
const LeaveOut = "-"

// Command is a command of a tool.
type Command struct {
	Words  string // "profile"
	Here   string // ours, without the program's name; empty: there is none
	Remark string // reads on after "which" or "it"
}

// Tools are all tools, in the order of the documents.
func Tools() []*Tool {
	return []*Tool{aiperf, genaiPerf, guidellm, sglang, llmperf, locust, k6, fireworks, llamacpp, lmEval, vllm}
}

// Spellings are the names of the flag, dashes included.
func (f *Flag) Spellings() (names []string) {
	for name := range strings.SplitSeq(f.Names, ", ") {
		word, _, _ := strings.Cut(name, " ")
		names = append(names, word)
	}
	return names
}

// metavar is the word for the flag's value; empty: it takes none.
func (f *Flag) metavar() string {
	first, _, _ := strings.Cut(f.Names, ", ")
	_, value, _ := strings.Cut(first, " ")
	return value
}

// takes says how many of the arguments that follow are the flag's values.
func (f *Flag) takes(rest []string) int {
	switch metavar := f.metavar(); {
	case metavar == "":
		return 0
	case strings.HasSuffix(metavar, "…"):
		return len(rest)
	}
	return min(1, len(rest))
}

// flag is our flag that Here names; empty: none.
func (f *Flag) flag() string {
	name, _, _ := strings.Cut(f.Here, " ")
	if f.Here == LeaveOut {
		return ""
	}
	return name
}

// fits says whether the flag can have this value: a number is no URL, nor the other way round.
func (f *Flag) fits(value string) bool {
	_, err := strconv.ParseFloat(value, 64)
	switch f.metavar() {
	case "N", "RATE", "SECONDS":
		return err == nil
	case "URL", "NAME", "FILE", "DIR":
		return err != nil
	case "TEXT":
		return !strings.Contains(value, "://")
	}
	return true
}

// instead is what to type in place of the flag with these values; false: that is not all.
func (f *Flag) instead(values []string) ([]string, bool) {
	if f.Here == LeaveOut {
		return nil, true
	}
	if f.Here == "" {
		return nil, false
	}
	if f.metavar() != "" && len(values) == 0 {
		return nil, false
	}
	said := slices.Clone(values)
	for i, v := range said {
		if f.Values != nil {
			if said[i] = f.Values[v]; said[i] == "" {
				return nil, false
			}
		}
	}
	var words []string
	for word := range strings.FieldsSeq(f.Here) {
		switch {
		case word == "%":
			words = append(words, said...)
		case strings.Contains(word, "%"):
			words = append(words, strings.ReplaceAll(word, "%", strings.Join(said, " ")))
		default:
			words = append(words, word)
		}
	}
	return words, true
}

// called is how a flag is called here, for a sentence.
func (f *Flag) called() string {
	words := slices.DeleteFunc(strings.Fields(f.Here), func(word string) bool { return strings.Contains(word, "%") })
	return strings.Join(words, " ")
}

// Plain is the command's remark for a terminal.
func (c *Command) Plain() string { return strings.ReplaceAll(c.Remark, "`", "") }
