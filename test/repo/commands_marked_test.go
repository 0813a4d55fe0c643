package repo

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// No command of the site stands where no test looks at it. Of our own: in a sh block
// it is run, in a console block with "$ " its flags are checked (docs_commands_test.go).
// Of others: in a console block, or it is one that a checkout has. A block that is
// neither has a line above it: <!-- not run: why -->.

var (
	anyFence    = regexp.MustCompile("(?ms)^([^\\n]*)\\n\\s*\\n?```(\\w*)[^\\n]*\\n(.*?)^```$")
	ourCommand  = regexp.MustCompile(`^(?:[$#] )?(?:[A-Z_]+=\S+ )*(?:bin/)?inferometer [a-z-]+( |$)`)
	ourOutput   = regexp.MustCompile(`^inferometer(?: [a-z-]+)+: `)
	makeTarget  = regexp.MustCompile(`^(?:[A-Z_]+=\S+ )*make ([a-z0-9-]+)$`)
	ofCheckout  = regexp.MustCompile(`^(?:go (?:run|test|build|install) (?:-\S+ )*(\./\S*)|(?:bash |sh )?(scripts/\S+))`)
	shellOfPage = regexp.MustCompile(`^(?:kill|cd|mkdir|cat|cp|export|git clone|for|do|done|wait)\b`)
)

func TestCommandsAreRunOrMarked(t *testing.T) {
	makefile := makefiles(t)
	looked := 0
	for _, page := range pagesWithCommands(t) {
		needs := strings.Contains(filepath.ToSlash(page), "/tutorials/") || strings.Contains(filepath.ToSlash(page), "/coming-from/")
		for _, b := range anyFence.FindAllStringSubmatch(readFile(t, page), -1) {
			before, kind, block := b[1], b[2], regexp.MustCompile(`\\\n\s*`).ReplaceAllString(b[3], "")
			if strings.HasPrefix(before, "<!-- not run: ") {
				continue
			}
			commands := 0
			for line := range strings.Lines(block) {
				line = strings.TrimRight(line, "\n")
				switch {
				case kind == "sh":
					commands++
					checkShellLine(t, page, strings.TrimSpace(line), makefile)
				case kind == "console" && strings.HasPrefix(line, "$ "):
					commands++
				case ourCommand.MatchString(line) && !ourOutput.MatchString(line):
					t.Errorf("%s: nobody runs or checks %q: put it into a sh block, or after \"$ \" into a console block", page, line)
				}
			}
			looked += commands
			if kind == "console" && commands == 0 {
				t.Errorf("%s: a console block without \"$ \": %.60q", page, block)
			}
			if kind == "console" && needs && !strings.Contains(before, "need") {
				t.Errorf("%s: the line before the console block does not say what it needs: %q", page, before)
			}
		}
	}
	if looked < 100 {
		t.Errorf("only %d commands were found: is the search broken?", looked)
	}
}

// checkShellLine says whether a line of a sh block is run by TestRealCommandsInDocs or at least is one of this checkout.
func checkShellLine(t *testing.T, page, line, makefile string) {
	t.Helper()
	line, _, _ = strings.Cut(line, " #")
	line = strings.TrimSuffix(strings.TrimSpace(line), " &")
	switch {
	case line == "", strings.HasPrefix(line, "#"), command.MatchString(line), shellOfPage.MatchString(line):
		return
	}
	if m := makeTarget.FindStringSubmatch(line); m != nil {
		if !strings.Contains(makefile, "\n"+m[1]+":") {
			t.Errorf("%s: the Makefile has no target %s", page, m[1])
		}
		return
	}
	m := ofCheckout.FindStringSubmatch(line)
	if m == nil {
		t.Errorf("%s: nobody runs %q: put it into a console block, after \"$ \"", page, line)
		return
	}
	if _, err := os.Stat(strings.TrimSuffix(m[1]+m[2], "/...")); err != nil {
		t.Errorf("%s: %q: %v", page, line, err)
	}
}
