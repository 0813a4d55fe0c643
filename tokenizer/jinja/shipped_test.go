package jinja

import (
	"compress/gzip"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// renderedOn is the day of strftime_now in those renderings.
var renderedOn = time.Date(2026, time.November, 15, 0, 0, 0, 0, time.UTC)

// TestShippedTemplates holds the templates that llama.cpp ships to what Jinja2 3.1.6
// makes of them, in the environment that transformers gives it. They come with
// llama.cpp's source, which scripts/llama-server.sh fetches.
func TestShippedTemplates(t *testing.T) {
	folder := templatesDir(t)
	var renderings []struct {
		Template, Conversation string
		Text                   *string // null: the template raises
	}
	readPacked(t, "llamacpp.json.gz", &renderings)
	conversations := jsonDict(t, readTestdata(t, "conversations.json"))
	byTitle := map[string]*Dict{}
	for i, title := range conversations.keys {
		byTitle[title.(string)] = conversations.values[i].(*Dict)
	}
	parsed := map[string]*Template{}
	same := 0
	for _, want := range renderings {
		template := parsed[want.Template]
		if template == nil {
			source, err := os.ReadFile(filepath.Join(folder, want.Template))
			if err != nil {
				t.Fatal(err)
			}
			if template, err = Parse(string(source)); err != nil {
				t.Errorf("%s: %v", want.Template, err)
				continue
			}
			parsed[want.Template] = template
		}
		values := map[string]any{
			"tools": nil, "documents": nil, "add_generation_prompt": false, "bos_token": "<s>", "eos_token": "</s>",
			"strftime_now": StrftimeNow(renderedOn),
		}
		maps.Copy(values, variables(byTitle[want.Conversation]))
		text, err := template.Render(values)
		switch {
		case err != nil && want.Text == nil, err == nil && want.Text != nil && text == *want.Text:
			same++
		case want.Text == nil:
			t.Errorf("%s, %s: Jinja2 raises, ours gives %.80q", want.Template, want.Conversation, text)
		default:
			t.Errorf("%s, %s: %.200q, %v; Jinja2 gives %.200q", want.Template, want.Conversation, text, err, *want.Text)
		}
	}
	t.Logf("%d of %d renderings are the same", same, len(renderings))
	if len(renderings) < 1292 {
		t.Errorf("only %d renderings", len(renderings))
	}
}

// templatesDir is the folder of llama.cpp's templates, or a skip.
func templatesDir(t *testing.T) string {
	t.Helper()
	if dir := os.Getenv("INFEROMETER_TEMPLATES"); dir != "" {
		return dir
	}
	found, err := filepath.Glob(filepath.Join(filepath.Dir(tokenizersDir()), "llama.cpp-*", "models", "templates"))
	if err != nil || len(found) == 0 {
		t.Skip("no llama.cpp source here: get it with scripts/llama-server.sh")
	}
	return found[len(found)-1]
}

// readPacked reads a packed JSON file of testdata.
func readPacked(t *testing.T, name string, into any) {
	t.Helper()
	file, err := os.Open(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	unpacked, err := gzip.NewReader(file)
	if err == nil {
		err = json.NewDecoder(unpacked).Decode(into)
	}
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
}
