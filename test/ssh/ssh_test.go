// Package ssh starts agents with --agents through the real ssh and a real sshd on the
// loopback. It is skipped where these, or nats-server, are not there.
package ssh

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/inferometer/inferometer/internal/fleet/fleettest"
	"github.com/inferometer/inferometer/internal/sim/subprocess"
	"github.com/inferometer/inferometer/test/realserver"
)

// place is a machine that can be reached by ssh: this one.
type place struct {
	t       *testing.T
	dir     string
	port    int
	user    string
	program string
	nats    *fleettest.Server
	sim     string
}

// sshd is the server's program.
func sshd(t *testing.T) string {
	t.Helper()
	for _, path := range []string{"/usr/sbin/sshd", "/usr/local/sbin/sshd", "/usr/bin/sshd"} {
		if _, err := os.Stat(path); err == nil {
			return path
		}
	}
	t.Skip("there is no sshd: the package openssh-server has it")
	return ""
}

func run(t *testing.T, name string, args ...string) {
	t.Helper()
	if out, err := exec.Command(name, args...).CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", name, err, out)
	}
}

func write(t *testing.T, path, text string, mode os.FileMode) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
}

func newPlace(t *testing.T) *place {
	t.Helper()
	server := sshd(t)
	client, err := exec.LookPath("ssh")
	if err != nil {
		t.Skip("there is no ssh")
	}
	me, err := user.Current()
	if err != nil {
		t.Fatal(err)
	}
	p := &place{t: t, dir: t.TempDir(), port: fleettest.FreePort(t), user: me.Username, nats: fleettest.Start(t), program: realserver.Build(t)}
	if me.Uid == "0" { // where root's sshd has its empty folder
		if err := os.MkdirAll("/run/sshd", 0o755); err != nil {
			t.Skip(err)
		}
	}
	for _, key := range []string{"host", "id"} {
		run(t, "ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", filepath.Join(p.dir, key))
	}
	public, err := os.ReadFile(filepath.Join(p.dir, "id.pub"))
	if err != nil {
		t.Fatal(err)
	}
	hostKey, err := os.ReadFile(filepath.Join(p.dir, "host.pub"))
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(p.dir, "authorized"), string(public), 0o600)
	write(t, filepath.Join(p.dir, "known"), fmt.Sprintf("[127.0.0.1]:%d %s", p.port, hostKey), 0o600)
	write(t, filepath.Join(p.dir, "sshd_config"), fmt.Sprintf("Port %d\nListenAddress 127.0.0.1\nHostKey %s/host\nAuthorizedKeysFile %[2]s/authorized\nStrictModes no\n"+
		"PasswordAuthentication no\nKbdInteractiveAuthentication no\nUsePAM no\nPermitRootLogin prohibit-password\nPidFile none\n", p.port, p.dir), 0o600)
	// The ssh of this test's PATH is the real one with a configuration of its own: the
	// user's is not touched.
	write(t, filepath.Join(p.dir, "ssh_config"), fmt.Sprintf("Host *\n IdentityFile %s/id\n IdentitiesOnly yes\n UserKnownHostsFile %[1]s/known\n GlobalKnownHostsFile /dev/null\n StrictHostKeyChecking yes\n", p.dir), 0o600)
	if err := os.Mkdir(filepath.Join(p.dir, "bin"), 0o700); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(p.dir, "bin", "ssh"), fmt.Sprintf("#!/bin/sh\nprintf '%%s\\n' \"$*\" >> %s/calls\nexec %s -F %[1]s/ssh_config \"$@\"\n", p.dir, client), 0o700)

	cmd := exec.Command(server, "-D", "-e", "-f", filepath.Join(p.dir, "sshd_config"))
	var log bytes.Buffer
	cmd.Stderr = &log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		if t.Failed() {
			t.Logf("sshd: %s", &log)
		}
	})
	fleettest.Listening(t, fmt.Sprintf("127.0.0.1:%d", p.port))
	sim, err := subprocess.Start(p.program, "--ttft", "2ms", "--itl", "1ms")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = sim.Stop() })
	p.sim = sim.URL
	return p
}

// bench is a run of 40 requests with agents on this machine, reached by ssh.
func (p *place) bench(more ...string) (said string, code int) {
	p.t.Helper()
	var out bytes.Buffer
	cmd := p.command(&out, more...)
	_ = cmd.Run() // the exit code tells
	return out.String(), cmd.ProcessState.ExitCode()
}

