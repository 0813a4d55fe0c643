package cli

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/creack/pty"
)

func needs(t *testing.T, program string) string {
	t.Helper()
	path, err := exec.LookPath(program)
	if err != nil {
		t.Skipf("%s is not installed: what it does with our completion is not seen here", program)
	}
	return path
}

// told runs a shell with a script and returns what it prints, line by line.
func told(t *testing.T, name string, args ...string) []string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, needs(t, name), args...)
	cmd.Env = append(os.Environ(), "HOME="+t.TempDir(), "XDG_CONFIG_HOME="+t.TempDir(), "LC_ALL=C.UTF-8")
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v\n%s", name, err, out)
	}
	return strings.Split(strings.TrimSpace(string(out)), "\n")
}

func TestBashCompletes(t *testing.T) {
	runsFolder(t)
	const ask = `source <(inferometer completion bash)
ask() { # the line, split as readline splits it
    COMP_LINE=$1 COMP_POINT=${#1}; shift
    COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
    _inferometer 2>/dev/null
    printf '<%s>\n' "${COMPREPLY[@]}"
    echo --
}
ask 'inferometer bench serve --backend v' inferometer bench serve --backend v
ask 'inferometer bench serve --backend=v' inferometer bench serve --backend = v
ask 'inferometer bench serve --backend=' inferometer bench serve --backend =
ask 'inferometer bench serve --base-url http://h:1 --data' inferometer bench serve --base-url http : //h : 1 --data
ask 'inferometer report weird\ \$' inferometer report 'weird\ \$'
`
	answers := strings.Split(strings.Join(told(t, "bash", "--norc", "-c", ask), "\n"), "--\n")
	for i, want := range []string{"<vllm>", "<vllm>", "<openai-chat>", "<--dataset-name>", "<weird $(touch pwned)>"} {
		if i >= len(answers) || !slices.Contains(strings.Split(answers[i], "\n"), want) {
			t.Errorf("answer %d has no %s: %q", i, want, answers)
		}
	}
	if _, err := os.Stat("pwned"); err == nil {
		t.Error("a name was run")
	}
}

func TestFishCompletes(t *testing.T) {
	runsFolder(t)
	for line, want := range map[string]string{
		"inferometer bench serve --backend v":  "vllm",
		"inferometer bench serve --backend=v":  "--backend=vllm",
		"inferometer rep":                      "report",
		"inferometer report weird":             hostileNames[0],
		"inferometer report 'weird $(t":        hostileNames[0],
		"inferometer bench serve --max-concur": "--max-concurrency",
		"inferometer bench serve --config sce": "scenario.yaml",
		"inferometer bench serve --config=sce": "--config=scenario.yaml",
	} {
		found := told(t, "fish", "--no-config", "-c", "inferometer completion fish | source; complete -C $argv[1]", line)
		if !slices.ContainsFunc(found, func(s string) bool { word, _, _ := strings.Cut(s, "\t"); return word == want }) {
			t.Errorf("%s: no %q in %q", line, want, found)
		}
	}
	if _, err := os.Stat("pwned"); err == nil {
		t.Error("a name was run")
	}
}

// terminal is a shell that believes it has a person before it.
type terminal struct {
	f    *os.File
	mu   sync.Mutex
	seen bytes.Buffer
	done chan struct{}
}

func openTerminal(t *testing.T, name string, args ...string) *terminal {
	t.Helper()
	cmd := exec.Command(needs(t, name), args...)
	cmd.Env = append(os.Environ(), "HOME="+t.TempDir(), "ZDOTDIR="+t.TempDir(), "TERM=dumb", "PS1=> ", "LC_ALL=C.UTF-8")
	f, err := pty.StartWithSize(cmd, &pty.Winsize{Rows: 50, Cols: 250})
	if err != nil {
		t.Fatal(err)
	}
	s := &terminal{f: f, done: make(chan struct{})}
	go func() {
		defer close(s.done)
		b := make([]byte, 4096)
		for {
			n, err := f.Read(b)
			s.mu.Lock()
			s.seen.Write(b[:n])
			s.mu.Unlock()
			if err != nil {
				return
			}
		}
	}()
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = f.Close()
		<-s.done
		_ = cmd.Wait()
	})
	return s
}

func (s *terminal) send(t *testing.T, keys string) {
	t.Helper()
	if _, err := s.f.WriteString(keys); err != nil {
		t.Fatal(err)
	}
}

// wait waits until the shell has shown a text.
func (s *terminal) wait(t *testing.T, text string) {
	t.Helper()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	end := time.After(90 * time.Second)
	for {
		s.mu.Lock()
		seen := s.seen.String()
		s.mu.Unlock()
		if strings.Contains(seen, text) {
			return
		}
		select {
		case <-tick.C:
		case <-end:
			t.Fatalf("the shell never shows %q:\n%s", text, seen)
		}
	}
}

// A name with spaces, quotes and commands in it is completed in real shells, quoted so that
// it is the name that reaches the program.
func TestShellsQuoteNames(t *testing.T) {
	for _, tt := range []struct {
		shell string
		args  []string
		setup string
	}{
		{"bash", []string{"--norc", "--noprofile", "-i"}, "source <(inferometer completion bash); echo rea''dy\n"},
		{"zsh", []string{"-f", "-i"}, "unsetopt prompt_cr prompt_sp; bindkey -e; autoload -U compinit && compinit -u -D && source <(inferometer completion zsh); echo rea''dy\n"},
	} {
		t.Run(tt.shell, func(t *testing.T) {
			dir := runsFolder(t)
			s := openTerminal(t, tt.shell, tt.args...)
			s.send(t, tt.setup)
			s.wait(t, "ready")
			for _, name := range hostileNames {
				// A folder with this name alone, so that one Tab completes it whole; then the line
				// becomes the arguments of printf.
				only := filepath.Join(dir, "only", name)
				if err := os.MkdirAll(only, 0o755); err != nil {
					t.Fatal(err)
				}
				s.send(t, "inferometer report only/we\t")
				s.send(t, "\x01printf 'got<%s>\\n' \x05\n")
				s.wait(t, "got<only/"+name)
				if err := os.Remove(only); err != nil {
					t.Fatal(err)
				}
			}
			for _, folder := range []string{dir, filepath.Join(dir, "only")} {
				if _, err := os.Stat(filepath.Join(folder, "pwned")); err == nil {
					t.Error("a name was run")
				}
			}
		})
	}
}

func TestZshCompletes(t *testing.T) {
	runsFolder(t)
	s := openTerminal(t, "zsh", "-f", "-i")
	s.send(t, "unsetopt prompt_cr prompt_sp; bindkey -e; autoload -U compinit && compinit -u -D && source <(inferometer completion zsh); echo rea''dy\n")
	s.wait(t, "ready")
	for typed, want := range map[string]string{
		"inferometer compl\t":                          "got<completion>",
		"inferometer bench serve --max-concur\t":       "got<--max-concurrency>",
		"inferometer bench serve --dataset-name=sha\t": "got<--dataset-name=share",
		"inferometer bench serve --config=scen\t":      "got<--config=scenario.yaml>",
		"inferometer run scen\t":                       "got<scenario.yaml>",
	} {
		s.send(t, typed+"\x01printf 'got<%s>\\n' \x05\n")
		s.wait(t, want)
	}
}
