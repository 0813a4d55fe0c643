package repo

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"
)

// Commands shown in README and docs are run by this test.
//
//   - ```sh: every line that begins with inferometer or bin/inferometer is run, in
//     order, in a folder of the page's own that has copies of examples/ and testdata/results/, and must exit
//     with 0, or with N where "# exit code N" stands behind it (tooBusy has what a busy machine may make of it). A simulator is
//     started and stays up until the page starts another one at its address or ends.
//     Other lines (make, go) are for the reader; commands_marked_test.go says which may be there.
//   - ```console: what can't be run here, such as a GPU server. Lines that begin
//     with "$ " are commands. Their flags and values are checked: the command is
//     sent to an address where nothing is listening, and must not be a usage error.

// docsAddresses are where the simulators of the pages listen; each page gets free ports instead.
var docsAddresses = []string{"127.0.0.1:18000", "127.0.0.1:18001", "127.0.0.1:18002"}

const (
	exitFailed    = 1
	exitUsage     = 2
	exitPartial   = 3
	exitGate      = 5
	exitUndecided = 6
	exitSLO       = 7
)

// fenced finds the code blocks of a page with their language.
var fenced = regexp.MustCompile("(?ms)^```(\\w+)[^\\n]*\\n(.*?)^```$")

// command is a command line of a page. Settings of the environment may stand before it.
var command = regexp.MustCompile(`^((?:[A-Z_]+=\S+ )*)(?:bin/)?inferometer +(.*)$`)

// inContainer is what the program in a container is given.
var inContainer = regexp.MustCompile(`^(?:kubectl|docker|podman) .*/inferometer:\S+ .*?-- (.*)$`)

func TestRealCommandsInDocs(t *testing.T) {
	t.Parallel()
	bin := buildBinary(t)
	found := 0
	pages := pagesWithCommands(t)
	if testing.Short() {
		pages = shortPages
	}
	for _, path := range pages {
		blocks := fenced.FindAllStringSubmatch(readFile(t, path), -1)
		found += len(blocks)
		t.Run(filepath.ToSlash(path), func(t *testing.T) {
			t.Parallel()
			p := newDocsPage(t, bin)
			for _, b := range blocks {
				switch b[1] {
				case "sh":
					for _, line := range commandLines(b[2], "") {
						p.run(t, line)
					}
				case "console":
					for _, line := range commandLines(b[2], "$ ") {
						p.check(t, line)
					}
				}
			}
			p.stopSims(t)
		})
	}
	if found < 10 && !testing.Short() || found < len(shortPages) {
		t.Errorf("only %d code blocks were found: is the search broken?", found)
	}
}

// shortPages are those that are left with -short: what a newcomer does first.
var shortPages = []string{filepath.Join("docs", "getting-started.md"), filepath.Join("docs", "compare.md")}

// pagesWithCommands are README and all pages of docs, tutorials and the others below it too.
func pagesWithCommands(t *testing.T) []string {
	t.Helper()
	pages := []string{"README.md"}
	for _, pattern := range []string{"docs/*.md", "docs/*/*.md"} {
		found, err := filepath.Glob(filepath.FromSlash(pattern))
		if err != nil {
			t.Fatal(err)
		}
		pages = append(pages, found...)
	}
	return pages
}

// commandLines gives our commands of a block, continued lines joined, without their prompt.
func commandLines(block, prompt string) (lines []string) {
	joined := regexp.MustCompile(`\\\n\s*`).ReplaceAllString(block, "")
	for line := range strings.Lines(joined) {
		line, ok := strings.CutPrefix(strings.TrimSpace(line), prompt)
		if m := inContainer.FindStringSubmatch(line); m != nil {
			line = "inferometer " + m[1]
		}
		line = strings.TrimSuffix(line, " &") // the test has its own way to leave a simulator running
		if ok && command.MatchString(line) {
			lines = append(lines, line)
		}
	}
	return lines
}

// docsPage is where the commands of one page run.
type docsPage struct {
	dir, bin  string
	addresses *strings.Replacer   // free ones in place of docsAddresses
	sims      map[string]*docsSim // by the address that the page says
}

type docsSim struct {
	command *exec.Cmd
	died    chan error
}

func newDocsPage(t *testing.T, bin string) *docsPage {
	t.Helper()
	p := &docsPage{dir: t.TempDir(), bin: bin, sims: map[string]*docsSim{}}
	var pairs []string
	for _, a := range docsAddresses {
		pairs = append(pairs, a, freeAddress(t))
	}
	p.addresses = strings.NewReplacer(pairs...)
	for _, folder := range []string{"examples", filepath.Join("testdata", "results")} {
		if err := os.CopyFS(filepath.Join(p.dir, folder), os.DirFS(folder)); err != nil {
			t.Fatal(err)
		}
	}
	return p
}

// freeAddress is one where nothing is listening.
func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// shell makes the command of a line, and of what is added to it.
func (p *docsPage) shell(ctx context.Context, line, more string) *exec.Cmd {
	m := command.FindStringSubmatch(p.addresses.Replace(line))
	cmd := exec.CommandContext(ctx, "sh", "-c", m[1]+"exec inferometer "+m[2]+more)
	cmd.Dir = p.dir
	cmd.Env = append(os.Environ(), "PATH="+p.bin+string(os.PathListSeparator)+os.Getenv("PATH"),
		"XDG_STATE_HOME="+filepath.Join(p.dir, "state"), "HF_HUB_CACHE="+p.dir,
		"AWS_ACCESS_KEY_ID=", "AWS_SECRET_ACCESS_KEY=") // nothing is uploaded from here
	return cmd
}

// expected is the exit code that a page says.
var expected = regexp.MustCompile(`# exit code (\d)\b`)

