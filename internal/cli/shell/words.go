package shell

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/inferometer/inferometer/internal/bench"
	"github.com/inferometer/inferometer/internal/cli/argv"
	"github.com/inferometer/inferometer/internal/cli/command"
	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/judge/metric"
	"github.com/inferometer/inferometer/internal/judge/verdict"
	"github.com/inferometer/inferometer/internal/show/table"
	"github.com/inferometer/inferometer/internal/usage"
)

// Meaning is what a word of ours means, in one of its senses.
type Meaning struct {
	Word  string // as it is written
	Sense string // a metric, an outcome, …
	Text  string
}

// Meanings are all senses of all words but flags, from the tables that the program itself
// works with.
func Meanings() (all []Meaning) {
	for _, m := range metric.All() {
		all = append(all, ofMetric(metric.Name{Metric: &m}))
	}
	for _, o := range journal.Outcomes {
		all = append(all, Meaning{string(o), "outcome of a request", sentence(o.Meaning())})
	}
	for _, t := range []verdict.Trust{verdict.TrustValid, verdict.TrustSuspect, verdict.TrustInvalid} {
		all = append(all, Meaning{string(t), "verdict", sentence(t.Meaning())})
	}
	for _, c := range verdict.Manuals() {
		text := "Looks for " + c.Looks + ". Threshold: " + c.Threshold + ". What to do: " + c.Hint + "."
		all = append(all, Meaning{c.Name, "check of the verdict, on the " + c.Group, text})
	}
	for _, x := range bench.Exits() {
		all = append(all, Meaning{strconv.Itoa(x.Code), "exit code", sentence(x.Meaning)})
	}
	return all
}

// ofMetric is a metric, or one of its statistics.
func ofMetric(n metric.Name) Meaning {
	sense := "metric"
	if n.Statistic != "" {
		sense = "the " + string(n.Statistic) + " of the metric " + n.Metric.Name
	}
	if n.Metric.Unit != "" {
		sense += ", in " + n.Metric.Unit
	}
	if n.Metric.Better != "" {
		sense += ", " + string(n.Metric.Better) + " is better"
	}
	text := sentence(n.Metric.Doc)
	if n.Metric.Math != "" {
		text += " " + strings.Trim(strings.NewReplacer("`", "", "*", "").Replace(n.Metric.Math), " .") + "."
	}
	return Meaning{n.String(), sense, text}
}

// Find gives all meanings of a word: with dashes before it only flags.
func Find(commands []command.Entry, word string) (found []Meaning) {
	if !strings.HasPrefix(word, "-") {
		same := spelled(word)
		for _, m := range Meanings() {
			if spelled(m.Word) == same {
				found = append(found, m)
			}
		}
		if n, ok := metric.ParseName(word); ok && !slices.ContainsFunc(found, func(m Meaning) bool { return m.Word == n.String() }) {
			found = append(found, ofMetric(n))
		}
		if len(found) == 0 {
			found = ofLabel(word)
		}
	}
	if found = append(found, flags(commands, word)...); len(found) == 0 && !strings.HasPrefix(word, "-") {
		return ofResult(word)
	}
	return found
}

func spelled(word string) string { return strings.ToLower(strings.ReplaceAll(word, "-", "_")) }

// flags are the flags of a name: one meaning for all commands that say the same of it.
func flags(commands []command.Entry, word string) (found []Meaning) {
	name := strings.ReplaceAll(strings.TrimLeft(word, "-"), "_", "-")
	in := map[string][]string{}
	for _, e := range commands {
		f := flagOf(e.Describe(), word, name)
		if f == nil || f.Hidden {
			continue
		}
		m := Meaning{Word: strings.TrimSpace(strings.Join(f.Spellings(), ", ") + " " + f.Value()), Text: f.Help}
		if f.Default != "" {
			m.Text += " Default: " + f.Default + "."
		}
		if f.Unsupported != "" {
			m.Text = "Known, but refused for now: " + f.Unsupported + "."
		}
		key := m.Word + m.Text
		if in[key] == nil {
			found = append(found, m)
		}
		in[key] = append(in[key], e.Name)
	}
	for i, m := range found {
		found[i].Sense = "flag of " + strings.Join(in[m.Word+m.Text], ", ")
	}
	return found
}

// flagOf is the flag with a name, or with a letter behind one dash.
func flagOf(set *argv.Set, word, name string) *argv.Flag {
	if set == nil || name == "" {
		return nil
	}
	if f := set.Lookup(name); f != nil {
		return f
	}
	return set.Lookup(word) // a letter behind a dash
}

// Write writes meanings, wrapped to width columns.
func Write(w io.Writer, found []Meaning, width int) {
	for i, m := range found {
		if i > 0 {
			fmt.Fprintln(w)
		}
		fmt.Fprintf(w, "%s\n", table.Wrap(m.Word, width, "    "))
		fmt.Fprintf(w, "  (%s)\n", table.Wrap(m.Sense, width-4, "   "))
		fmt.Fprintf(w, "  %s\n", table.Wrap(m.Text, width-2, "  "))
	}
}

// Near is the word that a wrong one was most likely meant to be, or "".
func Near(commands []command.Entry, wrong string) string {
	words := []string{}
	byFlag := map[string]string{}
	for _, m := range Meanings() {
		words = append(words, m.Word)
	}
	for _, e := range commands {
		words = append(words, e.Name)
		for _, f := range e.Describe().Flags() {
			if !f.Hidden && byFlag[f.Name] == "" {
				byFlag[f.Name] = "--" + f.Name
				words = append(words, f.Name)
			}
		}
	}
	near := usage.Nearest(strings.ToLower(strings.TrimLeft(wrong, "-")), words)
	if flag := byFlag[near]; flag != "" {
		return flag
	}
	return near
}

// Offered are the words that help knows, for a shell.
func Offered() (all []Candidate) {
	for _, m := range Meanings() {
		all = append(all, Candidate{m.Word, m.Sense})
	}
	return all
}
