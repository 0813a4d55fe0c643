package serve

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/inferometer/inferometer/internal/cli/argv"
	"github.com/inferometer/inferometer/internal/option"
	"github.com/inferometer/inferometer/internal/send/protocol"
)

// Each example is a protocol, and the page shows one of them as it is.
func TestProtocolExamples(t *testing.T) {
	files, err := filepath.Glob("../../../examples/protocols/*.yaml")
	if err != nil || len(files) < 4 {
		t.Fatalf("%d examples, %v", len(files), err)
	}
	page, err := os.ReadFile("../../../docs/protocols.md")
	if err != nil {
		t.Fatal(err)
	}
	shown := 0
	for _, file := range files {
		asked, _, err := SpecOf(option.Settings{}.With("backend", "custom").With("protocol-file", file))
		if err != nil {
			t.Errorf("%s: %v", file, err)
			continue
		}
		if b, err := asked.ResolveBackend(); err != nil || asked.Endpoint != b.Path() || asked.IgnoreEOS == b.Lacks.IgnoreEOS {
			t.Errorf("%s: %s, %v", file, asked.Endpoint, err)
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(page), "```yaml\n"+string(text)+"```\n") {
			shown++
		}
	}
	if shown != 1 {
		t.Errorf("docs/protocols.md shows %d of the examples", shown)
	}
}

func TestProtocolFileIsRefused(t *testing.T) {
	write := func(text string) string {
		name := filepath.Join(t.TempDir(), "p.yaml")
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return name
	}
	const good = "path: /g\nbody: {p: \"{prompt}\"}\ntext: a\n"
	for _, tt := range []struct {
		asked option.Settings
		want  string // "": it is good
	}{
		{option.Settings{}.With("backend", "custom").With("protocol-file", write(good)), ""},
		{option.Settings{}.With("backend", "custom").With("protocol-file", write("{\n\t\"path\": \"/g\", \"body\": \"{prompt}\", \"text\": \"a\"}")), ""},
		{option.Settings{}.With("backend", "custom"), "--backend custom needs --protocol-file"},
		{option.Settings{}.With("backend", "custom").With("protocol-file", ""), "--protocol-file needs the name of a file"},
		{option.Settings{}.With("protocol-file", write(good)), "--protocol-file is for --backend custom, not openai"},
		{option.Settings{}.With("backend", "auto").With("protocol-file", write(good)), "--protocol-file is for --backend custom, not auto"},
		{option.Settings{}.With("backend", "custom").With("protocol-file", t.TempDir()), "--protocol-file can't be read"},
		{option.Settings{}.With("backend", "custom").With("protocol-file", write(strings.Repeat("#\n", protocol.MaxCustom))), "it is longer than any such file"},
		{option.Settings{}.With("backend", "custom").With("protocol-file", write("")), "is empty"},
		{option.Settings{}.With("backend", "custom").With("protocol-file", write(good+"text: b\n")), `has the key "text" twice`},
		{option.Settings{}.With("backend", "custom").With("protocol-file", write(good+"id: *x\n")), "is no YAML"},
		{option.Settings{}.With("backend", "custom").With("protocol-file", write("id: &x a\nfinish: *x\n"+good)), "alias"},
		{option.Settings{}.With("backend", "custom").With("protocol-file", write(good+"---\na: b\n")), "one YAML document"},
		{option.Settings{}.With("backend", "custom").With("protocol-file", write(good+"fnish: b\n")), `--protocol-file has no key "fnish"`},
		{option.Settings{}.With("backend", "custom").With("protocol-file", write(strings.Replace(good, `"{prompt}"`, "{prompt}", 1))), "YAML needs quotes"},
		{option.Settings{}.With("backend", "custom").With("protocol-file", write(good)).With("temperature", "1"), "--temperature is not sent with --backend custom"},
		{option.Settings{}.With("backend", "custom").With("protocol-file", write(good)).With("ignore-eos"), "--ignore-eos can't be asked of --backend custom"},
	} {
		_, _, err := SpecOf(tt.asked)
		if tt.want == "" {
			if err != nil {
				t.Errorf("%v: %v", tt.asked, err)
			}
			continue
		}
		var wrong *argv.UsageError
		if err == nil || !errors.As(err, &wrong) || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%v: %v, want %s", tt.asked, err, tt.want)
		}
	}
}
