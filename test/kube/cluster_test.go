package kube

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/inferometer/inferometer/internal/fleet/fleettest"
)

// cluster is a control plane of this test's own.
type cluster struct {
	t      *testing.T
	config string
}

func up(t *testing.T) *cluster {
	t.Helper()
	if _, err := os.Stat(tool(t, "kube-apiserver")); err != nil {
		t.Skip("there is no kube-apiserver: make test-kube builds it")
	}
	dir := t.TempDir()
	t.Setenv("KUBE_PORT", fmt.Sprint(fleettest.FreePort(t)))
	t.Cleanup(func() {
		if out, err := said("../../scripts/kube.sh", nil, "down", dir); err != nil {
			t.Errorf("%v\n%s", err, out)
		}
	})
	out, err := said("../../scripts/kube.sh", nil, "up", dir)
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	t.Setenv("KUBECONFIG", filepath.Join(dir, "admin.conf"))
	return &cluster{t, filepath.Join(dir, "admin.conf")}
}

func (c *cluster) kubectl(stdin string, args ...string) string {
	c.t.Helper()
	out, err := said(tool(c.t, "kubectl"), []byte(stdin), args...)
	if err != nil {
		c.t.Fatalf("%v\n%s", err, out)
	}
	return out
}

// The API server takes all combinations and the manifests; a release is installed, its Jobs
// get their pods, its account may do nothing, and the results outlive it.
func TestCluster(t *testing.T) {
	c := up(t)
	c.kubectl("", "create", "namespace", "load")
	// The strictest of Kubernetes's own rules for pods, which refuses those that break it.
	c.kubectl("", "label", "namespace", "load", "pod-security.kubernetes.io/enforce=restricted")
	for name, values := range combinations {
		t.Run("dry run, "+name, func(t *testing.T) {
			(&cluster{t, c.config}).kubectl(render(t, values), "apply", "--dry-run=server", "-n", "load", "-f", "-")
		})
	}
	files, _ := filepath.Glob(filepath.Join(manifests, "*.yaml"))
	for _, file := range files {
		if !strings.HasSuffix(file, ".values.yaml") {
			c.kubectl("", "apply", "--dry-run=server", "-f", file)
		}
	}

	out, err := said(tool(t, "helm"), []byte(needed), "install", "bench", chart, "-n", "load", "-f", "-")
	if err != nil || !strings.Contains(out, "logs -f job/bench-inferometer-leader") {
		t.Fatalf("%v\n%s", err, out)
	}
	pods := ""
	for deadline := time.Now().Add(2 * time.Minute); time.Now().Before(deadline); time.Sleep(200 * time.Millisecond) {
		pods = c.kubectl("", "get", "pods", "-n", "load", "-o", `jsonpath={range .items[*]}{.metadata.annotations.batch\.kubernetes\.io/job-completion-index} {.status.phase} {.metadata.generateName}{"\n"}{end}`)
		if strings.Count(pods, "Pending") == 5 {
			break
		}
	}
	for i := range 4 { // no kubelet: they stay so
		if want := fmt.Sprintf("%d Pending bench-inferometer-agent-%d-", i, i); !strings.Contains(pods, want) {
			t.Errorf("no %q in\n%s%s", want, pods, c.kubectl("", "get", "events", "-n", "load"))
		}
	}
	if !strings.Contains(pods, " Pending bench-inferometer-leader-") {
		t.Errorf("no leader in\n%s", pods)
	}

	account := "--as=system:serviceaccount:load:bench-inferometer"
	for _, what := range []string{"get pods", "list secrets", "get secrets", "create pods", "create jobs", "get nodes", "delete jobs", "* *"} {
		args := append([]string{"auth", "can-i"}, strings.Fields(what)...)
		if out, err := said(tool(t, "kubectl"), nil, append(args, account, "-n", "load")...); err == nil || !strings.HasPrefix(out, "no") {
			t.Errorf("the account may %s: %s", what, out)
		}
	}
	if out, err := said(tool(t, "helm"), nil, "uninstall", "bench", "-n", "load"); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	if out := c.kubectl("", "get", "pvc", "-n", "load", "-o", "name"); !strings.Contains(out, "bench-inferometer-results") {
		t.Errorf("the results are gone: %s", out)
	}
}
