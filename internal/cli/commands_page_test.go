package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/inferometer/inferometer/internal/testfiles"
)

// docsOf are the pages of commands that have one of another name than theirs.
var docsOf = map[string]string{
	"bench serve": "getting-started", "bench latency": "vllm", "bench throughput": "vllm", "bench shapes": "shapes", "bench startup": "startup", "bench handoff": "disaggregated", "bench multi-turn": "conversations", "bench sweep": "sweep", "exec": "spec", "run": "scenarios",
	"init": "scenarios", "selftest": "doctor", "agent": "fleet", "upload": "report", "ab": "compare", "trace stats": "traces", "trace convert": "traces", "record": "traces", "tokenize": "tokenizers",
	"fleet init": "fleet", "fleet status": "fleet", "fleet attach": "fleet", "completion": "shell", "man": "shell", "version": "install",
}

// The page of commands has every command and no other.
func TestCommandsPage(t *testing.T) {
	root := filepath.Join("..", "..")
	var b strings.Builder
	b.WriteString("<!-- written by go test ./internal/cli -run TestCommandsPage -update -->\n# Every command\n\n" +
		"`inferometer COMMAND --help` has examples and the flags that people use, `--help-all` all flags. `inferometer help WORD` explains a flag, a metric or a word of a result.\n\n" +
		"| command | what it does | page |\n|---|---|---|\n")
	for _, c := range commands() {
		page := docsOf[c.Name]
		if page == "" {
			page = c.Name
		}
		if _, err := os.Stat(filepath.Join(root, "docs", page+".md")); err != nil {
			t.Errorf("%s has no page: %v", c.Name, err)
		}
		fmt.Fprintf(&b, "| `%s` | %s | [%s](../%s.md) |\n", c.Name, c.Summary, page, page)
	}
	testfiles.Written(t, *update, "docs/reference/commands.md", b.String())
}