func (p *place) command(out io.Writer, more ...string) *exec.Cmd {
	cmd := exec.Command(p.program, append([]string{
		"bench", "serve", "--base-url", p.sim, "--num-prompts", "40", "--request-rate", "200", "--random-input-len", "4", "--random-output-len", "2",
		"--run-dir", "run", "--fleet", p.nats.URL,
	}, more...)...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = p.dir, out, out
	cmd.Env = append(os.Environ(), "PATH="+filepath.Join(p.dir, "bin")+":"+os.Getenv("PATH"), "XDG_STATE_HOME="+p.dir)
	return cmd
}

func (p *place) host() string { return fmt.Sprintf("%s@127.0.0.1:%d", p.user, p.port) }

// running are the agents of this program.
func (p *place) running() (lines []string) {
	files, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, file := range files {
		if line, _ := os.ReadFile(file); bytes.HasPrefix(line, []byte(p.program+"\x00agent\x00")) {
			lines = append(lines, strings.ReplaceAll(string(line), "\x00", " "))
		}
	}
	return lines
}

// gone waits until no agent of this program runs any more.
func (p *place) gone() {
	p.t.Helper()
	for deadline := time.Now().Add(2 * time.Minute); time.Now().Before(deadline); time.Sleep(100 * time.Millisecond) {
		if len(p.running()) == 0 {
			return
		}
	}
	p.t.Errorf("agents are left behind: %q", p.running())
}

func TestAgentsOverSSH(t *testing.T) {
	p := newPlace(t)
	said, code := p.bench("--agents", p.host()+","+p.host(), "--agent-program", p.program)
	if code != 0 {
		t.Fatalf("exit code %d:\n%s", code, said)
	}
	b, err := os.ReadFile(filepath.Join(p.dir, "run", "result.json"))
	var result struct{ Completed int }
	if err != nil || json.Unmarshal(b, &result) != nil || result.Completed != 40 {
		t.Errorf("%v: %+v\n%s", err, result, said)
	}
	p.gone()
	calls, err := os.ReadFile(filepath.Join(p.dir, "calls"))
	if err != nil || strings.Count(string(calls), "agent --nats - --once") != 2 || strings.Contains(string(calls), p.nats.URL) {
		t.Errorf("%v\n%s", err, calls)
	}
}

// A leader that is killed leaves nobody behind on the other machines.
func TestTheLeaderIsKilled(t *testing.T) {
	p := newPlace(t)
	cmd := p.command(io.Discard, "--agents", p.host(), "--agent-program", p.program, "--request-rate", "20", "--num-prompts", "2000")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill() }) // gone already, unless the test gave up
	journal := filepath.Join(p.dir, "run", "agents")
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(100 * time.Millisecond) { // until it sends
		if found, _ := filepath.Glob(filepath.Join(journal, "*", "journal.jsonl.zst")); len(found) > 0 {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("the run does not begin")
		}
	}
	if len(p.running()) != 1 {
		t.Errorf("%q", p.running())
	}
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	p.gone()
}

// What can't work is said at once, with the words of ssh, and nothing is sent.
func TestAgentsThatCannotCome(t *testing.T) {
	p := newPlace(t)
	for _, c := range []struct {
		name  string
		flags []string
		code  int
		want  string
	}{
		{"no program there", []string{"--agents", p.host(), "--agent-program", "/nowhere/inferometer"}, 1, "/nowhere/inferometer"},
		{"nothing is listening", []string{"--agents", "127.0.0.1:1"}, 1, "Connection refused"},
		{"unknown host key", []string{"--agents", fmt.Sprintf("localhost:%d", p.port)}, 1, "Host key verification failed"},
		{"no such user", []string{"--agents", fmt.Sprintf("nobody-here@127.0.0.1:%d", p.port)}, 1, "Permission denied"},
		{"an option", []string{"--agents=-oProxyCommand=touch x"}, 2, "is no host"},
		{"more than a word", []string{"--agents", "a;touch x"}, 2, "is no host"},
		{"a program that is an option", []string{"--agents", "a", "--agent-program=-x"}, 2, "needs the path of a program"},
		{"others too", []string{"--agents", "a", "--fleet-agents", "3"}, 2, "can't be used together"},
	} {
		t.Run(c.name, func(t *testing.T) {
			said, code := p.bench(c.flags...)
			if code != c.code || !strings.Contains(said, c.want) {
				t.Errorf("exit code %d:\n%s", code, said)
			}
			for _, file := range []string{"x", "run"} {
				if _, err := os.Stat(filepath.Join(p.dir, file)); err == nil {
					t.Errorf("%s was made", file)
				}
			}
		})
	}
	p.gone()
}
