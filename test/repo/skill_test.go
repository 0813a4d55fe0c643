package repo

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// The skill for coding agents is followed to the letter: its commands in their order, in a
// fresh folder, and each comment below a command must hold.

var skillFile = filepath.Join("skills", "inferometer", "SKILL.md")

// machineReasons are what a busy machine does to a verdict; a good run may have them here.
var machineReasons = []string{"bounds", "lag", "lateness", "cpu", "cpu_wait", "steal", "gc", "shared_reads", "unstamped", "proven_range", "rate", "drift", "ramp_drain", "little", "server_ttft", "bursts", "retransmits"}

func TestSkillIsWellFormed(t *testing.T) {
	text := readFile(t, skillFile)
	if lines := strings.Count(text, "\n"); lines >= 200 {
		t.Errorf("it has %d lines: an agent reads all of it, so it stays below 200", lines)
	}
	parts := strings.SplitN(text, "---\n", 3)
	if len(parts) != 3 || parts[0] != "" {
		t.Fatal("it does not begin with front matter")
	}
	var front map[string]string
	if err := yaml.Unmarshal([]byte(parts[1]), &front); err != nil {
		t.Fatal(err)
	}
	if !regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`).MatchString(front["name"]) || front["name"] != filepath.Base(filepath.Dir(skillFile)) || len(front["name"]) > 64 {
		t.Errorf("the name %q must be that of its folder", front["name"])
	}
	if n := len(front["description"]); n == 0 || n > 1024 || !strings.Contains(front["description"], "Use when") {
		t.Errorf("the description has %d characters: up to 1024, and it says when to use the skill", n)
	}
	if len(front["compatibility"]) > 500 {
		t.Error("compatibility has up to 500 characters")
	}
	for key := range front {
		if !slices.Contains([]string{"name", "description", "license", "compatibility", "metadata", "allowed-tools"}, key) {
			t.Errorf("the format has no key %s", key)
		}
	}
	for _, m := range regexp.MustCompile(`\]\(([^)#:]+)\)`).FindAllStringSubmatch(text, -1) {
		if _, err := os.Stat(filepath.Join(filepath.Dir(skillFile), m[1])); err != nil {
			t.Errorf("it links to %s, which is not there", m[1])
		}
	}
	codes := readFile(t, filepath.Join("docs", "exit-codes.md"))
	for code := range 8 {
		row := "| " + strconv.Itoa(code) + " |"
		if strings.Contains(codes, row) != strings.Contains(text, row) {
			t.Errorf("the exit code %d is in one of docs/exit-codes.md and the skill", code)
		}
	}
	table := readFile(t, filepath.Join("internal", "judge", "verdict", "table.go"))
	for line := range strings.Lines(readFile(t, filepath.Join(filepath.Dir(skillFile), "references", "verdict.md"))) {
		cells := strings.Split(line, "|")
		if len(cells) < 4 {
			continue
		}
		for _, m := range regexp.MustCompile("`([a-z_]+)`").FindAllStringSubmatch(cells[2], -1) {
			if !strings.Contains(table, "\""+m[1]+"\", \"") {
				t.Errorf("the verdict has no check %s", m[1])
			}
		}
	}
}

// skillStep is a command with what the text says of it.
type skillStep struct {
	command string
	codes   []int
	says    string
	level   string
	folder  string
	reason  string
	orBusy  bool // a busy machine may make it undecided
}

var (
	expectExit    = regexp.MustCompile(`^# exit (\d)(?: or (\d))?`)
	expectVerdict = regexp.MustCompile(`verdict (VALID|INVALID) of (\S+?)(?:: (\w+))?$`)
	expectSays    = regexp.MustCompile(`; says (.+)$`)
)

func skillSteps(t *testing.T, block string) (steps []skillStep) {
	t.Helper()
	for line := range strings.Lines(block) {
		line = strings.TrimSpace(line)
		if command.MatchString(line) {
			steps = append(steps, skillStep{command: line})
			continue
		}
		m := expectExit.FindStringSubmatch(line)
		if m == nil || len(steps) == 0 {
			t.Fatalf("this line says nothing that can be checked: %q", line)
		}
		s := &steps[len(steps)-1]
		for _, code := range m[1:] {
			if n, err := strconv.Atoi(code); err == nil {
				s.codes = append(s.codes, n)
			}
		}
		s.orBusy = strings.Contains(line, "Where a run is INVALID it is 6")
		if m := expectSays.FindStringSubmatch(line); m != nil {
			s.says = m[1]
		}
		if m := expectVerdict.FindStringSubmatch(line); m != nil {
			s.level, s.folder, s.reason = m[1], m[2], m[3]
		}
	}
	return steps
}

func TestRealSkillIsFollowed(t *testing.T) {
	if testing.Short() {
		t.Skip("it measures a simulator")
	}
	t.Parallel()
	p := newDocsPage(t, buildBinary(t))
	checked := 0
	for _, b := range fenced.FindAllStringSubmatch(readFile(t, skillFile), -1) {
		if b[1] == "console" {
			for _, line := range commandLines(b[2], "$ ") {
				p.check(t, line)
			}
			continue
		}
		for _, s := range skillSteps(t, b[2]) {
			if strings.HasPrefix(s.command, "inferometer sim ") {
				p.startSim(t, s.command)
				continue
			}
			if len(s.codes) == 0 {
				t.Errorf("the text does not say what this gives: %s", s.command)
			}
			p.follow(t, &s)
			checked++
		}
	}
	if checked < 12 {
		t.Errorf("only %d commands were followed: is the search broken?", checked)
	}
}

// follow runs a command and holds what comes against the text.
func (p *docsPage) follow(t *testing.T, s *skillStep) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	cmd := p.shell(ctx, s.command, "")
	out, _ := cmd.CombinedOutput()
	code := cmd.ProcessState.ExitCode()
	switch {
	case slices.Contains(s.codes, code):
	case s.orBusy && code == 6 && strings.Contains(string(out), "INVALID"):
		t.Logf("this machine is too busy now for a decision, as the text says: %s", s.command)
	default:
		t.Errorf("%s\nexit code %d, and the text says %v\n%s", s.command, code, s.codes, out)
	}
	if !strings.Contains(string(out), s.says) {
		t.Errorf("%s\ndoes not say %q\n%s", s.command, s.says, out)
	}
	if s.folder != "" {
		p.judged(t, s)
	}
}

// judged holds a run's verdict against the text. That a good run is spoiled by this machine is no error of the text.
func (p *docsPage) judged(t *testing.T, s *skillStep) {
	t.Helper()
	var result struct {
		Inferometer struct {
			Verdict struct {
				Level   string
				Reasons []string
			}
		}
	}
	if err := json.Unmarshal([]byte(readFile(t, filepath.Join(p.dir, s.folder, "result.json"))), &result); err != nil {
		t.Fatal(err)
	}
	got := result.Inferometer.Verdict
	if s.level == "VALID" {
		for _, reason := range got.Reasons {
			if !slices.Contains(machineReasons, reason) {
				t.Errorf("%s is %s for %v, which is not this machine's doing", s.folder, got.Level, got.Reasons)
			}
		}
		if got.Level != "VALID" {
			t.Logf("%s is %s for %v: this machine is busy", s.folder, got.Level, got.Reasons)
		}
		return
	}
	if got.Level != s.level || !slices.Contains(got.Reasons, s.reason) {
		t.Errorf("%s is %s for %v, and the text says %s for %s", s.folder, got.Level, got.Reasons, s.level, s.reason)
	}
}
