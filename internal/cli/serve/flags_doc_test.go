package serve

import (
	"fmt"
	"strings"
	"testing"

	"github.com/inferometer/inferometer/internal/cli/argv"
	"github.com/inferometer/inferometer/internal/option"
	"github.com/inferometer/inferometer/internal/send/pace"
	"github.com/inferometer/inferometer/internal/send/protocol"
	"github.com/inferometer/inferometer/internal/send/target"
	"github.com/inferometer/inferometer/internal/send/workload"
	"github.com/inferometer/inferometer/internal/testfiles"
)

// TestFlagsDoc keeps docs/reference/flags.md true: it is written from the code by
// go test ./internal/cli/serve -run TestFlagsDoc -update.
func TestFlagsDoc(t *testing.T) {
	want := flagsDoc(t)
	testfiles.Written(t, *update, "docs/reference/flags.md", want)
	set, _ := Flags()
	for _, flag := range append(vllmFlags(t), olderFlags(t)...) {
		state := "supported"
		if set.Lookup(flag).Unsupported != "" {
			state = "refused"
		}
		if n := strings.Count(want, fmt.Sprintf("| `--%s` | %s |", flag, state)); n != 1 {
			t.Errorf("--%s, %s, is %d times in the page", flag, state, n)
		}
	}
}

const flagsDocHead = `# Flags of bench serve

Every flag of ` + "`vllm bench serve`" + ` is known by its name: the 102 of version 0.32, and the three of the dataset sonnet, which older ones had. A flag that is not supported is refused with exit code 2 and a
sentence, and only if it is set: a benchmark that ignores a flag gives a wrong number without a word.
This page is written from the code by ` + "`go test ./internal/cli/serve -run TestFlagsDoc -update`" + `.

How a command line is read, as Python's argparse does it:

- ` + "`--num-prompts 5`, `--num-prompts=5`, `--num_prompts 5`" + ` and, as long as it is unique, ` + "`--num-p 5`" + ` are the same.
- A list takes all arguments up to the next flag: ` + "`--header A=1 B=2`" + `. Of a flag given twice the last one counts, for lists too.
- A value that begins with a dash is written ` + "`--label=-x`" + `; a negative number needs no care.
- ` + "`--extra-body.min_tokens 5`" + ` is ` + "`--extra-body '{\"min_tokens\": 5}'`" + `.
- ` + "`--config FILE`" + ` reads a YAML mapping of flag names to values; flags on the command line win. ` + "`true`" + ` sets a switch,
  ` + "`false`" + ` leaves it off, a list is a list, a mapping is JSON or KEY=VALUE. It can be given once.

Where this differs from vLLM on purpose:

- ` + "`--endpoint`" + ` is chosen by the backend when it is not given. A slash at the end of ` + "`--base-url`" + ` is dropped.
- ` + "`--request-timeout`" + ` is 10 minutes; vLLM waits 6 hours for a request, and so does ` + "`--compat vllm`" + `.
- Unknown names in ` + "`--percentile-metrics`" + `, a ramp without its strategy, ` + "`--logprobs`" + ` with chat and a linear ramp from 0 are
  errors; vLLM ignores the first three and fails during the run at the last.
- ` + "`--backend vllm`" + ` with the endpoint of chat is an error; in vLLM every request fails.
- ` + "`nan`" + ` is not a number.
`

func flagsDoc(t *testing.T) string {
	t.Helper()
	set, _ := Flags()
	var b strings.Builder
	b.WriteString(flagsDocHead)
	theirs := map[string]bool{}
	table := func(title string, names []string) {
		fmt.Fprintf(&b, "\n## %s\n\n| flag | state | note |\n|---|---|---|\n", title)
		for _, name := range names {
			theirs[name] = true
			writeFlagRow(&b, name, set.Lookup(name))
		}
	}
	table("Flags of vLLM", vllmFlags(t))
	table("Flags of older vLLM", olderFlags(t))
	b.WriteString("\n## Our own flags\n\n| flag | state | note |\n|---|---|---|\n")
	for _, f := range set.Flags() {
		if !theirs[f.Name] {
			writeFlagRow(&b, f.Name, f)
		}
	}
	writeChoices(&b)
	return b.String()
}

// writeChoices lists what can be chosen, as the registries describe it.
func writeChoices(b *strings.Builder) {
	flags := func(own any, by string) string {
		var names []string
		for _, f := range option.Fields(own) {
			name := "`--" + f.Flag + "`"
			if f.Flag == "" {
				name = "`" + f.Key + "` (in a Spec)"
			}
			if f.Key == by {
				name += ", which chooses it"
			}
			names = append(names, name)
		}
		return strings.Join(names, "; ")
	}
	b.WriteString("\n## Datasets\n\n| `--dataset-name` | what it is | needs `--dataset-path` | its own flags |\n|---|---|---|---|\n")
	for _, k := range workload.Kinds() {
		fmt.Fprintf(b, "| `%s` | %s | %s | %s |\n", k.Name, k.Doc, map[bool]string{true: "yes", false: "no"}[k.File], flags(k.Options(), ""))
	}
	b.WriteString("\n## Arrival processes\n\nThe flags choose one. A [Spec](../spec.md) and a result name it.\n\n| pace | what it is | its flags |\n|---|---|---|\n")
	for _, k := range pace.Kinds() {
		fmt.Fprintf(b, "| `%s` | %s | %s |\n", k.Name, k.Doc, flags(k.Options(), k.By))
	}
	b.WriteString("\n## Backends\n\n| `--backend` | what it is | path unless `--endpoint` is given |\n|---|---|---|\n")
	for _, name := range protocol.Backends() {
		backend, _ := protocol.FindBackend(name)
		fmt.Fprintf(b, "| `%s` | %s | `%s` |\n", name, backend.Doc, backend.Path())
	}
	b.WriteString("\n## Rules of balance\n\n| `--balance` | where a request goes |\n|---|---|\n")
	for _, rule := range target.Rules() {
		fmt.Fprintf(b, "| `%s` | %s |\n", rule.Name, rule.Doc)
	}
}

func writeFlagRow(b *strings.Builder, name string, f *argv.Flag) {
	state, note := "supported", f.Help
	if f.Unsupported != "" {
		state, note = "refused", strings.ToUpper(f.Unsupported[:1])+f.Unsupported[1:]+"."
	}
	if f.Default != "" {
		note += " Default: " + f.Default + "."
	}
	if len(f.Refused) > 0 {
		note += " Refused values: " + strings.Join(f.Refused, ", ") + "."
	}
	fmt.Fprintf(b, "| `--%s` | %s | %s |\n", name, state, strings.ReplaceAll(note, "|", `\|`))
}
