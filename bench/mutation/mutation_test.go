package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// broken writes a module of one function and one test, and gives a trial over it.
func broken(t *testing.T) *trial {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":      "module example\n\ngo 1.26\n",
		"p/p.go":      "package p\n\nfunc Most(a, b int) int {\n\tif a > b {\n\t\treturn a\n\t}\n\treturn b\n}\n\nfunc Unseen() int { return 1 }\n",
		"p/p_test.go": "package p\n\nimport \"testing\"\n\nfunc TestMost(t *testing.T) {\n\tif Most(1, 2) != 2 {\n\t\tt.Error(\"no\")\n\t}\n}\n",
	} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return newTrial(dir, t.TempDir(), true)
}

// What becomes of a mutation is what the tests of its package say of it.
func TestRealMutationsAreTried(t *testing.T) {
	t.Parallel()
	trial := broken(t)
	for _, tt := range []struct{ old, new, want, by string }{
		{"a > b", "a < b", caught, "TestMost"},
		{"return 1", "return 2", survived, "all tests pass"},
		{"return 1", "return nothing", unbuilt, "undefined: nothing"},
		{"return 1", "for {}", survived, "all tests pass"},
		{"a > b", "b/(b-2) > 0 && a > b", caught, "panic"},
		{"return", "panic", stale, "occurs 3 times"},
		{"return 3", "return 2", stale, "occurs 0 times"},
		{"return 1", "return 1", stale, "changes nothing"},
	} {
		got := trial.try(t.Context(), mutation{File: "p/p.go", Old: tt.old, New: tt.new, Breaks: "it"})
		if got.Result != tt.want || !strings.Contains(got.By, tt.by) {
			t.Errorf("%q for %q: %s, %s; want %s by %s", tt.new, tt.old, got.Result, got.By, tt.want, tt.by)
		}
	}
	if b, err := os.ReadFile(filepath.Join(trial.dir, "p/p.go")); err != nil || !strings.Contains(string(b), "a > b") {
		t.Errorf("the file was changed: %v\n%s", err, b)
	}
}

// One that survives is an error, unless a sentence accepts it.
func TestWhatIsToBeLookedAt(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		result, accepted string
		open             bool
	}{
		{caught, "", false},
		{survived, "", true},
		{survived, "nobody can see it", false},
		{unbuilt, "nobody can see it", true},
		{stale, "", true},
		{unsound, "", true},
	} {
		if err := judge([]outcome{{mutation: mutation{Accepted: tt.accepted}, Result: tt.result}}); (err != nil) != tt.open {
			t.Errorf("%s, accepted %q: %v", tt.result, tt.accepted, err)
		}
	}
}

// What failed is named as go test names it.
func TestFailuresAreNamed(t *testing.T) {
	t.Parallel()
	const hangs = "panic: test timed out after 1s\n\trunning tests:\n\t\tTestHang (1s)\n\ngoroutine 7 [running]:\n"
	if name := hanging.FindStringSubmatch(hangs); name == nil || name[1] != "TestHang" {
		t.Errorf("what hangs is %q", name)
	}
	for said, want := range map[string]string{
		hangs: "hangs",
		"--- FAIL: TestA (0.00s)\n    --- FAIL: TestA/b (0.00s)\n        a_test.go:3: no\nFAIL\n": "TestA, TestA/b",
		"==================\nWARNING: DATA RACE\n--- FAIL: TestA (0.00s)\n":                       "data race, TestA",
		"--- FAIL: TestA (0.00s)\npanic: no [recovered]\n":                                        "panic, TestA",
		"exit status 3": "exit status 3",
	} {
		if got := failures(said); got != want {
			t.Errorf("%q: %s, want %s", said, got, want)
		}
	}
}
