package history

import (
	"fmt"
	"testing"
	"testing/fstest"
	"time"

	"github.com/inferometer/inferometer/internal/foreign"
)

// A scan without time reads what it can, says what is left, and the next ones go on until all is read.
func TestScanGoesOnWhereItsTimeEnded(t *testing.T) {
	files := fstest.MapFS{}
	const all = 40
	for i := range all {
		text := fmt.Sprintf(`{"date":"20260101-1200%02d","backend":"vllm","model_id":"m","completed":3,"request_throughput":1.5,"duration":%d}`, i, i+1)
		files[fmt.Sprintf("run-%02d.json", i)] = &fstest.MapFile{Data: []byte(text)}
	}
	tree := NewTree(files, foreign.Read, nil)
	tree.Patience = time.Nanosecond
	runs, _, err := tree.Scan(time.Now())
	if err != nil || len(runs) == all || tree.Unread() == 0 || len(runs)+tree.Unread() != all {
		t.Fatalf("%d runs, %d unread, %v", len(runs), tree.Unread(), err)
	}
	// However little time there is, each scan reads something.
	before := len(runs)
	if runs, _, err = tree.Scan(time.Now()); err != nil || len(runs) <= before {
		t.Fatalf("%d runs after %d, %v", len(runs), before, err)
	}
	tree.Patience = time.Hour
	runs, _, err = tree.Scan(time.Now())
	if err != nil || len(runs) != all || tree.Unread() != 0 {
		t.Errorf("%d runs, %d unread, %v", len(runs), tree.Unread(), err)
	}
}
