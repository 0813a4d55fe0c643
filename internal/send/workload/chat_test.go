package workload

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/inferometer/inferometer/tokenizer"
)

// chatTokenizer is the small tokenizer of package tokenizer with a template of its own.
func chatTokenizer(t *testing.T, template string) *tokenizer.Tokenizer {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "..", "..", "tokenizer", "testdata", "bytes", "tokenizer.json"))
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	for name, text := range map[string]string{"tokenizer.json": string(data), "chat_template.jinja": template} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	tok, err := tokenizer.Load(folder)
	if err != nil {
		t.Fatal(err)
	}
	return tok
}

// TestChatVariables: the template sees the run's date, and its variables where the dataset uses them.
func TestChatVariables(t *testing.T) {
	file := filepath.Join(t.TempDir(), "prompts.jsonl")
	if err := os.WriteFile(file, []byte(`{"prompt": "hi"}`+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	tests := []struct{ date, kwargs, want string }{
		{"", "", "2026-01-01 00 [] hi"},
		{"2024-07-26", `{"thinking": true, "x": [1, "a"]}`, "2024-07-26 00 [True] hi"},
		{"2024-07-26T13:01:02", "null", "2024-07-26 13 [] hi"},
	}
	for _, test := range tests {
		o := Defaults("custom")
		o.Path, o.NumPrompts = file, 1
		o.Tokenizer = chatTokenizer(t, "{{ strftime_now('%Y-%m-%d %H') }} [{{ thinking }}] {{ messages[0].content }}")
		if test.date != "" {
			if err := o.ChatTemplateDate.UnmarshalText([]byte(test.date)); err != nil {
				t.Fatal(err)
			}
		}
		if err := o.ChatTemplateKwargs.UnmarshalText([]byte(test.kwargs)); err != nil {
			t.Fatal(err)
		}
		d, err := Open(o)
		if err != nil {
			t.Fatal(err)
		}
		r, err := d.Next()
		if err != nil || r.Prompt != test.want {
			t.Errorf("%s %s: %q, %v; want %q", test.date, test.kwargs, r.Prompt, err, test.want)
		}
		d.Close()
	}
}

// A dataset that renders messages of its own sees the run's date too.
func TestRenderChatHasTheDate(t *testing.T) {
	o := Defaults("hf")
	o.Tokenizer = chatTokenizer(t, "{{ strftime_now('%Y-%m-%d') }} {{ messages }}")
	k, err := Find("hf")
	if err != nil {
		t.Fatal(err)
	}
	text, err := o.templated(k).(renderer).RenderChat(map[string]any{"messages": "hi"})
	if want := "2026-01-01 hi"; err != nil || text != want {
		t.Errorf("%q, %v; want %q", text, err, want)
	}
}

func TestChatKwargsRefused(t *testing.T) {
	for text, want := range map[string]string{
		`[1]`: "must be a JSON object", `{"a"`: "must be a JSON object", `"x"`: "must be a JSON object",
		`{"messages": []}`: "can't set messages", `{"tokenize": true}`: "can't set tokenize", strings.Repeat(" ", 70000): "at most",
	} {
		var k ChatKwargs
		if err := k.UnmarshalText([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.40s: %v, want %q", text, err, want)
		}
	}
	var d ChatDate
	for _, text := range []string{"", "today", "2026-13-01", "2026-1-1"} {
		if err := d.UnmarshalText([]byte(text)); err == nil {
			t.Errorf("the date %q is taken", text)
		}
	}
	if text, _ := d.MarshalText(); string(text) != "2026-01-01" {
		t.Errorf("the default date is written as %s", text)
	}
}
