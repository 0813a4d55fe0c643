package jinja

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestFamilies holds the chat templates that are on this machine to the digests of what Jinja2 made of
// them (testdata/make.py). A family whose template is another than at that time is left out.
func TestFamilies(t *testing.T) {
	var renderings map[string]map[string]string // by template and conversation
	if err := json.Unmarshal(readTestdata(t, "renderings.json"), &renderings); err != nil {
		t.Fatal(err)
	}
	conversations := jsonDict(t, readTestdata(t, "conversations.json"))
	for name, want := range renderings {
		t.Run(name, func(t *testing.T) {
			source, tokens := chatTemplate(t, name)
			if digest(source) != want["template"] {
				t.Skip("this is another template than the one that testdata/make.py rendered")
			}
			template, err := Parse(source)
			if err != nil {
				t.Fatal(err)
			}
			for i, title := range conversations.keys {
				values := map[string]any{"tools": nil, "documents": nil, "add_generation_prompt": false}
				maps.Copy(values, tokens)
				maps.Copy(values, variables(conversations.values[i].(*Dict)))
				text, err := template.Render(values)
				got := digest(text)
				if err != nil {
					got = "fails"
				}
				if got != want[title.(string)] {
					t.Errorf("%s: %q, %v; its digest is not that of Jinja2's text (%s)", title, text, err, want[title.(string)])
				}
			}
		})
	}
}

func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// chatTemplate reads the template of a family, or one of its named ones after a slash, and its tokens.
func chatTemplate(t *testing.T, name string) (source string, tokens map[string]any) {
	t.Helper()
	family, title, _ := strings.Cut(name, "/")
	data, err := os.ReadFile(filepath.Join(tokenizersDir(), family, "tokenizer_config.json"))
	if errors.Is(err, fs.ErrNotExist) {
		t.Skipf("no tokenizer of %s here: get it with scripts/tokenizers.sh", family)
	}
	var config map[string]json.RawMessage
	if err := json.Unmarshal(data, &config); err != nil {
		t.Fatal(err)
	}
	tokens = map[string]any{}
	for _, token := range []string{"bos_token", "eos_token", "unk_token", "pad_token"} {
		var text string
		var object struct{ Content string }
		if json.Unmarshal(config[token], &text) != nil {
			json.Unmarshal(config[token], &object)
			text = object.Content
		}
		if text != "" {
			tokens[token] = text
		}
	}
	if json.Unmarshal(config["chat_template"], &source) == nil {
		return source, tokens
	}
	var named []struct{ Name, Template string }
	if err := json.Unmarshal(config["chat_template"], &named); err != nil {
		t.Fatal(err)
	}
	at := slices.IndexFunc(named, func(one struct{ Name, Template string }) bool { return one.Name == title })
	if at < 0 {
		t.Skipf("%s has no template called %s", family, title)
	}
	return named[at].Template, tokens
}

func tokenizersDir() string {
	if dir := os.Getenv("INFEROMETER_TOKENIZERS"); dir != "" {
		return dir
	}
	cache := os.Getenv("INFEROMETER_CACHE")
	if cache == "" {
		home, _ := os.UserHomeDir()
		cache = filepath.Join(home, ".cache", "inferometer")
	}
	return filepath.Join(cache, "tokenizers")
}
