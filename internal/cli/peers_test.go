package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/inferometer/inferometer/internal/cli/command"
	"github.com/inferometer/inferometer/internal/cli/peers"
	"github.com/inferometer/inferometer/internal/cli/serve"
)

// What the tables tell people to type exists, and what they know of a flag that we have too is
// said.
func TestPeersAreToldWhatExists(t *testing.T) {
	set, _ := serve.Flags()
	for _, tool := range peers.Tools() {
		for _, f := range tool.Flags {
			for word := range strings.FieldsSeq(f.Here) {
				if strings.HasPrefix(word, "-") && word != peers.LeaveOut && set.Resolve(word) == nil {
					t.Errorf("%s %s: there is no flag %s", tool.Name, f.Names, word)
				}
			}
			if f.Here == "" && f.Remark == "" || f.Here == peers.LeaveOut && f.Remark == "" {
				t.Errorf("%s %s: nothing is said", tool.Name, f.Names)
			}
			for _, name := range f.Spellings() {
				if own := set.Lookup(strings.TrimPrefix(name, "--")); own != nil && f.Remark == "" && !strings.HasPrefix(f.Here, "--"+own.Name+" ") {
					t.Errorf("%s %s is a flag of ours too: what differs?", tool.Name, name)
				}
			}
			if f.Page != "" {
				if _, err := os.Stat(filepath.Join("../../docs", f.Page+".md")); err != nil {
					t.Errorf("%s %s: %v", tool.Name, f.Names, err)
				}
			}
		}
		for _, c := range tool.Commands {
			if c.Here != "" && !slices.ContainsFunc(commands(), func(ours command.Entry) bool { return ours.Name == c.Here }) {
				t.Errorf("%s: there is no command %q", c.Words, c.Here)
			}
		}
	}
}

// TestComingFrom keeps the tables of docs/coming-from true: they are written by
// go test ./internal/cli -run TestComingFrom -update.
func TestComingFrom(t *testing.T) {
	written := 0
	pages, err := filepath.Glob("../../docs/coming-from/*.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, page := range pages {
		b, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		want := string(b)
		for _, tool := range peers.Tools() {
			before, rest, ok := strings.Cut(want, "<!-- flags: "+tool.Name+" -->\n")
			if !ok {
				continue
			}
			_, after, ok := strings.Cut(rest, "<!-- end -->")
			if !ok {
				t.Fatalf("%s: the table of %s has no end", page, tool.Name)
			}
			written++
			want = before + "<!-- flags: " + tool.Name + " -->\n" + flagTable(tool) + "<!-- end -->" + after
		}
		if *update {
			if err := os.WriteFile(page, []byte(want), 0o644); err != nil {
				t.Fatal(err)
			}
		} else if want != string(b) {
			t.Errorf("%s is not what the tables say; run this test with -update", page)
		}
	}
	if written != 8 {
		t.Errorf("%d tables are in the documents", written)
	}
}

// flagTable is a tool's flags as a Markdown table.
func flagTable(tool *peers.Tool) string {
	var b strings.Builder
	fmt.Fprintf(&b, "| %s | here |\n|---|---|\n", tool.Name)
	for _, f := range tool.Flags {
		var names []string
		for name := range strings.SplitSeq(f.Names, ", ") {
			names = append(names, "`"+name+"`")
		}
		text := "`" + strings.ReplaceAll(strings.TrimSuffix(f.Here, " %"), "%", "…") + "`"
		switch {
		case f.Here == "":
			text = f.Remark
		case f.Here == peers.LeaveOut:
			text = "leave it out, " + f.Remark
		case f.Remark != "":
			text += "; " + f.Remark
		}
		if f.Page != "" {
			text += fmt.Sprintf(" ([%s](../%s.md))", strings.ReplaceAll(f.Page, "-", " "), f.Page)
		}
		fmt.Fprintf(&b, "| %s | %s |\n", strings.Join(names, ", "), text)
	}
	return b.String()
}
