package repo

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// The action's scripts are run as GitHub runs them: by its bash, with the environment
// that the file gives them, against a simulator. gh notes what it would send.

type compositeAction struct {
	Inputs map[string]struct {
		Description string
		Default     *string
	}
	Outputs map[string]struct{ Value string }
	Runs    struct {
		Using string
		Steps []actionStep
	}
}

type actionStep struct {
	Name, ID, If, Uses, Shell, Run string
	Env, With                      map[string]string
	ContinueOnError                bool `yaml:"continue-on-error"`
}

var expression = regexp.MustCompile(`\$\{\{ *([^}]*?) *\}\}`)

func readAction(t *testing.T) *compositeAction {
	t.Helper()
	a := &compositeAction{}
	parseYAML(t, "action.yml", a)
	return a
}

// What GitHub asks of a composite action, and what we ask of ours.
func TestActionIsWellFormed(t *testing.T) {
	a := readAction(t)
	page := readFile(t, filepath.Join("docs", "ci.md"))
	if a.Runs.Using != "composite" || len(a.Runs.Steps) < 5 {
		t.Fatalf("it runs %q with %d steps", a.Runs.Using, len(a.Runs.Steps))
	}
	for name, in := range a.Inputs {
		if in.Description == "" || in.Default == nil || !strings.Contains(page, "`"+name+"`") {
			t.Errorf("the input %s needs a description, a default, and its place in docs/ci.md", name)
		}
	}
	pinned := regexp.MustCompile(`^actions/[a-z/-]+@[0-9a-f]{40}$`)
	ids := map[string]bool{}
	for _, s := range a.Runs.Steps {
		ids[s.ID] = true
		switch {
		case (s.Run == "") == (s.Uses == ""):
			t.Errorf("%s: a step runs something or uses something", s.Name)
		case s.Uses != "" && !pinned.MatchString(s.Uses):
			t.Errorf("%s is not one of GitHub's own actions, pinned to a commit", s.Uses)
		case s.Run != "" && s.Shell != "bash":
			t.Errorf("%s: a step of a composite action names its shell", s.Name)
		case expression.MatchString(s.Run):
			t.Errorf("%s: a value stands in a script, where it could be a command: give it by env", s.Name)
		}
		for _, text := range append(values(s.Env), values(s.With)...) {
			for _, m := range expression.FindAllStringSubmatch(text, -1) {
				input, isInput := strings.CutPrefix(m[1], "inputs.")
				if _, ok := a.Inputs[input]; isInput && !ok {
					t.Errorf("%s uses the input %s, which is none", s.Name, input)
				}
				step := strings.Split(m[1], ".")
				if step[0] == "steps" && !ids[step[1]] {
					t.Errorf("%s uses the step %s, which does not come before it", s.Name, step[1])
				}
			}
		}
	}
}

func values(m map[string]string) (list []string) {
	for _, v := range m {
		list = append(list, v)
	}
	return list
}

// actionJob runs the steps of the action one after the other.
type actionJob struct {
	*ciJob
	action *compositeAction
	values map[string]string // of expressions
}

// ghStub notes each call, what the body file holds, and answers a list of comments by the real jq.
const ghStub = `#!/bin/sh
here=$(dirname "$0")/..
printf '%s\n' "$*" >> "$here/gh.log"
filter='' body=''
while [ $# -gt 0 ]; do
  case "$1" in
    --jq) filter=$2; shift ;;
    --field) body=${2#body=@}; shift ;;
  esac
  shift
done
if [ -n "$body" ]; then cp "$body" "$here/body.md"; fi
if [ -n "$filter" ]; then jq -r "$filter" < "$here/comments.json"; fi
`

func newActionJob(t *testing.T, inputs map[string]string) *actionJob {
	t.Helper()
	for _, program := range []string{"jq", "iconv"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("%s is not here: GitHub's machines have it, and the action needs it", program)
		}
	}
	j := &actionJob{ciJob: newCIJob(t), action: readAction(t), values: map[string]string{}}
	root, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	writeTo(t, filepath.Join(j.dir, "stubs", "gh"), ghStub, 0o755)
	writeTo(t, filepath.Join(j.dir, "comments.json"), "[]", 0o644)
	j.set("GITHUB_REPOSITORY", "owner/name")
	for name, in := range j.action.Inputs {
		j.values["inputs."+name] = *in.Default
	}
	for name, value := range inputs {
		j.values["inputs."+name] = value
	}
	for name, value := range map[string]string{"github.token": "secret", "github.action_path": root, "github.sha": "abc", "github.event.pull_request.number": "7", "github.run_id": "1", "github.run_attempt": "1"} {
		j.values[name] = value
	}
	return j
}

