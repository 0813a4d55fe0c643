package wheel

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/inferometer/inferometer/test/realserver"
)

var update = flag.Bool("update", false, "write the tutorial's notebook with what its cells print now")

// executeNotebook runs all cells and writes the notebook with what they print.
const executeNotebook = `
import sys, nbclient, nbformat
notebook = nbformat.read(sys.argv[1], as_version=4)
nbclient.NotebookClient(notebook, timeout=120, kernel_name="python3").execute()
for cell in notebook.cells:
    cell.metadata.pop("execution", None)  # when each cell ran
nbformat.write(notebook, sys.argv[2])
`

// notebook executes the tutorial as a reader would, and looks at what its cells show.
func (s *stage) notebook(t *testing.T) {
	path := filepath.Join(root(t), "docs", "tutorials", "notebook.ipynb")
	const address = "127.0.0.1:18000"
	free := "127.0.0.1:" + realserver.FreePort(t)
	text := string(read(t, path))
	if strings.Count(text, address) < 2 {
		t.Fatalf("the notebook does not start a server on %s", address)
	}
	given, made := filepath.Join(s.dir, "given.ipynb"), filepath.Join(s.dir, "made.ipynb")
	if err := os.WriteFile(given, []byte(strings.ReplaceAll(text, address, free)), 0o644); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PYTHONPATH", s.module(t))
	t.Setenv("INFEROMETER_BINARY", filepath.Join(filepath.Dir(s.python), "inferometer"))
	s.run(t, s.tools, "-c", executeNotebook, given, made)
	// What it prints has the folders and the address of this test.
	out := strings.NewReplacer(free, address, s.dir+"/", "", s.dir, ".").Replace(string(read(t, made)))
	if *update {
		if err := os.WriteFile(path, []byte(out), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	shown := outputs(t, out)
	for _, want := range []struct{ mime, text string }{
		{"text/html", "Time to first token"},
		{"stream", "TTFT"},
		{"text/html", "output_throughput"},
		{"text/html", "ttft_ms"},
		{"image/png", "iVBOR"},
		{"text/html", "32 users"},
	} {
		if !strings.Contains(shown[want.mime], want.text) {
			t.Errorf("no cell shows %q as %s", want.text, want.mime)
		}
	}
	if !regexp.MustCompile("VALID|SUSPECT").MatchString(shown["text/html"]) { // which of them is this machine's to say
		t.Error("no cell shows a verdict")
	}
	if strings.Contains(shown["stream"], "Traceback") || shown["error"] != "" {
		t.Errorf("a cell failed: %s %s", shown["stream"], shown["error"])
	}
}

// outputs is all that the cells of a notebook show, by its kind.
func outputs(t *testing.T, text string) map[string]string {
	t.Helper()
	var notebook struct {
		Cells []struct {
			Outputs []struct {
				Type string                     `json:"output_type"`
				Text json.RawMessage            `json:"text"`
				Data map[string]json.RawMessage `json:"data"`
			} `json:"outputs"`
		} `json:"cells"`
	}
	if err := json.Unmarshal([]byte(text), &notebook); err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	for _, cell := range notebook.Cells {
		for _, o := range cell.Outputs {
			if len(o.Data) == 0 {
				all[o.Type] += lines(o.Text) + "\n"
			}
			for mime, data := range o.Data {
				all[mime] += lines(data) + "\n"
			}
		}
	}
	return all
}

// lines is a text of a notebook, which is a string or a list of lines.
func lines(raw json.RawMessage) string {
	var list []string
	if json.Unmarshal(raw, &list) == nil {
		return strings.Join(list, "")
	}
	var one string
	_ = json.Unmarshal(raw, &one) // what is neither has no text
	return one
}
