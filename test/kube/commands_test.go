package kube

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/inferometer/inferometer/internal/fleet/fleettest"
	"github.com/inferometer/inferometer/internal/sim/subprocess"
	"github.com/inferometer/inferometer/test/realserver"
)

// No pod runs here, so the commands of the pods are run as processes, with folders of the
// test in the places of their volumes: the flags are right, and a run comes out.
func TestCommandsOfThePods(t *testing.T) {
	tool(t, "helm") // before anything is built
	nats, program, dir := fleettest.Start(t), realserver.Build(t), t.TempDir()
	sim, err := subprocess.Start(program, "--ttft", "2ms", "--itl", "1ms")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = sim.Stop() })
	place := filepath.Join(dir, "place.json")
	if err := os.WriteFile(place, fmt.Appendf(nil, "{%q: %q}", "url", nats.URL), 0o600); err != nil {
		t.Fatal(err)
	}
	values := fmt.Sprintf("agents: {count: 2, allow: [127.0.0.1], labels: {region: eu, card: 25g}, weight: 2}\n"+
		"leader: {agentLabels: {region: eu, card: 25g}, wait: 1m, args: [--base-url, %q, --num-prompts, '40', --request-rate, '200', --random-input-len, '4', --random-output-len, '2']}\n", sim.URL)

	command := func(component string, i int) *exec.Cmd {
		t.Helper()
		name := fmt.Sprintf("%s-%d", component, i)
		state := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Join(state, "tmp"), 0o700); err != nil {
			t.Fatal(err)
		}
		there := strings.NewReplacer("/etc/inferometer/nats/place.json", place, "/results", filepath.Join(dir, "results"), "/state", state, "$(POD_NAME)", name, "$(NODE_NAME)", "node-1")
		for _, o := range decode(t, render(t, values)) {
			if at(o, "metadata", "labels", "app.kubernetes.io/component") != component {
				continue
			}
			c := at(o, "spec", "template", "spec", "containers").([]any)[0]
			cmd := exec.Command(program)
			for _, arg := range at(c, "args").([]any) {
				cmd.Args = append(cmd.Args, there.Replace(arg.(string)))
			}
			cmd.Env = []string{"PATH=/nowhere"}
			for _, e := range at(c, "env").([]any) {
				if value, ok := at(e, "value").(string); ok {
					cmd.Env = append(cmd.Env, at(e, "name").(string)+"="+there.Replace(value))
				}
			}
			return cmd
		}
		t.Fatalf("no %s", component)
		return nil
	}
	ended := make(chan error, 2)
	for i := range 2 {
		agent := command("agent", i)
		agent.Stderr = os.Stderr
		if err := agent.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = agent.Process.Kill() }) // gone already, unless the test gave up
		go func() { ended <- agent.Wait() }()
	}
	leader := command("leader", 0)
	if out, err := leader.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for range 2 {
		if err := <-ended; err != nil {
			t.Errorf("an agent of the Job: %v", err)
		}
	}
	b, err := os.ReadFile(filepath.Join(dir, "results", "leader-0", "result.json"))
	var result struct{ Completed int }
	if err != nil || json.Unmarshal(b, &result) != nil || result.Completed != 40 {
		t.Errorf("%v: %+v", err, result)
	}
}