// step runs a step as GitHub does, and takes its outputs.
func (j *actionJob) step(t *testing.T, name string) (code int, out string) {
	t.Helper()
	for _, s := range j.action.Runs.Steps {
		if s.Name != name {
			continue
		}
		script, output := filepath.Join(t.TempDir(), "script.sh"), filepath.Join(t.TempDir(), "output")
		writeTo(t, script, s.Run, 0o644)
		writeTo(t, output, "", 0o644)
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		defer cancel()
		cmd := exec.CommandContext(ctx, "bash", "--noprofile", "--norc", "-e", "-o", "pipefail", script)
		cmd.Dir = j.dir
		cmd.Env = append(append(os.Environ(), j.env...), "GITHUB_OUTPUT="+output)
		for key, value := range s.Env {
			cmd.Env = append(cmd.Env, key+"="+j.evaluate(t, value))
		}
		b, err := cmd.CombinedOutput()
		var exit *exec.ExitError
		if err != nil && !errors.As(err, &exit) {
			t.Fatal(err)
		}
		for line := range strings.Lines(readFile(t, output)) {
			key, value, _ := strings.Cut(strings.TrimSpace(line), "=")
			j.values["steps."+s.ID+".outputs."+key] = value
		}
		return cmd.ProcessState.ExitCode(), string(b)
	}
	t.Fatalf("there is no step %s", name)
	return 0, ""
}

// must runs a step that succeeds.
func (j *actionJob) must(t *testing.T, name string) string {
	t.Helper()
	code, out := j.step(t, name)
	if code != 0 {
		t.Fatalf("%s: exit code %d\n%s", name, code, out)
	}
	return out
}

func (j *actionJob) evaluate(t *testing.T, text string) string {
	t.Helper()
	return expression.ReplaceAllStringFunc(text, func(e string) string {
		name := expression.FindStringSubmatch(e)[1]
		value, ok := j.values[name]
		if !ok {
			t.Fatalf("%s has no value here", name)
		}
		return expression.ReplaceAllString(value, "") // a default that is an expression
	})
}

// A server is measured, the comment is made and then written anew, and a slower server breaks the gate.
func TestRealActionMeasures(t *testing.T) {
	if testing.Short() {
		t.Skip("it measures a simulator")
	}
	t.Parallel()
	hostile := "$(touch pwned)`touch pwned`\"; touch pwned; '"
	j := newActionJob(t, map[string]string{"repeats": "3", "requests": "24", "gate": "mean_ttft<+300%", "slo": hostile, "comment-author": "me"})
	server := "http://" + freeAddress(t)
	j.values["inputs.base-url"], j.values["github.sha"] = server, hostile
	j.set("SERVER_URL", server)
	start := `inferometer sim --listen "${SERVER_URL#http://}" --ttft lognormal:50ms:0.2 --itl 5ms > server.log 2>&1 &`
	if code, out := j.sh(t, start); code != 0 {
		t.Fatal(out)
	}
	j.must(t, "Check")
	j.must(t, "Measure")
	j.must(t, "Comment")
	j.must(t, "Gate")
	if got := j.values["steps.measure.outputs.code"]; got != "0" {
		t.Errorf("the first run gives %q", got)
	}
	body := j.read(t, "body.md")
	if !strings.HasPrefix(body, "<!-- inferometer:benchmark -->\n\nNo last good result yet") || !strings.Contains(j.read(t, "GITHUB_STEP_SUMMARY"), "No last good result yet") {
		t.Errorf("the comment is %q", body)
	}
	if got := j.read(t, "gh.log"); !strings.Contains(got, "--method POST repos/owner/name/issues/7/comments ") || strings.Contains(got, "PATCH") {
		t.Errorf("gh was called with %s", got)
	}
	if _, err := os.Stat(filepath.Join(j.dir, "pwned")); err == nil {
		t.Error("a value was run as a command")
	}

	// The next time there is a comment of ours, and one of somebody who knows the marker.
	writeTo(t, filepath.Join(j.dir, "comments.json"), `[{"id":5,"user":{"login":"stranger"},"body":"<!-- inferometer:benchmark -->"},
		{"id":6,"user":{"login":"me"},"body":"see <!-- inferometer:benchmark -->"},{"id":8,"user":{"login":"me"},"body":"<!-- inferometer:benchmark -->\n\nold"}]`, 0o644)
	j.values["inputs.base-url"] = "http://" + freeAddress(t)
	j.set("SERVER_URL", j.values["inputs.base-url"])
	if code, out := j.sh(t, strings.ReplaceAll(start, "lognormal:50ms:0.2", "1s")); code != 0 {
		t.Fatal(out)
	}
	out := j.must(t, "Measure")
	j.must(t, "Comment")
	if got := j.read(t, "gh.log"); !strings.Contains(got, "--method PATCH repos/owner/name/issues/comments/8 ") {
		t.Errorf("gh was called with %s", got)
	}
	j.values["inputs.undecided"] = "fail"
	want := j.decided(t, filepath.Join("inferometer-results", "table.md"), exitGate)
	says := map[int]string{exitGate: "::error::the gate is broken", exitUndecided: "::error::the data can't decide"}[want]
	if code, said := j.step(t, "Gate"); code != want || !strings.HasPrefix(said, says) {
		t.Errorf("the slow server: exit code %d, want %d, %s\n%s", code, want, said, out)
	}
}

