package repo

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"go.yaml.in/yaml/v3"
)

// The examples for CI are run as a CI system would run them: the shell lines of the
// YAML files one after the other, against a simulator. What needs the forge (actions,
// posting, installing) is left out or is a stub that notes how it was called.

type githubWorkflow struct {
	Jobs map[string]struct {
		Env   map[string]string
		Steps []struct {
			Name, Uses, If, Run string
			Env                 map[string]string
		}
	}
}

type gitlabJobs map[string]struct {
	Variables    map[string]string
	Script       []string
	AllowFailure struct {
		ExitCodes []int `yaml:"exit_codes"`
	} `yaml:"allow_failure"`
}

func parseYAML(t *testing.T, path string, into any) {
	t.Helper()
	d := yaml.NewDecoder(strings.NewReader(readFile(t, path)))
	if err := d.Decode(into); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
}

// ciJob is the folder in which a job's steps run.
type ciJob struct {
	dir string
	env []string
}

func newCIJob(t *testing.T) *ciJob {
	t.Helper()
	for _, program := range []string{"bash", "sh"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("%s is not here: the examples for CI need it", program)
		}
	}
	dir := t.TempDir()
	script := readFile(t, filepath.Join("examples", "ci", "measure.sh"))
	writeTo(t, filepath.Join(dir, "examples", "ci", "measure.sh"), script, 0o755)
	for _, stub := range []string{"gh", "glab"} {
		writeTo(t, filepath.Join(dir, "stubs", stub), "#!/bin/sh\necho \"$@\" >> "+filepath.Join(dir, stub+".log")+"\n", 0o755)
	}
	j := &ciJob{dir: dir}
	j.set("PATH", filepath.Join(dir, "stubs")+":"+buildBinary(t)+":"+os.Getenv("PATH"))
	j.set("XDG_STATE_HOME", filepath.Join(dir, "state"))
	j.set("SERVER_URL", "http://"+freeAddress(t))
	for _, file := range []string{"GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY"} {
		j.set(file, filepath.Join(dir, file))
	}
	// Small, and with a gate that only a server breaks which is many times slower.
	for name, value := range map[string]string{"REPEATS": "3", "REQUESTS": "24", "CONCURRENCY": "8", "GATE": "mean_ttft<+300%", "LABEL": "abc", "PULL": "7"} {
		j.set(name, value)
	}
	return j
}

func writeTo(t *testing.T, path, text string, mode os.FileMode) {
	t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), mode)); err != nil {
		t.Fatal(err)
	}
}

func (j *ciJob) set(name, value string) { j.env = append(j.env, name+"="+value) }

// sh runs a step and gives its exit code. What it leaves running ends with the test.
func (j *ciJob) sh(t *testing.T, step string) (code int, out string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, "bash", "-e", "-c", step)
	cmd.Dir, cmd.Env = j.dir, append(os.Environ(), j.env...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	b, err := cmd.CombinedOutput()
	if cmd.Process != nil {
		t.Cleanup(func() { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }) // gone already, unless it is the server
	}
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatalf("%s: %v", step, err)
	}
	return cmd.ProcessState.ExitCode(), string(b)
}

func (j *ciJob) read(t *testing.T, name string) string {
	t.Helper()
	return readFile(t, filepath.Join(j.dir, name))
}

// decided is the exit code of a comparison, given what it is of runs that count: a machine may be too busy for runs so
// short, and then their own verdict forbids an answer.
func (j *ciJob) decided(t *testing.T, table string, code int) int {
	t.Helper()
	if strings.Contains(j.read(t, table), "its own verdict is INVALID") {
		return exitUndecided
	}
	return code
}

// outcomes are the words of a gate, by the exit code.
var outcomes = map[int]string{0: "kept: ", exitGate: "broken: ", exitUndecided: "undecided: "}

