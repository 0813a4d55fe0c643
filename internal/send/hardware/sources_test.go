package hardware

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/inferometer/inferometer/internal/exposition"
	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/machine"
)

var update = flag.Bool("update", false, "write the golden files")

func read(t testing.TB, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// tree makes a machine of a file of paths and contents.
func tree(t testing.TB, names ...string) *machine.Machine {
	t.Helper()
	root := t.TempDir()
	for _, name := range names {
		for line := range strings.Lines(string(read(t, "sys/"+name+".tree"))) {
			path, quoted, _ := strings.Cut(strings.TrimSpace(line), " = ")
			text, err := strconv.Unquote(quoted)
			if err != nil {
				t.Fatal(line, err)
			}
			put(t, root, path, text)
		}
	}
	return machine.At(root, "linux")
}

func put(t testing.TB, root, path, text string) {
	t.Helper()
	path = filepath.Join(root, path)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func page(p devices) func([]byte) ([]journal.Device, error) {
	return func(b []byte) ([]journal.Device, error) { return bounded(p.of(exposition.Parse(b).Samples)), nil }
}

// Each real output is read as its golden file says, and so are the trees of AMD's GPUs, which are made up
// (testdata/SOURCES.md). Look at the files when they change: they are what the tools meant.
func TestOutputsOfTools(t *testing.T) {
	nvidia := func(b []byte) ([]journal.Device, error) { return parseNvidia(string(b)) }
	for pattern, parse := range map[string]func([]byte) ([]journal.Device, error){
		"nvidia-smi/*.csv": nvidia, "amd-smi/*": parseAMD, "rocm-smi/*.json": parseROCm,
		"exporters/dcgm*.prom": page(dcgmPage{}), "exporters/amd*.prom": page(amdPage{}), "exporters/node*.prom": page(&nodePage{}),
	} {
		files, err := filepath.Glob(filepath.Join("testdata", pattern))
		if err != nil || len(files) == 0 {
			t.Fatal(pattern, err)
		}
		for _, file := range files {
			b, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			list, err := parse(b)
			if err != nil {
				t.Errorf("%s: %v", file, err)
			}
			golden(t, file, list)
		}
	}
	for _, name := range []string{"amd-one-sensor", "amd-second-card", "amd-sensors-only", "amd-sleeping", "intel"} {
		list, err := newKernel(tree(t, name)).read(t.Context())
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		golden(t, filepath.Join("testdata/sys", name), list)
	}
	list, err := (&energy{machine: tree(t, "intel")}).read(t.Context())
	if err != nil {
		t.Error(err)
	}
	golden(t, "testdata/sys/intel-rapl", list)
}

func golden(t *testing.T, file string, list []journal.Device) {
	t.Helper()
	got := ""
	for i := range list {
		b, err := json.Marshal(list[i])
		if err != nil {
			t.Fatal(err)
		}
		got += string(b) + "\n"
	}
	file = filepath.Join("testdata/golden", filepath.Base(file)+".golden")
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if want, err := os.ReadFile(file); err != nil || string(want) != got {
		t.Errorf("%s:\n%s\nwant (%v)\n%s", file, got, err, want)
	}
}
