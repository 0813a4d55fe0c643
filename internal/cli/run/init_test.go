package run

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/inferometer/inferometer/internal/cli/serve"
	"github.com/inferometer/inferometer/internal/outside"
	"github.com/inferometer/inferometer/internal/plan/draft"
	"github.com/inferometer/inferometer/internal/plan/scenario"
	"github.com/inferometer/inferometer/internal/send/target"
)

// hostileWords try to be more than a word in a scenario.
var hostileWords = []string{
	"b1\n    base_url: http://evil\n  evil:\n    command: \"id > F # {port}\"\n  zz:\n    #",
	"${OPENAI_API_KEY}", "$${OPENAI_API_KEY}", "${NOT_SET}", "${X:-y}", "$${${X:-${Y}}",
	"{port}", "{inferometer}", "{{port}}", "{unknown}",
	`"` + "\n  command: id", `\"`, "'", `\x0a  command: id`, "# comment", "- x", "a: b", "&a *a", "!!binary aGk=", "%TAG", "| >", "null", "~", "true", "0x10", "[1, 2]", "{a: b}",
	"\r\nbase_url: x", "\u2028base_url: x", "\u0085base_url: x", "\x1b[2Jred", "\xff\xfe", "\u202e", "\x00",
	"--config=/etc/passwd", "-h", "../../x", "{{.BaseURL}}", strings.Repeat("x", 5000),
}

// loadInit reads a scenario as run does.
func loadInit(t *testing.T, text []byte) (tree map[string]any, plan *scenario.Plan) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "scenario.yaml")
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := yaml.Unmarshal(text, &tree); err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	_, plan, err := (&runOptions{}).load(file, "inferometer")
	if err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	return tree, plan
}

// checkInit holds a scenario against that of a harmless server: nothing but the
// model and the name differ, and the model is the word.
func checkInit(t *testing.T, text []byte, base, model string) {
	t.Helper()
	tree, plan := loadInit(t, text)
	checkTree(t, tree, base, model)
	set, o := serve.Flags()
	if err := set.Lay(plan.Points[0].Load.With("base-url", base)); err != nil {
		t.Fatalf("%q: %v", plan.Points[0].Load.Words(), err)
	}
	if o.Model != model {
		t.Errorf("bench serve gets the model %q, want %q", o.Model, model)
	}
	var shown bytes.Buffer
	if err := printPlan(&shown, plan); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(shown.String(), model) && !strings.Contains(model, "'") {
		t.Errorf("the plan does not show %q:\n%s", model, shown.String())
	}
}

func checkTree(t *testing.T, tree map[string]any, base, model string) {
	t.Helper()
	server := tree["targets"].(map[string]any)["server"].(map[string]any)
	if got := server["model"]; got != model {
		t.Errorf("the model is %q, want %q", got, model)
	}
	name, _ := tree["name"].(string)
	if filepath.Base(name) != name || len(name) > 80 || name == "" {
		t.Errorf("the name is %q", name)
	}
	server["model"], tree["name"] = "", ""
	want := map[string]any{"server": map[string]any{"base_url": base, "model": ""}}
	if !reflect.DeepEqual(tree["targets"], want) {
		t.Errorf("targets %q, want %q", tree["targets"], want)
	}
	keys := []string{"matrix", "name", "order", "pace", "repeat", "slo", "targets", "warmup", "workload"}
	var got []string
	for key := range tree {
		got = append(got, key)
	}
	if slices.Sort(got); !slices.Equal(got, keys) {
		t.Errorf("keys %q, want %q", got, keys)
	}
}

// Each field that init reads, with each word: the file is read as one of a server
// with harmless words is. Most words leave no trace in most fields: a file that was
// held against it already is not read again.
func TestInitTakesAServersWordsAsWords(t *testing.T) {
	t.Setenv("OPENAI_API_KEY", "sk-must-not-leave")
	var field, word string // of the server, which has one address for all: the files are then the same
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { answerInit(w, r, field, word) }))
	defer srv.Close()
	checked := map[string]string{} // the model of each file
	for _, field = range []string{"id", "root", "owned_by", "version", "build_info", "model_id", "sglang", "ollama", "tgi"} {
		for _, word = range hostileWords {
			text, err := (&initOptions{baseURL: srv.URL}).write(context.Background())
			if err != nil {
				t.Fatalf("%s %.40q: %v", field, word, err)
			}
			model := "m"
			if field == "id" {
				model = outside.Sentence(word)
			}
			if model == "" {
				continue // a name of nothing visible
			}
			if strings.Contains(string(text), "sk-must-not-leave") {
				t.Errorf("%s: %q holds the key", field, text)
			}
			if was, ok := checked[string(text)]; ok && was == model {
				continue
			}
			checked[string(text)] = model
			checkInit(t, text, srv.URL, model)
			if t.Failed() {
				t.Fatalf("with %q as the server's %s", word, field)
			}
		}
	}
	if least := 2 * len(hostileWords); len(checked) < least { // by the model's name and by a version
		t.Errorf("%d different files, not %d: the words don't reach them", len(checked), least)
	}
}

