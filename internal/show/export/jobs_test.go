package export

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/show/fakerun"
)

// TestJobsTable: one row a conversation; one that was cut, or begun inside its recording, has no time.
func TestJobsTable(t *testing.T) {
	folder := t.TempDir()
	w, err := journal.Create(filepath.Join(folder, journal.FileName))
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Run((&fakerun.Journal{N: 1}).Run()); err != nil {
		t.Fatal(err)
	}
	for _, c := range []journal.Conversation{
		{Number: 1, Trace: "a,b", Play: 2, Turns: 3, Sent: 3, Complete: 3, Outcome: journal.ConversationComplete, Begin: 1e9, End: 3e9, Think: 5e8},
		{Number: 2, Before: 4, Turns: 3, Sent: 3, Complete: 3, Outcome: journal.ConversationComplete, Begin: 1e9, End: 3e9},
		{Number: 3, Turns: 3, Sent: 1, Skipped: 2, Outcome: journal.ConversationAbandoned, Error: "duration", Begin: 2e9, End: 3e9, Branches: make([]journal.Branch, 3)},
	} {
		if err := w.Conversation(&c); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(w.End(&journal.End{}), w.Close()); err != nil {
		t.Fatal(err)
	}
	csvFormat, _ := ByName("csv")
	var b strings.Builder
	if err := WriteLines(&b, csvFormat, "jobs", []string{folder}); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(b.String()), "\n")
	want := []string{
		`,1,"a,b",2,complete,1,3,2000,500,0,1,0,3,3,3,`,
		`,2,,,complete,1,3,,0,0,1,4,3,3,3,`,
		`,3,,,abandoned,2,3,,0,0,3,0,3,1,0,duration`,
	}
	if len(lines) != len(want)+1 {
		t.Fatalf("%q", lines)
	}
	for i, w := range want {
		if got := lines[i+1]; got[strings.Index(got, ","):] != w {
			t.Errorf("row %d is %q, want %q", i, got, w)
		}
	}
}
