// Package trace has the commands that look at recordings of traffic.
package trace

import (
	"context"
	"encoding/json"
	"math"
	"strings"

	"github.com/inferometer/inferometer/internal/cli/argv"
	"github.com/inferometer/inferometer/internal/cli/command"
	"github.com/inferometer/inferometer/internal/send/trace"
	"github.com/inferometer/inferometer/internal/send/trace/stats"
)

// Stats is the command trace stats.
func Stats(_ context.Context, s command.Streams, args []string) error {
	set := argv.New("inferometer trace stats",
		"Say what a trace holds, before it is replayed with bench serve --dataset-name trace: how requests arrive, how long prompts and answers are, "+
			"what share of its prompts an unlimited prefix cache would hold, and of recorded jobs their turns, agents, pauses and critical path. "+
			"Several files of one format are taken as one trace; a folder is all of its files. They may be gzip-compressed.")
	set.Example("One file", "inferometer trace stats conversation_trace.jsonl")
	set.Example("Many conversations, for a script", "inferometer trace stats traces/ --json")
	set.Operands("FILE…", 1, math.MaxInt)
	set.CompleteOperands(argv.File)
	var from source
	var asJSON bool
	from.flags(set)
	set.Bool(&asJSON, "json", "Print JSON.")
	if done, err := command.Parse(s, set, args); done || err != nil {
		return err
	}
	t, err := trace.Open(from.format, set.Args()...)
	if err != nil {
		return err
	}
	found, err := stats.Read(t, from.split == nil || *from.split)
	if err != nil {
		return err
	}
	if asJSON {
		b, err := json.MarshalIndent(found, "", "  ")
		if err != nil {
			return err
		}
		_, err = s.Out.Write(append(b, '\n'))
		return err
	}
	width := 0 // no pictures
	if command.IsTerminal(s.Out) {
		width = command.TerminalWidth(s.Out)
	}
	return found.Write(s.Out, width)
}

// source says how files are read.
type source struct {
	format string
	split  *bool
}

func (s *source) flags(set *argv.Set) {
	set.Choice(&s.format, "trace-format", "", trace.FormatNames(), "The format of the files. "+docs(), argv.Shown("told from the file"))
	set.TriBool(&s.split, "trace-split", "Find agents that only their prompts tell apart, and give each its branch, as AIPerf does.", argv.Shown("true"))
}

// docs are the formats in words.
func docs() string {
	var b strings.Builder
	for _, f := range trace.Formats() {
		b.WriteString(f.Name + ": " + f.Doc + " ")
	}
	return strings.TrimSpace(b.String())
}
