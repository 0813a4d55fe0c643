package scenario

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What is kept of a scenario beside its results holds no secret, also where the
// file holds one itself.
func TestKeptScenarioHoldsNoSecret(t *testing.T) {
	file := filepath.Join(t.TempDir(), "s.yaml")
	text := `name: a
targets:
  t:
    base_url: "http://me:hush1@h:1"
  u:
    env: {HF_TOKEN: hush2, CUDA_VISIBLE_DEVICES: "0", API_KEY: "${KEY}"}
    command: vllm serve m --api-key hush3 --port {port} --api-key ${KEY}
flags: {header: [X-Secret=hush4, "X-Key=${KEY}"], seed: 1}
`
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	doc, err := Load(Source{File: file, Lookup: func(string) (string, bool) { return "hush5", true }})
	if err != nil {
		t.Fatal(err)
	}
	b, err := doc.Text()
	if err != nil {
		t.Fatal(err)
	}
	kept := string(b)
	if strings.Contains(kept, "hush") {
		t.Errorf("a secret in\n%s", kept)
	}
	for _, word := range []string{"http://redacted@h:1", "HF_TOKEN: <redacted>", `CUDA_VISIBLE_DEVICES: "0"`, `API_KEY: "${KEY}"`, "--api-key redacted --port {port} --api-key ${KEY}", "X-Secret=<redacted>", "X-Key=${KEY}", "seed: 1"} {
		if !strings.Contains(kept, word) {
			t.Errorf("no %s in\n%s", word, kept)
		}
	}
	if plan, err := doc.Plan(PlanOptions{}); err != nil || plan.Points[0].target.BaseURL != "http://me:hush1@h:1" {
		t.Errorf("the run itself has them: %v", err)
	}
}
