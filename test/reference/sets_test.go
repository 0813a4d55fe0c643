package reference

import (
	"fmt"
	"strings"
	"testing"

	"github.com/inferometer/inferometer/internal/send/workload/hfset"
)

func setsPage(*testing.T) string {
	var b strings.Builder
	b.WriteString(`# Datasets of Hugging Face that are known by name

Written from the code by ` + "`go test ./test/reference -update`" + `. They are those of vLLM 0.32, but for its eight sets of speech. How others are read: [datasets.md](../datasets.md#hf).

| set | what is sent | split (subset) | tokens of a prompt | tokens to generate |
|---|---|---|---|---|
`)
	for _, s := range hfset.Known {
		sent := s.Doc
		switch s.Wrap {
		case hfset.Template:
			sent += ", in the chat template"
		case hfset.Always:
			sent += ", in the chat template, always"
		}
		if s.Chat {
			sent += "; needs `--backend openai-chat`"
		}
		split := s.Split
		if split == "" && !s.NoSubset {
			split = "train"
		}
		if s.Subset != "" {
			split += " (" + s.Subset + ")"
		}
		limits, output := "", "as the answer has"
		if s.Limits != nil {
			limits = fmt.Sprintf("4 to %d, %d with the answer", s.Limits.Prompt, s.Limits.Total)
		}
		if s.Output > 0 {
			output = fmt.Sprint(s.Output)
		}
		if s.OwnOutput {
			output += "; `--hf-output-len` does nothing"
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s |\n", strings.Join(s.Names, "`, `"), sent, split, limits, output)
	}
	return b.String()
}