// answerInit plays servers of all kinds, one of whose fields is hostile.
func answerInit(w http.ResponseWriter, r *http.Request, field, word string) {
	say := func(name, usual string) string {
		if name == field {
			return word
		}
		return usual
	}
	owners := map[string]string{"build_info": "llamacpp", "version": "vllm", "sglang": "sglang", "ollama": "library"}
	answers := map[string]any{
		"/v1/models": map[string]any{"data": []any{map[string]any{
			"id": say("id", "m"), "root": say("root", "m"), "owned_by": say("owned_by", owners[field]), "max_model_len": 4096,
		}}},
		"/version":         map[string]any{"version": say("version", "1")},
		"/get_server_info": map[string]any{"version": say("sglang", "1")},
		"/api/version":     map[string]any{"version": say("ollama", "")},
		"/info":            map[string]any{"version": say("tgi", ""), "model_id": say("model_id", "m")},
		"/props":           map[string]any{"build_info": say("build_info", "b1"), "total_slots": 4, "default_generation_settings": map[string]any{"n_ctx": 4096}},
	}
	answer, ok := answers[r.URL.Path]
	if !ok {
		http.NotFound(w, r)
		return
	}
	_ = json.NewEncoder(w).Encode(answer)
}

// Numbers that no server has are as if it had told none.
func TestInitDoesNotBelieveAbsurdNumbers(t *testing.T) {
	for _, n := range []int{-1 << 62, -1, 0, 1, 3, 1 << 12, 1<<12 + 1, 1 << 61, 1 << 62, 1<<63 - 1} {
		text := draft.Scenario("http://h:1", target.Identity{}, target.Model{ID: "m", MaxModelLen: n}, n, n)
		checkInit(t, text, "http://h:1", "m")
		if _, plan := loadInit(t, text); len(plan.Points) > 14 {
			t.Errorf("%d: %d points", n, len(plan.Points))
		}
	}
}

// Every point that init plans has enough requests for the p90 of its SLO, twice over.
func TestInitPlansEnoughRequests(t *testing.T) {
	for _, slots := range []int{0, 1, 4, 64} {
		text := draft.Scenario("http://h:1", target.Identity{}, target.Model{ID: "m"}, slots, 0)
		_, plan := loadInit(t, text)
		for _, p := range plan.Points {
			set, o := serve.Flags()
			if err := set.Lay(p.Load.With("base-url", "http://h:1")); err != nil {
				t.Fatal(err)
			}
			if o.NumPrompts < 20 || o.NumPrompts < 8*p.Concurrency() {
				t.Errorf("%s sends %d requests", p.ID, o.NumPrompts)
			}
		}
	}
}

// FuzzInit leaves out the flags of bench serve, which take most of the time.
func FuzzInit(f *testing.F) {
	for _, word := range hostileWords {
		f.Add(word, word, "llama.cpp", 4, 4096)
	}
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, model, version, kind string, slots, maxLen int) {
		// As package target gives them.
		model = outside.Sentence(model)
		if model == "" || len(kind) > 20 {
			return
		}
		text := draft.Scenario("http://h:1", target.Identity{Kind: outside.Word(kind), Version: outside.Word(version)}, target.Model{ID: model}, slots, maxLen)
		file := filepath.Join(dir, "scenario.yaml")
		if err := os.WriteFile(file, text, 0o600); err != nil {
			t.Fatal(err)
		}
		doc, err := scenario.Load(scenario.Source{File: file, Lookup: func(string) (string, bool) { return "LEAK", true }})
		if err != nil {
			t.Fatalf("%v in\n%s", err, text)
		}
		plan, err := doc.Plan(scenario.PlanOptions{})
		if err != nil {
			t.Fatalf("%v in\n%s", err, text)
		}
		if args := plan.Points[0].Load.Words(); !slices.Contains(args, model) && !slices.Contains(args, "--model="+model) {
			t.Errorf("bench serve gets %q, want the model %q", args, model)
		}
		var tree map[string]any
		if err := yaml.Unmarshal(text, &tree); err != nil {
			t.Fatal(err)
		}
		checkTree(t, tree, "http://h:1", model)
	})
}
