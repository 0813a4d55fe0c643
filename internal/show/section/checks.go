package section

import (
	"fmt"
	"strings"

	"github.com/inferometer/inferometer/internal/show/number"
	"github.com/inferometer/inferometer/internal/show/table"
)

func init() {
	Add(atChecks, checks)
	Add(atEnvironment, environment)
}

// LevelClass is how a level of a verdict or of a check is shown.
func LevelClass(level string) string {
	switch strings.ToLower(level) {
	case "ok", "valid":
		return table.Good
	case "suspect":
		return table.Doubt
	case "invalid":
		return table.Bad
	}
	return "none"
}

// checks are all that the verdict is made of. Other media say its reasons only.
func checks(run *Run) *Section {
	if run.Verdict == nil {
		return nil
	}
	t := &table.Table{Title: "Checks of the verdict", Columns: table.Words("check", "about", "result", "figure", "what was found"), Except: table.OnConsole | table.InMarkdown}
	for i := range run.Verdict.Checks {
		c := &run.Verdict.Checks[i]
		text := c.Sentence
		if c.Effect != "" {
			text += ". Effect: " + c.Effect
		}
		if c.Hint != "" {
			text += ". To do: " + c.Hint
		}
		t.Add(c.Name, c.Group, table.Cell{Text: string(c.Level), Class: LevelClass(string(c.Level))}, c.Figure, table.Sentence(text))
	}
	return &Section{ID: "checks", Title: "The verdict's checks", Tables: []*table.Table{t}}
}

// environment is where and how the run was made.
func environment(run *Run) *Section {
	r := run.Result
	e, o := &r.Run.Environment, &r.Run.Options
	t := &table.Table{Title: "Where and how it was measured", Except: table.OnConsole | table.InMarkdown}
	t.Fact("started", Start(r).Format("2006-01-02 15:04:05 -07:00"))
	t.Fact("server", o.BaseURL+o.Endpoint)
	t.Fact("protocol", o.Backend)
	t.Fact("model", o.ModelID)
	t.Fact("tokenizer", strings.Trim(o.TokenizerID+" ("+o.TokenizerSource+")", " "))
	t.Fact("tokenizer revision", o.TokenizerRevision)
	t.Fact("dataset", fmt.Sprintf("%s, seed %d", o.Dataset, o.Seed))
	t.Fact("dataset revision", o.DatasetRevision)
	t.Fact("load", Load(r)+", pace "+o.Pace)
	if o.NumPrompts > 0 {
		t.Fact("requests planned", fmt.Sprint(o.NumPrompts))
	}
	if r.End != nil {
		t.Fact("workload's hash", r.End.WorkloadSHA)
	}
	for _, kv := range o.Metadata {
		t.Fact(kv[0], kv[1])
	}
	t.Fact("client", r.Run.Version)
	t.Fact("client's machine", strings.Trim(e.Host+", "+e.OS+" "+e.Arch+", "+e.Kernel, ", "))
	cpu := e.CPU
	if cpu == "" {
		cpu = "an unknown kind"
	}
	t.Fact("client's processors", fmt.Sprintf("%d of %s, %d used by Go", e.CPUs, cpu, e.GoMaxProcs))
	if e.MemoryBytes > 0 {
		t.Fact("client's memory", number.Bytes(float64(e.MemoryBytes)))
	}
	t.Fact("clock source", e.ClockSource)
	t.Fact("run's folder", run.Folder)
	return &Section{ID: "environment", Title: "Environment", Tables: []*table.Table{t}}
}
