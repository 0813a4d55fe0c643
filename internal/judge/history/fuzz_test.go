package history

import (
	"testing"
	"testing/fstest"
	"time"

	"github.com/inferometer/inferometer/internal/foreign"
	"github.com/inferometer/inferometer/internal/journal"
)

// A folder of runs holds whatever people put there: each file gives runs, a problem, or nothing.
func FuzzTree(f *testing.F) {
	f.Add([]byte(`{"date":"20260101-120000","backend":"vllm","model_id":"m","completed":3,"request_throughput":1.5,"duration":2}`))
	f.Add([]byte("| a | b |\n|---|---|\n| 1 | 2 |\n"))
	f.Add([]byte("\x00\xff"))
	f.Fuzz(func(t *testing.T, b []byte) {
		files := fstest.MapFS{"run/" + journal.ResultName: {Data: b}, "run/" + journal.FileName: {}, "other/x.json": {Data: b}, "other/x.txt": {Data: b}, "other/x.csv": {Data: b}, "other/x.md": {Data: b}}
		runs, problems, err := NewTree(files, foreign.Read, nil).Scan(time.Unix(2e9, 0))
		if err != nil {
			t.Fatal(err)
		}
		seen := map[string]bool{}
		for i := range runs {
			if seen[runs[i].ID] {
				t.Errorf("two runs have the id %s", runs[i].ID)
			}
			seen[runs[i].ID] = true
			runs[i].ShortCommit()
		}
		if len(runs) == 0 && len(problems) > 5 {
			t.Error(problems)
		}
	})
}
