// Package kube checks the Helm chart and the manifests in deploy: with helm's linter and
// Kubernetes's own schemas, and against a real API server with its controller manager.
// There is no kubelet, so no pod runs. `make test-kube` builds what is needed.
package kube

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/inferometer/inferometer/internal/files/atomicfile"
	"github.com/inferometer/inferometer/test/realserver"
)

var update = flag.Bool("update", false, "write deploy/manifests anew")

const (
	chart     = "../../deploy/helm/inferometer"
	withNATS  = "../../deploy/helm/inferometer-with-nats"
	manifests = "../../deploy/manifests"
)

// tool is a program of the cache.
func tool(t *testing.T, name string) string {
	t.Helper()
	return filepath.Join(realserver.Lines(t, "INFEROMETER_KUBE", 1, "make test-kube")[0], name)
}

// said runs a program and gives what it says on standard output; on an error both.
func said(name string, stdin []byte, args ...string) (string, error) {
	cmd := exec.Command(name, args...)
	var out, fault bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(stdin), &out, &fault
	if err := cmd.Run(); err != nil {
		return out.String() + fault.String(), fmt.Errorf("%s %s: %w", filepath.Base(name), strings.Join(args, " "), err)
	}
	return out.String(), nil
}

// needed are the values without which nothing is rendered.
const needed = "image: {repository: registry.example/inferometer}\nagents: {allow: [\"vllm.models.svc:8000\"]}\n" +
	"leader: {args: [--base-url, 'http://vllm.models.svc:8000', --request-rate, '100']}\n"

// combinations are values that people give, by what they want.
var combinations = map[string]string{
	"least":         needed,
	"agents only":   "agents: {allow: [a.example], kind: Deployment, count: 200}\nleader: {enabled: false}\n",
	"leader only":   "agents: {enabled: false}\nleader: {args: [--model, m]}\nresults: {volume: {existingClaim: mine}}\n",
	"a scenario":    "agents: {allow: [a]}\nleader: {scenario: \"name: x\\nfleet: /etc/inferometer/nats/place.json\\ntargets: {a: {base_url: 'http://a'}}\\n\"}\n",
	"a bucket":      needed + "results: {volume: {enabled: false}, s3: {to: 's3://bucket/a b', secret: keys, endpoint: 'http://minio.s3:9000', region: eu, plain: true}}\n",
	"spread":        "agents: {allow: [a], spread: required, topologyKey: topology.kubernetes.io/zone, labels: {region: eu}, weight: 2}\nleader: {args: [x], agentLabels: {region: eu}, apiKey: {secret: key}, datasets: {claim: sets}}\n",
	"not spread":    "agents: {allow: [a], spread: none}\nleader: {enabled: false}\n",
	"a policy":      needed + "networkPolicy: {enabled: true, to: [{to: [{namespaceSelector: {}}], ports: [{port: 8000, protocol: TCP}]}]}\n",
	"elsewhere":     needed + "serviceAccount: {create: false, name: mine}\nimagePullSecrets: [pull]\n",
	"hostile words": "image: {repository: r}\nagents: {allow: [a]}\nleader: {args: [\"$(POD_NAME)\", \"a: b\", '\"', \"'\", '{{ x }}', \"line\\nbreak\"]}\n",
}

func render(t *testing.T, values string) string {
	t.Helper()
	out, err := said(tool(t, "helm"), []byte(values), "template", "bench", chart, "--namespace", "load", "-f", "-")
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return out
}

