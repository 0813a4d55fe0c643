package cli

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/inferometer/inferometer/internal/fleet/fleettest"
)

// TestMain makes this test binary serve as the program too: in scripts, and in
// tests that need a process of its own, `inferometer` is found in PATH.
func TestMain(m *testing.M) {
	os.Setenv("GORACE", raceOptions) // for processes that tests start themselves
	testscript.Main(lean{m}, map[string]func(){
		"inferometer": func() {
			os.Exit(Main(context.Background(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
		},
	})
}

// raceOptions spare each process the second that the race detector waits at its end.
const raceOptions = "atexit_sleep_ms=10"

// TestRealScripts runs the commands as a user types them: testdata/script/*.txtar.
// Beside testscript's own commands they have those of script_commands_test.go.
func TestRealScripts(t *testing.T) {
	formats, err := filepath.Abs("../../tokenizer/testdata/formats")
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(env *testscript.Env) error {
			env.Setenv("HOME", filepath.Join(env.WorkDir, "home"))
			env.Setenv("XDG_STATE_HOME", filepath.Join(env.WorkDir, "state"))
			env.Setenv("HF_HUB_OFFLINE", "1") // scripts that want the hub start a stand-in for it
			env.Setenv("GORACE", raceOptions)
			env.Setenv("TOKENIZER", filepath.Join(env.WorkDir, "tokenizer.json"))
			env.Setenv("FORMATS", formats)
			env.Values[sessionKey{}] = &session{}
			return writeTinyTokenizer(filepath.Join(env.WorkDir, "tokenizer.json"))
		},
		Condition: func(cond string) (bool, error) {
			switch cond {
			case "ipv6":
				return hasIPv6(), nil
			case "nats":
				return fleettest.Find() != "", nil
			}
			return false, fmt.Errorf("no condition %q", cond)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"sim":      cmdSim,
			"simstop":  cmdSimStop,
			"replica":  cmdReplica,
			"stopall":  cmdStopAll,
			"lines":    cmdLines,
			"inflight": cmdInFlight,
			"served":   cmdServed,
			"login":    cmdLogin,
			"says":     cmdSays,
			"exit":     cmdExit,
			"compared": cmdCompared,
			"start":    cmdStart,
			"signal":   cmdSignal,
			"result":   cmdResult,
			"json":     cmdJSON,
			"jsonenv":  cmdJSONEnv,
			"runs":     cmdRuns,
			"journal":  cmdJournal,
			"hidden":   cmdHidden,
			"proxy":    cmdProxy,
			"proxied":  cmdProxied,
			"pids":     cmdPIDs,
			"gone":     cmdGone,
			"sending":  cmdSending,
			"freeport": cmdFreePort,
			"sweeping": cmdSweeping,
			"layout":   cmdLayout,
			"keys":     cmdKeys,
			"page":     cmdPage,
			"hub":      cmdHub,
			"nats":     cmdNATS,
			"agents":   cmdAgents,
			"played":   cmdPlayed,
		},
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
	})
}

func hasIPv6() bool {
	l, err := net.Listen("tcp", "[::1]:0")
	if err != nil {
		return false
	}
	return l.Close() == nil
}

// program is the path of inferometer, which TestMain has put into PATH.
func program(t *testing.T) string {
	t.Helper()
	path, err := exec.LookPath("inferometer")
	if err != nil {
		t.Fatal(err)
	}
	return path
}
