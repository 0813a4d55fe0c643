package sweep

import (
	"encoding/json"
	"os"
	"path"
	"path/filepath"
	"slices"
	"testing"

	"github.com/inferometer/inferometer/internal/compat/shlex"
)

// What vLLM's own code makes of parameter files: commands, names and folders. The file
// was recorded by giving the parameters to vLLM's ParameterSweep (commit a014e35f38c8)
// under CPython.
func TestSettingsAreVLLMs(t *testing.T) {
	b, err := os.ReadFile(filepath.Join("testdata", "vllm_settings.json"))
	if err != nil {
		t.Fatal(err)
	}
	var cases []struct {
		Params, Command string
		Settings        []struct {
			Words                    []string
			Name, Folder, Text, Repr string
		}
	}
	if err := json.Unmarshal(b, &cases); err != nil {
		t.Fatal(err)
	}
	checked := 0
	for _, c := range cases {
		command, err := shlex.Split(c.Command)
		if err != nil {
			t.Fatal(err)
		}
		settings := mustParams(t, c.Params)
		if len(settings) != len(c.Settings) {
			t.Fatalf("%s: %d settings, vLLM has %d", c.Params, len(settings), len(c.Settings))
		}
		for i, want := range c.Settings {
			checked++
			got := settings[i]
			if words := got.Apply(command); !slices.Equal(words, want.Words) {
				t.Errorf("%s: the command is\n%q, vLLM's\n%q", c.Params, words, want.Words)
			}
			for _, pair := range [][2]string{
				{got.Name(), want.Name},
				{got.Text(), want.Text},
				{got.String(), want.Repr},
				{filepath.ToSlash(combFolder("exp", "BENCH-", got, Item{})), path.Join("exp", want.Folder)},
			} {
				if pair[0] != pair[1] {
					t.Errorf("%s: %q, vLLM has %q", c.Params, pair[0], pair[1])
				}
			}
		}
	}
	if checked < 15 {
		t.Errorf("only %d settings were compared", checked)
	}
}
