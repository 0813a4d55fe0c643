package spec

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/inferometer/inferometer/internal/option"
	"github.com/inferometer/inferometer/internal/send/workload"
	"github.com/inferometer/inferometer/internal/usage"
)

// noPaths are texts of a Spec that name neither a file nor a variable of this machine. A new
// key must be put here, or among the inputs or outputs of allowed.go.
var noPaths = []string{
	"server.urls", "server.balance", "server.backend", "server.endpoint", "server.model", "server.served_model_name", "server.tokenizer_revision", "server.tokenizer_mode",
	"server.request_id_prefix", "server.session_header", "server.replica_key", "server.trace_id", "server.engine", "server.proxy", "server.replicas", "server.metrics_urls", "server.metrics_map", "server.protocol",
	"dataset.name", "dataset.hub_revision", "pace.name", "load.until", "load.give_up", "request.default_body", "request.extra_body",
	"keep.command", "keep.label", "keep.summary_load", "judge.percentile_metrics", "judge.slo", "judge.rules", "judge.compat", "fleet.labels",
	"dataset.lora_modules", "dataset.lora_assignment", "dataset.chat_template_kwargs", "dataset.chat_template_date",
}

// textual says that a value can hold a path.
func textual(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.String:
		return true
	case reflect.Slice, reflect.Map:
		return t.Elem().Kind() == reflect.String || t.Elem().Kind() == reflect.Uint8
	}
	return false
}

// Each key that can hold a path is known as an input, as an output, or as neither.
func TestEveryPathIsDecided(t *testing.T) {
	s := Default()
	s.NATS, s.Path, s.Tokenizer, s.ServerLogs = "f", "f", "f", []string{"f"}
	s.RunDir, s.SaveResult, s.ResultDir, s.ResultFilename, s.SaveConversations, s.AppendMarkdown, s.SummaryFile = "f", true, "f", "f", "f", "f", "f"
	decided := append(slices.Clone(noPaths), "keep.result_dir")
	for _, in := range s.inputs() {
		decided = append(decided, in.key)
	}
	for _, out := range s.outputs() {
		decided = append(decided, out.key)
	}
	for _, f := range Fields() {
		if key := f.Section + "." + f.Key; textual(f.Reflect(&s).Type()) && !slices.Contains(decided, key) {
			t.Errorf("%s can hold a path: is it an input or an output of allowed.go, or in noPaths?", key)
		}
	}
	known := []string{
		"path", "task", "examples", "category", "system_instruction", "trace_format", "trace_long", "trace_send", "subset", "split", "name_on_hub", "prompt_column", "answer_column",
		"image_column", "bfcl_categories", "history", "timed_trace_label_timestamp", "timed_trace_label_input_length", "timed_trace_label_output_length", "timed_trace_label_hash_ids", "lora_assignment", "lora_modules",
		"trace_loop", "trace_preset", "trace_primers", "trace_cache_bust", "trace_bust_id", "trace_joins", "trace_spawns", "trace_failed", "trace_overflow", "trace_models", "trace_counts", "trace_sessions",
	}
	for _, k := range workload.Kinds() {
		own := k.Options()
		for _, f := range option.Fields(own) {
			if textual(f.Reflect(own).Type()) && !slices.Contains(known, f.Key) {
				t.Errorf("dataset.%s of %s can hold a path: is it an input of allowed.go?", f.Key, k.Name)
			}
		}
	}
}

// Each value that may be in a variable is asked for before it is sent.
func TestEveryVariableIsAsked(t *testing.T) {
	var values []string
	for _, f := range Fields() {
		if f.Reflect(&Spec{}).Type() == reflect.TypeFor[Value]() {
			values = append(values, f.Section+"."+f.Key)
		}
	}
	for _, key := range values {
		section, name, _ := strings.Cut(key, ".")
		text := `{"version":1,"` + section + `":{"` + name + `":{"env":"SOME_SECRET"}}}`
		if name == "proxy_login" {
			text = `{"version":1,"server":{"proxy":"http://p:1","proxy_login":{"env":"SOME_SECRET"}}}`
		}
		s, err := Decode(strings.NewReader(text))
		if err != nil {
			t.Errorf("%s: %v", key, err)
			continue
		}
		if err := s.Hold(Allowed{}); err == nil || !strings.Contains(err.Error(), "SOME_SECRET") {
			t.Errorf("%s: a variable is sent that nobody allowed: %v", key, err)
		}
		none := func(string) bool { return false }
		if err := s.Hold(Allowed{Env: []string{"SOME_SECRET"}, Set: none}); err != nil {
			t.Errorf("%s: %v", key, err)
		}
	}
	if len(values) < 5 {
		t.Errorf("only %q were found", values)
	}
}

// Where a file may write.
func TestWrites(t *testing.T) {
	top := t.TempDir()
	here := filepath.Join(top, "here")
	for name, content := range map[string]string{
		"here/result.json": `{"date": "20260101-000000", "endpoint_type": "openai", "backend": "openai"}`,
		"here/talks.json":  "[\n{\"id\": \"a\", \"messages\": []}\n]\n", "here/none.json": "[\n]\n", "here/mine.json": "{}", "here/empty.json": "", "else/x": "",
	} {
		path := filepath.Join(top, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(content), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	for name, to := range map[string]string{"in": "sub", "out": "../else", "file.json": "result.json", "gone.json": "../else/new.json"} {
		if err := os.Symlink(to, filepath.Join(here, name)); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(here)
	for _, c := range []struct {
		path  string
		allow string
		ok    bool
	}{
		{"new.json", "", true},
		{"a/b/c.json", "", true},
		{"./new.json", "", true},
		{"result.json", "", true},
		{"mine.json", "", false},
		{"empty.json", "", false},
		{"new.txt", "", false},
		{"", "", false},
		{"..", "", false},
		{"a/../../else/new.json", "", false},
		{filepath.Join(here, "new.json"), "", false}, // relative ones alone
		{".new.json", "", false},
		{"a/.git/new.json", "", false},
		{"file.json", "", false},
		{"out/../new.json", "", false}, // beside where the link leads
		{"a/../new.json", "", false},
		{"../else/../new.json", "../else", false},
		{"../here/out/../new.json", "../here", false},
		{"a\x00.json", "", false},
		{"gone.json", "", false},
		{"out/new.json", "", false},
		{"/dev/stdout", "", false},
		{"/proc/self/fd/1", "", false},
		{"result.json/x.json", "", false},
		{"../else/new.json", "../else", true},
		{filepath.Join(top, "else", "new.json"), filepath.Join(top, "else"), true},
		{filepath.Join(top, "else2", "new.json"), filepath.Join(top, "else"), false},
		{"../else/x", "../else", false},
		{filepath.Join(here, "out", "new.json"), filepath.Join(here, "out"), true}, // a link that the user typed
		{"out/new.json", "out", true},
		{"out/new.json", "../else", false},
	} {
		may := Allowed{}
		if c.allow != "" {
			may.Write = []string{c.allow}
		}
		err := may.writes(output{key: "keep.x", path: c.path, ending: ".json", ours: oursResult})
		var u *usage.Error
		if (err == nil) != c.ok || err != nil && !errors.As(err, &u) {
			t.Errorf("%q with %q allowed: %v", c.path, c.allow, err)
		}
	}
	for path, ok := range map[string]bool{"talks.json": true, "none.json": true, "mine.json": false, "result.json": false} {
		if err := (&Allowed{}).writes(output{key: "keep.x", path: path, ending: ".json", ours: oursConversations}); (err == nil) != ok {
			t.Errorf("%s as conversations: %v", path, err)
		}
	}
}