// conforms holds objects against Kubernetes's schemas, strictly.
func conforms(t *testing.T, objects string) {
	t.Helper()
	schemas := filepath.Join(tool(t, "schemas"), "{{.ResourceKind}}{{.KindSuffix}}.json")
	if out, err := said(tool(t, "kubeconform"), []byte(objects), "-strict", "-summary", "-schema-location", schemas); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

func TestChart(t *testing.T) {
	for name, values := range combinations {
		t.Run(name, func(t *testing.T) {
			if out, err := said(tool(t, "helm"), []byte(values), "lint", "--strict", chart, "-f", "-"); err != nil {
				t.Errorf("%v\n%s", err, out)
			}
			objects := render(t, values)
			conforms(t, objects)
			pods := 0
			for _, o := range decode(t, objects) {
				pods += checkObject(t, o)
			}
			if pods == 0 {
				t.Error("nothing runs")
			}
		})
	}
}

// What is typed wrong is refused, with the key's name.
func TestTyposAreRefused(t *testing.T) {
	for values, want := range map[string]string{
		"agent: {count: 3}":                     "agent",
		"agents: {counts: 3}":                   "counts",
		"agents: {count: many}":                 "count",
		"agents: {count: 0}":                    "count",
		"agents: {kind: job}":                   "kind",
		"agents: {allow: [\"a;b\"]}":            "allow",
		"agents: {labels: {a: \"b c\"}}":        "labels",
		"leader: {arg: [x]}":                    "arg",
		"leader: {wait: soon}":                  "wait",
		"results: {s3: {to: bucket}}":           "to",
		"results: {s3: {bucket: x}}":            "bucket",
		"results: {pvc: {}}":                    "pvc",
		"nats: {url: 'nats://x'}":               "url",
		"image: {pullPolicy: Sometimes}":        "pullPolicy",
		"image: {digest: abc}":                  "digest",
		"agents: {resources: {request: {}}}":    "request",
		"agents: {allow: []}":                   "agents.allow must name the hosts",
		"leader: {args: []}":                    "leader.args (of inferometer bench serve) or leader.scenario",
		"leader: {scenario: 'name: x'}":         "can't both be given",
		"results: {s3: {to: 's3://bucket'}}":    "results.s3.secret must name a Secret",
		"serviceAccount: {create: false}":       "serviceAccount.name must be given",
		"results: {volume: {accessModes: [x]}}": "accessModes",
	} {
		t.Run(values, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "needed.yaml")
			if err := os.WriteFile(file, []byte(needed), 0o600); err != nil {
				t.Fatal(err)
			}
			out, err := said(tool(t, "helm"), []byte(values), "template", "bench", chart, "-f", file, "-f", "-")
			if err == nil || !strings.Contains(out, want) {
				t.Errorf("%v, want %q in\n%s", err, want, out)
			}
		})
	}
}

type object = map[string]any

func decode(t *testing.T, text string) (list []object) {
	t.Helper()
	d := yaml.NewDecoder(strings.NewReader(text))
	for {
		var o object
		err := d.Decode(&o)
		switch {
		case err == io.EOF:
			return list
		case err != nil:
			t.Fatal(err)
		case o != nil:
			list = append(list, o)
		}
	}
}

// at is the value at a path of keys, or nil.
func at(v any, path ...string) any {
	for _, key := range path {
		m, _ := v.(object)
		v = m[key]
	}
	return v
}

// checkObject holds an object against what we promise of all, and counts its pods' templates.
func checkObject(t *testing.T, o object) (pods int) {
	t.Helper()
	kind := at(o, "kind").(string)
	if !slices.Contains([]string{"Job", "Deployment", "ServiceAccount", "PersistentVolumeClaim", "ConfigMap", "NetworkPolicy"}, kind) {
		t.Errorf("a %s, which nobody needs", kind) // above all no Role and no binding
	}
	if kind == "ServiceAccount" && at(o, "automountServiceAccountToken") != false {
		t.Error("the service account's token is mounted")
	}
	pod := at(o, "spec", "template", "spec")
	if pod == nil {
		return 0
	}
	checkPod(t, pod, kind)
	for _, c := range at(pod, "containers").([]any) {
		if at(c, "resources", "requests", "cpu") == nil || at(c, "resources", "limits", "memory") == nil {
			t.Errorf("%s: no resources", kind)
		}
	}
	if kind == "Job" {
		limit := "backoffLimit"
		if at(o, "spec", "completionMode") == "Indexed" {
			limit = "backoffLimitPerIndex" // one that fails ends no other
		}
		if at(o, "spec", limit) != 0 || at(pod, "restartPolicy") != "Never" {
			t.Error("a Job would be tried again, and the load sent twice")
		}
	}
	return 1
}