// A scenario is run, and its SLO is the gate.
func TestRealActionRunsAScenario(t *testing.T) {
	if testing.Short() {
		t.Skip("it measures a simulator")
	}
	t.Parallel()
	j := newActionJob(t, map[string]string{"scenario": "-scenario.yaml", "slo": "failed<1% and p99_ttft<=1us"})
	writeTo(t, filepath.Join(j.dir, "-scenario.yaml"), `name: small
targets:
  server:
    command: exec "{inferometer}" sim --listen 127.0.0.1:{port} --ttft 5ms --itl 1ms
workload: {dataset: random, input_len: 8, output_len: 4, num_prompts: 20}
matrix: {concurrency: [1, 2]}
`, 0o644)
	j.must(t, "Check")
	out := j.must(t, "Measure")
	if got := j.values["steps.measure.outputs.code"]; got != "7" {
		t.Fatalf("the code is %q\n%s", got, out)
	}
	j.must(t, "Comment")
	if got := j.read(t, "body.md"); !strings.Contains(got, "concurrency") {
		t.Errorf("the comment is %s", got)
	}
	if code, said := j.step(t, "Gate"); code != 7 {
		t.Errorf("exit code %d: %s", code, said)
	}
}

// What can't be meant is refused before anything is measured; and each code has its ending.
func TestActionRefuses(t *testing.T) {
	for name, inputs := range map[string]map[string]string{
		"nothing":           {},
		"both":              {"base-url": "http://x", "scenario": "x.yaml"},
		"a folder outside":  {"base-url": "http://x", "folder": "../x"},
		"the root":          {"base-url": "http://x", "folder": "/"},
		"a line in a value": {"base-url": "http://x", "folder": "x\nprogram=/bin/sh"},
		"a name":            {"base-url": "http://x", "name": "a -->"},
		"no program":        {"base-url": "http://x", "program": "no-such-program"},
		"a word":            {"base-url": "http://x", "undecided": "ignore"},
	} {
		t.Run(name, func(t *testing.T) {
			j := &actionJob{ciJob: &ciJob{dir: t.TempDir()}, action: readAction(t), values: map[string]string{}}
			for input, in := range j.action.Inputs {
				j.values["inputs."+input] = *in.Default
			}
			j.values["inputs.program"] = "true" // stands for one that is installed
			for input, value := range inputs {
				j.values["inputs."+input] = value
			}
			if code, out := j.step(t, "Check"); code != 2 || !strings.HasPrefix(out, "::error::") {
				t.Errorf("exit code %d: %s", code, out)
			}
		})
	}
	j := &actionJob{ciJob: &ciJob{dir: t.TempDir()}, action: readAction(t), values: map[string]string{"inputs.undecided": "warn"}}
	for code, want := range map[string]int{"0": 0, "5": 5, "6": 0, "7": 7, "1": 1, "3": 1, "": 1} {
		j.values["steps.measure.outputs.code"] = code
		if got, out := j.step(t, "Gate"); got != want {
			t.Errorf("code %q: exit %d, want %d: %s", code, got, want, out)
		}
	}
	j.values["inputs.undecided"], j.values["steps.measure.outputs.code"] = "fail", "6"
	if got, out := j.step(t, "Gate"); got != 6 {
		t.Errorf("exit %d: %s", got, out)
	}
}