func TestRealGitHubWorkflow(t *testing.T) {
	if testing.Short() {
		t.Skip("it measures a simulator")
	}
	t.Parallel()
	path := filepath.Join("examples", "ci", "github-workflow.yml")
	var w githubWorkflow
	parseYAML(t, path, &w)
	steps := map[string]string{}
	pinned := regexp.MustCompile(`^actions/[a-z/-]+@[0-9a-f]{40}$`)
	for _, s := range w.Jobs["benchmark"].Steps {
		steps[s.Name] = s.Run
		if s.Uses != "" && !pinned.MatchString(s.Uses) {
			t.Errorf("%s is not one of GitHub's own actions, pinned to a commit", s.Uses)
		}
		if strings.Contains(s.Run, "${{") {
			t.Errorf("%s: a value of the event stands in a script, where it could be a command: give it by env", s.Name)
		}
	}
	if gate := w.Jobs["benchmark"].Env["GATE"]; !strings.Contains(gate, "p99_ttft<+10%") {
		t.Errorf("the gate is %q", gate)
	}
	j := newCIJob(t)
	for _, name := range []string{"Start the server", "Measure", "Comment"} {
		if code, out := j.sh(t, steps[name]); steps[name] == "" || code != 0 {
			t.Fatalf("%s: exit code %d\n%s", name, code, out)
		}
	}
	if got := j.read(t, "GITHUB_OUTPUT"); got != "code=0\n" {
		t.Errorf("the first run gives %q", got)
	}
	if got := j.read(t, "GITHUB_STEP_SUMMARY"); !strings.Contains(got, "No last good result yet") || !strings.Contains(got, "| abc") {
		t.Errorf("the summary is %q", got)
	}
	if got := j.read(t, "gh.log"); got != "pr comment 7 --edit-last --body-file table.md\n" {
		t.Errorf("gh was called with %q", got)
	}
	for code, want := range map[string]struct {
		exit int
		says string
	}{"0": {0, ""}, "5": {1, "::error::the gate is broken"}, "6": {0, "::warning::the data can't decide"}, "1": {1, "::error::the measurement failed"}} {
		if exit, out := j.sh(t, "CODE="+code+"\n"+steps["Gate"]); exit != want.exit || !strings.HasPrefix(out, want.says) {
			t.Errorf("code %s: exit %d, %q", code, exit, out)
		}
	}
}

func TestRealGitLabJob(t *testing.T) {
	if testing.Short() {
		t.Skip("it measures a simulator")
	}
	t.Parallel()
	var jobs gitlabJobs
	parseYAML(t, filepath.Join("examples", "ci", "gitlab-ci.yml"), &jobs)
	job := jobs["benchmark"]
	if len(job.AllowFailure.ExitCodes) != 1 || job.AllowFailure.ExitCodes[0] != 6 {
		t.Errorf("exit codes %v are warnings, want 6 alone", job.AllowFailure.ExitCodes)
	}
	if len(job.Script) < 4 || !strings.HasPrefix(job.Script[0], "inferometer sim ") {
		t.Fatalf("the script begins with %q", job.Script)
	}
	j := newCIJob(t)
	j.set("CI_MERGE_REQUEST_IID", "3")
	j.set("GITLAB_TOKEN", "x")
	measure := strings.Join(job.Script[1:], "\n")
	if code, out := j.sh(t, job.Script[0]); code != 0 {
		t.Fatalf("%d: %s", code, out)
	}
	if code, out := j.sh(t, measure); code != 0 || !strings.Contains(out, "No last good result yet") {
		t.Fatalf("the first run: %d: %s", code, out)
	}
	if got := j.read(t, "glab.log"); !strings.HasPrefix(got, "mr note 3 --message No last good") {
		t.Errorf("glab was called with %q", got)
	}

	// The same server again: kept. Then one that takes twenty times as long: broken, and the good result stays. A run that a
	// busy machine has spoiled decides nothing, and the job says so.
	code, out := j.sh(t, measure)
	if want := j.decided(t, "table.md", 0); code != want || !strings.Contains(out, outcomes[want]) {
		t.Errorf("the second run: %d, want %d: %s", code, want, out)
	}
	good := j.read(t, "last-good/1.json")
	j.set("SERVER_URL", "http://"+freeAddress(t))
	if code, out := j.sh(t, strings.ReplaceAll(job.Script[0], "lognormal:50ms:0.2", "1s")); code != 0 {
		t.Fatalf("%d: %s", code, out)
	}
	code, out = j.sh(t, measure)
	want := j.decided(t, "table.md", exitGate)
	if code != want || !strings.Contains(out, outcomes[want]) || (want == exitGate) != strings.Contains(j.read(t, "junit.xml"), "<failure") {
		t.Errorf("the slow server: %d, want %d: %s", code, want, out)
	}
	if j.read(t, "last-good/1.json") != good {
		t.Error("a result that broke the gate became the last good one")
	}
}
