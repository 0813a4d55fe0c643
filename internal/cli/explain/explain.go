// Package explain is the command explain.
package explain

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/inferometer/inferometer/internal/cli/argv"
	"github.com/inferometer/inferometer/internal/cli/command"
	"github.com/inferometer/inferometer/internal/judge/explain"
	"github.com/inferometer/inferometer/internal/judge/judged"
	"github.com/inferometer/inferometer/internal/judge/measure"
	"github.com/inferometer/inferometer/internal/outside"
	"github.com/inferometer/inferometer/internal/show/number"
)

// run is one that was explained.
type run struct {
	Run string `json:"run"`
	*explain.Explanation
	Damage string `json:"damage,omitempty"` // why the journal could not be read to its end
}

// Run is the command.
func Run(_ context.Context, s command.Streams, args []string) error {
	set := argv.New("inferometer explain",
		"What limited a run, in sentences with their evidence, and where the time of a request went: client queue, network, server queue, prefill, decode, "+
			"as far as the journal shows. It says unclear rather than something wrong; docs/explain.md has the rules.")
	set.Example("Why is this run not faster?", "inferometer explain runs/20260102T030405Z-1")
	set.Example("A point of a scenario", "inferometer explain results/NAME/POINT")
	set.Example("From its saved result", "inferometer explain out.json")
	set.Example("For a program: one JSON object per run", "inferometer explain runs/* --json")
	set.Operands("RUN…", 1, math.MaxInt)
	set.CompleteOperands(argv.Run)
	var asJSON bool
	set.Bool(&asJSON, "json", "Write one JSON object per run, one per line.")
	if done, err := command.Parse(s, set, args); done || err != nil {
		return err
	}
	folders, sets, err := judged.Folders(set.Args())
	if err != nil {
		return err
	}
	command.SayLacking(s, "explain", sets)
	names := runNames(sets)
	for i, folder := range folders {
		r, err := read(folder)
		if err != nil {
			return err
		}
		if asJSON {
			line, err := json.Marshal(r)
			if err != nil {
				return err
			}
			if _, err := fmt.Fprintf(s.Out, "%s\n", line); err != nil {
				return err
			}
			continue
		}
		if i > 0 {
			fmt.Fprintln(s.Out)
		}
		if len(folders) > 1 {
			fmt.Fprintf(s.Out, "%s\n", outside.Sentence(names[i]))
		}
		r.write(s.Out, min(max(command.TerminalWidth(s.Out), 60), 120))
	}
	return nil
}

// runNames are what runs are called: as they were typed, with the point where that named several.
func runNames(sets []*judged.Set) (names []string) {
	for _, s := range sets {
		for _, r := range s.Runs {
			name := s.Path
			if len(s.Runs) > 1 {
				name = strings.TrimRight(fmt.Sprintf("%s %s", r.Name, r.Part), " ")
			}
			names = append(names, name)
		}
	}
	return names
}

func read(folder string) (*run, error) {
	j, err := judged.Open(folder)
	if err != nil {
		return nil, err
	}
	defer j.Close()
	of, err := judged.Journal(j, measure.Options{})
	if err != nil {
		return nil, err
	}
	r := &run{Run: folder, Explanation: of.Explain}
	if j.Damage() != nil {
		r.Damage = j.Damage().Error()
	}
	return r, nil
}

func (r *run) write(w io.Writer, width int) {
	fmt.Fprintln(w, r.Verdict.String())
	title := "Limited by: " + r.Title
	if bold := command.Bold(w); bold != nil {
		title = bold(title)
	}
	fmt.Fprintln(w, title)
	list(w, width, "", r.Why)
	list(w, width, "Also seen:", r.Seen)
	list(w, width, "Not known:", r.Unknown)
	if r.Damage != "" {
		list(w, width, "", []string{"The journal can't be read to its end (" + r.Damage + "): what a killed run loses is its last second."})
	}
	if r.Next != "" {
		list(w, width, "Next:", []string{r.Next})
	}
	if len(r.Time.Parts) == 0 {
		return
	}
	fmt.Fprintf(w, "\nWhere the time of a request went (mean of %d: %s)\n", r.Time.Requests, number.Duration(r.Time.Seconds))
	parts(w, r.Time.Parts)
	if r.Time.Note != "" {
		list(w, width, "", []string{r.Time.Note})
	}
	if slow := r.Time.Slow; slow != nil {
		fmt.Fprintf(w, "\nThe slowest %d, as the client saw them (mean %s)\n", slow.Requests, number.Duration(slow.Seconds))
		parts(w, slow.Parts)
	}
}

func parts(w io.Writer, list []explain.Part) {
	for _, p := range list {
		took, share := "unknown", ""
		if p.Seconds != nil {
			took = number.Duration(*p.Seconds)
		}
		if p.Share != nil {
			share = number.Share(*p.Share)
		}
		fmt.Fprintf(w, "  %-31s %10s %6s  %s\n", p.Name, took, share, p.Source)
	}
}

// list writes sentences under a title, a dash before each.
func list(w io.Writer, width int, title string, sentences []string) {
	if len(sentences) == 0 {
		return
	}
	if title != "" {
		fmt.Fprintf(w, "%s\n", title)
	}
	for _, s := range sentences {
		line := "  -"
		for _, word := range strings.Fields(s) {
			if len([]rune(line))+1+len([]rune(word)) > width && line != "  -" {
				fmt.Fprintln(w, line)
				line = "   "
			}
			line += " " + word
		}
		fmt.Fprintln(w, line)
	}
}
