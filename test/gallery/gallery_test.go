// Package gallery writes examples/README.md from README.tmpl and from the summary.csv of each experiment in
// examples/gallery. go test ./test/gallery -update writes it; without it the test fails where a number of the page is
// not the one that was measured. A sentence that the numbers don't bear out can't be written.
package gallery

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"text/template"

	"github.com/inferometer/inferometer/internal/testfiles"
)

var update = flag.Bool("update", false, "write examples/README.md")

var examples = filepath.Join("..", "..", "examples")

func write(folder, text string) (string, error) {
	tmpl, err := template.New("README.md").Funcs(functions(folder)).Parse(text)
	if err != nil {
		return "", err
	}
	var b bytes.Buffer
	err = tmpl.Execute(&b, nil)
	return b.String(), err
}

func TestGallery(t *testing.T) {
	text, err := os.ReadFile("README.tmpl")
	if err != nil {
		t.Fatal(err)
	}
	want, err := write(filepath.Join(examples, "gallery"), string(text))
	if err != nil {
		t.Fatal(err)
	}
	testfiles.Written(t, *update, "examples/README.md", want)
}

// Each experiment has its files and stands in the page. What was measured somewhere names no folder of that machine, and a
// page that is too large to be looked at on a code host is too large.
func TestExperimentsAreWhole(t *testing.T) {
	folders, err := filepath.Glob(filepath.Join(examples, "gallery", "*"))
	if err != nil || len(folders) != 5 {
		t.Fatalf("%d experiments, %v", len(folders), err)
	}
	readme, err := os.ReadFile(filepath.Join(examples, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, folder := range folders {
		name := filepath.Base(folder)
		for _, file := range []string{"scenario.yaml", "page.html", "picture.svg", "table.md", "summary.csv"} {
			text, err := os.ReadFile(filepath.Join(folder, file))
			if err != nil {
				t.Error(err)
				continue
			}
			if len(text) > 600_000 {
				t.Errorf("%s/%s has %d bytes", name, file, len(text))
			}
			for _, path := range []string{"/root/", "/home/", "/tmp/", "/Users/"} {
				if bytes.Contains(text, []byte(path)) {
					t.Errorf("%s/%s names %s", name, file, path)
				}
			}
			if link := "gallery/" + name + "/" + file; !strings.Contains(string(readme), "("+link+")") {
				t.Errorf("examples/README.md does not link to %s", link)
			}
		}
	}
}

// What the numbers don't bear out is refused, and so is a point that was not measured.
func TestSentencesMustHold(t *testing.T) {
	folder := t.TempDir()
	csv := "target,concurrency,repeat,state,verdict,reasons,output_throughput\n" +
		"a,1,1,done,VALID,,30\na,1,2,done,VALID,,32\n" +
		"b,1,1,done,VALID,,10\nb,1,2,done,SUSPECT,bounds,10\n" +
		"c,1,1,done,VALID,,9\nc,1,2,done,VALID,,11\n"
	if err := os.MkdirAll(filepath.Join(folder, "x"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, "x", "summary.csv"), []byte(csv), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ text, want, wrong string }{
		{text: `{{mean "x" "output_throughput" "target=a"}}`, want: "31"},
		{text: `{{times "x" "output_throughput" "target=a" "target=b"}}`, want: "3.10 times (3 to 3.20)"},
		{text: `{{even "x" "output_throughput" "target=b" "target=c"}}`, want: "0.909 to 1.11 times"},
		{text: `{{verdicts "x"}}`, want: "5 of 6 runs are VALID, 1 is SUSPECT (bounds)"},
		{text: `{{times "x" "output_throughput" "target=b" "target=a"}}`, wrong: "is not larger"},
		{text: `{{times "x" "output_throughput" "target=b" "target=c"}}`, wrong: "is not larger"},
		{text: `{{even "x" "output_throughput" "target=a" "target=b"}}`, wrong: "is not even"},
		{text: `{{mean "x" "output_throughput" "target=d"}}`, wrong: "no run"},
		{text: `{{mean "x" "p99_ttft_ms" "target=a"}}`, wrong: "no p99_ttft_ms"},
		{text: `{{mean "y" "output_throughput" "target=a"}}`, wrong: "y"},
	} {
		got, err := write(folder, tt.text)
		if tt.wrong == "" && (err != nil || got != tt.want) {
			t.Errorf("%s: %q, %v", tt.text, got, err)
		}
		if tt.wrong != "" && (err == nil || !strings.Contains(err.Error(), tt.wrong)) {
			t.Errorf("%s: %q, %v", tt.text, got, err)
		}
	}
}