// run runs a command of a sh block.
func (p *docsPage) run(t *testing.T, line string) {
	t.Helper()
	if strings.HasPrefix(command.FindStringSubmatch(line)[2], "sim ") {
		p.startSim(t, line)
		return
	}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	began := time.Now()
	out, err := p.shell(ctx, line, "").CombinedOutput()
	t.Logf("%5.1f s  %s", time.Since(began).Seconds(), line)
	code, want := 0, 0
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit):
		code = exit.ExitCode()
	case err != nil:
		t.Errorf("%s\n%v\n%s", line, err, out)
		return
	}
	if m := expected.FindStringSubmatch(line); m != nil {
		want = int(m[1][0] - '0')
	}
	switch {
	case code == want:
	case tooBusy(command.FindStringSubmatch(line)[2], code, string(out)):
		t.Logf("the command did its work, and this machine is too busy now for its answer (exit code %d): %s", code, line)
	default:
		t.Errorf("%s\nexit code %d, want %d\n%s", line, code, want, out)
	}
}

// tooBusy says that a command measured, and that what it found is this machine's doing. Its words must say so.
func tooBusy(args string, code int, out string) bool {
	asks := func(flag string) bool { return strings.Contains(args, flag+" ") }
	begins := func(word string) bool { return strings.HasPrefix(args, word+" ") }
	switch code {
	case exitSLO: // a latency above its limit
		return asks("--slo")
	case exitUndecided: // a run that is INVALID, or events that share reads, and so their times
		return asks("--gate") || begins("ab") || begins("compare") || asks("--slo") && strings.Contains(out, "not known")
	case exitPartial: // --max-time was over before the answer was confirmed
		return begins("find")
	case exitFailed: // a run of a second, which was over before a request was sent
		return asks("--duration") && strings.Contains(out, "no request completed: none was sent")
	}
	return false
}

// check tries whether a command of a console block is well formed.
func (p *docsPage) check(t *testing.T, line string) {
	t.Helper()
	args := command.FindStringSubmatch(line)[2]
	more := ""
	switch {
	case strings.HasPrefix(args, "sim "):
		t.Errorf("a simulator can be run: put it into a sh block: %s", line)
		return
	case strings.HasPrefix(args, "bench serve "):
		where := "--base-url"
		if strings.Contains(args, "--targets ") {
			where = "--targets"
		}
		more = " " + where + " http://" + freeAddress(t) + " --deadline 1s --quiet"
	case strings.HasPrefix(args, "http"): // a URL alone, where something may be listening
		address, _, _ := strings.Cut(args, " ")
		line = strings.Replace(line, address, "http://"+freeAddress(t), 1)
	case strings.HasPrefix(args, "eval "):
		more = " --base-url http://" + freeAddress(t) + " --deadline 1s --quiet"
	case strings.HasPrefix(args, "record "): // it goes on until it is told to end, unless it can't write
		more = " --output nowhere/traffic.jsonl"
	}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	began := time.Now()
	out, err := p.shell(ctx, line, more).CombinedOutput()
	t.Logf("%5.1f s  %s", time.Since(began).Seconds(), line)
	if err == nil && (args == "doctor" || strings.HasPrefix(args, "fleet init ") || strings.Contains(args, " --plan")) {
		return // it looks at this machine alone, which may be in order, writes files, or only shows what it would do
	}
	if bytes.Contains(out, []byte("is not a tokenizer file")) || bytes.Contains(out, []byte("needs the keys of the store")) {
		return // of the reader's own, which the flag names
	}
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() == exitUsage || exit.ExitCode() < 0 {
		t.Errorf("%s\nwant it to fail for want of a server or a file, not so: %v\n%s", line, err, out)
	}
}

// startSim starts a simulator in place of the one before at its address and waits until it listens.
func (p *docsPage) startSim(t *testing.T, line string) {
	t.Helper()
	where := ""
	for _, a := range docsAddresses {
		if strings.Contains(line, "--listen "+a) { // a router names others too
			where = a
		}
	}
	if where == "" {
		t.Fatalf("%s\na simulator of these pages listens on one of %s", line, docsAddresses)
	}
	p.stopSim(t, where)
	sim := p.shell(context.Background(), line, "")
	stderr, err := sim.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := sim.Start(); err != nil {
		t.Fatal(err)
	}
	said, err := bufio.NewReader(stderr).ReadString('\n')
	if err != nil || !strings.Contains(said, p.addresses.Replace(where)) {
		_ = sim.Process.Kill() // it may have ended by itself
		rest, _ := io.ReadAll(stderr)
		t.Fatalf("%s\nthe simulator did not start: %s%s (%v)", line, said, bytes.TrimSpace(rest), sim.Wait())
	}
	died := make(chan error, 1)
	go func() {
		_, _ = io.Copy(io.Discard, stderr)
		died <- sim.Wait()
	}()
	p.sims[where] = &docsSim{command: sim, died: died}
	t.Cleanup(func() { p.stopSim(t, where) })
}

// stopSims ends the page's simulators.
func (p *docsPage) stopSims(t *testing.T) {
	t.Helper()
	for where := range p.sims {
		p.stopSim(t, where)
	}
}

// stopSim ends the simulator of an address, which must have lived until now.
func (p *docsPage) stopSim(t *testing.T, where string) {
	t.Helper()
	sim := p.sims[where]
	if sim == nil {
		return
	}
	delete(p.sims, where)
	if err := sim.command.Process.Signal(syscall.SIGTERM); err != nil {
		t.Errorf("the simulator had ended by itself: %v", err)
	}
	if err := <-sim.died; err != nil {
		t.Errorf("the simulator: %v", err)
	}
}