// checkPod holds a pod against the strictest of Kubernetes's own rules for pods, and more.
func checkPod(t *testing.T, pod any, kind string) {
	t.Helper()
	for path, want := range map[string]any{
		"automountServiceAccountToken": false, "securityContext.runAsNonRoot": true, "securityContext.seccompProfile.type": "RuntimeDefault",
		"hostNetwork": nil, "hostPID": nil, "hostIPC": nil,
	} {
		if got := at(pod, strings.Split(path, ".")...); got != want {
			t.Errorf("%s: %s is %v", kind, path, got)
		}
	}
	if at(pod, "securityContext", "runAsUser") == 0 {
		t.Error("root")
	}
	for _, c := range at(pod, "containers").([]any) {
		for path, want := range map[string]any{
			"securityContext.readOnlyRootFilesystem": true, "securityContext.allowPrivilegeEscalation": false, "securityContext.privileged": nil,
		} {
			if got := at(c, strings.Split(path, ".")...); got != want {
				t.Errorf("%s: %s is %v", kind, path, got)
			}
		}
		if drop := fmt.Sprint(at(c, "securityContext", "capabilities", "drop")); drop != "[ALL]" {
			t.Errorf("%s drops %s", kind, drop)
		}
	}
}

// The plain manifests are what the chart gives for the values beside them.
func TestManifests(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(manifests, "*.values.yaml"))
	if err != nil || len(files) < 2 {
		t.Fatalf("%q, %v", files, err)
	}
	for _, values := range files {
		name := strings.TrimSuffix(filepath.Base(values), ".values.yaml")
		t.Run(name, func(t *testing.T) {
			out, err := said(tool(t, "helm"), nil, "template", "inferometer", chart, "--namespace", "default", "-f", values)
			if err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			conforms(t, out)
			head := "# Rendered from the chart; edit " + name + ".values.yaml and run it again:\n" +
				"#   helm template inferometer deploy/helm/inferometer -f deploy/manifests/" + name + ".values.yaml\n"
			path := filepath.Join(manifests, name+".yaml")
			if *update {
				if err := atomicfile.WriteBytes(path, []byte(head+out)); err != nil {
					t.Fatal(err)
				}
			}
			if there, err := os.ReadFile(path); err != nil || string(there) != head+out {
				t.Errorf("%s is not what the chart gives (%v): go test ./test/kube -update writes it", path, err)
			}
		})
	}
}

// The chart that brings NATS renders with the official chart, which is not in the
// repository: INFEROMETER_NATS_CHART names its folder.
func TestWithNATS(t *testing.T) {
	helm, official := tool(t, "helm"), os.Getenv("INFEROMETER_NATS_CHART")
	if official == "" {
		t.Skip("INFEROMETER_NATS_CHART names no folder with the official chart of NATS (github.com/nats-io/k8s, helm/charts/nats)")
	}
	dir := filepath.Join(t.TempDir(), "both")
	for to, from := range map[string]string{dir: withNATS, dir + "/charts/inferometer": chart, dir + "/charts/nats": official} {
		if err := os.CopyFS(to, os.DirFS(from)); err != nil {
			t.Fatal(err)
		}
	}
	values := []byte("inferometer:\n  " + strings.ReplaceAll(strings.TrimSpace(needed), "\n", "\n  ") + "\n")
	out, err := said(helm, values, "template", "bench", dir, "-f", "-")
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	conforms(t, out)
	found := false
	for _, o := range decode(t, out) {
		if at(o, "kind") != "StatefulSet" {
			continue
		}
		found = true
		checkPod(t, at(o, "spec", "template", "spec"), "StatefulSet")
		c := at(o, "spec", "template", "spec", "containers").([]any)[0]
		if text := fmt.Sprint(c); !strings.Contains(text, "--config=/etc/nats-fleet/nats.conf") || !strings.Contains(text, "mountPath:/etc/nats-fleet") {
			t.Errorf("NATS does not run with our configuration: %s", text)
		}
	}
	if !found {
		t.Errorf("no NATS in\n%s", out)
	}
	out, err = said(helm, values, "template", "bench", dir, "-f", "-", "--set", "nats.enabled=false")
	if err != nil || strings.Contains(out, "kind: StatefulSet") {
		t.Errorf("%v\n%s", err, out)
	}
}
