//go:build linux && (amd64 || arm64)

package sandbox

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/inferometer/inferometer/internal/testfiles"
)

// problem is a row of HumanEval.
type problem struct {
	ID       string `json:"task_id"`
	Prompt   string `json:"prompt"`
	Entry    string `json:"entry_point"`
	Solution string `json:"canonical_solution"`
	Test     string `json:"test"`
}

func (p *problem) program(completion string) string {
	return p.Prompt + completion + "\n" + p.Test + "\ncheck(" + p.Entry + ")"
}

func problems(t *testing.T, path string) (list []problem) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var p problem
		if err := json.Unmarshal(lines.Bytes(), &p); err != nil {
			t.Fatal(err)
		}
		list = append(list, p)
	}
	return list
}

// other is a right solution whose answers are made wrong.
const other = `

right = %[1]s
def %[1]s(*args, **kwargs):
    answer = right(*args, **kwargs)
    return not answer if isinstance(answer, bool) else [answer]
`

func TestRealHumanEval(t *testing.T) {
	s := open(t, Limits{Time: 10 * time.Minute}) // some right ones take long where all processors are busy
	path := filepath.Join("testdata", "humaneval-3.jsonl")
	want := 3
	if whole := filepath.Join(testfiles.Root(t), "..", "shared", "data", "accuracy", "HumanEval.jsonl"); !testing.Short() && exists(whole) {
		path, want = whole, 164
	} else {
		t.Log("of HumanEval's 164 problems the three in testdata are run")
	}
	list := problems(t, path)
	if len(list) != want {
		t.Fatalf("%d problems, want %d", len(list), want)
	}
	turns := make(chan struct{}, runtime.NumCPU())
	for _, p := range list {
		t.Run(p.ID, func(t *testing.T) {
			t.Parallel()
			turns <- struct{}{}
			defer func() { <-turns }()
			r, err := s.Run(t.Context(), p.program(p.Solution))
			if err != nil || !r.Passed {
				t.Errorf("the solution: %s: %s (%v)", r.How, r.Detail, err)
			}
			r, err = s.Run(t.Context(), p.program(p.Solution+fmt.Sprintf(other, p.Entry)))
			if err != nil || r.Passed || r.How != Failed {
				t.Errorf("wrong answers: passed %v, %q %s (%v)", r.Passed, r.How, r.Detail, err)
			}
		})
	}
}

// TestRealOrdinary: what programs of other tasks use is not what the limits of memory are for.
func TestRealOrdinary(t *testing.T) {
	s := open(t, Limits{Time: 10 * time.Minute})
	for name, program := range map[string]string{
		"asyncio":  "import asyncio\nasync def f():\n    await asyncio.sleep(0)\n    return 1\nassert asyncio.run(f()) == 1",
		"threads":  "from concurrent.futures import ThreadPoolExecutor\nwith ThreadPoolExecutor(4) as p: assert sum(p.map(lambda x: x, range(10))) == 45",
		"files":    "import tempfile, shutil\nwith tempfile.TemporaryDirectory() as d:\n    open(d + '/a', 'w').write('x')\n    shutil.copyfile(d + '/a', d + '/b')\n    assert open(d + '/b').read() == 'x'",
		"mappings": "import mmap\nm = mmap.mmap(-1, 1 << 20, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)\nm[0] = 1",
		"memory":   "x = bytearray(500 << 20)\nassert len(x) == 500 << 20",
		"sockets":  "import socket\na, b = socket.socketpair()\na.sendall(b'x')\nassert b.recv(1) == b'x'",
	} {
		if r, err := s.Run(t.Context(), program); err != nil || !r.Passed {
			t.Errorf("%s: %s: %s (%v)", name, r.How, r.Detail, err)
		}
	}
}

func exists(path string) bool { _, err := os.Stat(path); return err == nil }
