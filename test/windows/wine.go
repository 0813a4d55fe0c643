// Package windows runs the program as it is built for Windows, under Wine. What Wine can't show: the steps of
// Windows's own clock, its consoles, its scheduler, and how fast any of it is there.
package windows

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// wine is a Windows that runs programs.
type wine struct {
	t       *testing.T
	program string // of inferometer, as Linux names it
	env     []string
	folder  string // where commands are typed
}

// patience is what one command may take on a machine that has much to do.
const patience = 2 * time.Minute

// builtIn is the folder of the program, which is one for all tests; empty: none needed it.
var builtIn string

var built = sync.OnceValue(func() (err error) {
	if builtIn, err = os.MkdirTemp("", "inferometer-windows-*"); err != nil {
		return err
	}
	return build(filepath.Join(builtIn, "inferometer.exe"), "build", "./cmd/inferometer")
})

// build builds for Windows.
func build(to string, how ...string) error {
	cmd := exec.Command("go", append([]string{how[0], "-o", to}, how[1:]...)...)
	cmd.Dir = filepath.Join("..", "..")
	cmd.Env = append(os.Environ(), "GOOS=windows", "GOARCH=amd64", "CGO_ENABLED=0")
	cmd.Stdout, cmd.Stderr = os.Stderr, os.Stderr
	return cmd.Run()
}

func start(t *testing.T) *wine {
	t.Helper()
	if _, err := exec.LookPath("wine"); err != nil {
		t.Skip("needs wine, a package of Debian: scripts/programs.sh wine")
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	if err := built(); err != nil {
		t.Fatal(err)
	}
	prefix := filepath.Join(cache, "inferometer", "wine")
	if err := os.MkdirAll(filepath.Dir(prefix), 0o755); err != nil {
		t.Fatal(err)
	}
	w := &wine{t: t, program: filepath.Join(builtIn, "inferometer.exe"), folder: t.TempDir()}
	w.env = append(os.Environ(), "WINEPREFIX="+prefix, "WINEDEBUG=-all", "WINEDLLOVERRIDES=mscoree=;mshtml=", "XDG_STATE_HOME="+windowsPath(w.folder))
	system := filepath.Join(prefix, "drive_c", "windows", "system32")
	if _, err := os.Stat(system); err != nil {
		w.run("wineboot", "--init")
	}
	dll := filepath.Join(system, "bcryptprimitives.dll")
	if _, err := os.Stat(dll); err != nil {
		if err := os.WriteFile(dll, randomness(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return w
}

// windowsPath is how Wine names a file of Linux.
func windowsPath(path string) string { return `Z:` + strings.ReplaceAll(path, "/", `\`) }

// run runs a program, and gives what it said on both streams and its exit code.
func (w *wine) run(program string, args ...string) (said string, code int) {
	w.t.Helper()
	ctx, stop := context.WithTimeout(w.t.Context(), patience)
	defer stop()
	cmd := exec.CommandContext(ctx, "wine", append([]string{program}, args...)...)
	var out bytes.Buffer
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = w.folder, w.env, &out, &out
	cmd.WaitDelay = 5 * time.Second
	err := cmd.Run()
	if cmd.ProcessState == nil || ctx.Err() != nil {
		w.t.Fatalf("wine %s %q: %v\n%s", program, args, err, out.String())
	}
	return strings.ReplaceAll(out.String(), "\r\n", "\n"), cmd.ProcessState.ExitCode()
}

// types runs a command of ours, which must end with the exit code, and must say each of the words.
func (w *wine) types(code int, words []string, args ...string) string {
	w.t.Helper()
	said, got := w.run(w.program, args...)
	if got != code {
		w.t.Fatalf("inferometer %q: exit code %d, want %d\n%s", args, got, code, said)
	}
	for _, word := range words {
		if !strings.Contains(said, word) {
			w.t.Errorf("inferometer %q does not say %q:\n%s", args, word, said)
		}
	}
	return said
}
