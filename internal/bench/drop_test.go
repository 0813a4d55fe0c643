package bench

import (
	"testing"

	"github.com/inferometer/inferometer/internal/spec"
)

// Of a Spec that NATS keeps only what a file may write is written, and no run is removed.
func TestDropOutputs(t *testing.T) {
	t.Chdir(t.TempDir())
	s := spec.Default()
	s.SaveResult, s.ResultFilename, s.AppendMarkdown, s.SummaryFile, s.SaveConversations, s.KeepRuns = true, "/x/y.json", "notes.md", ".bashrc", "../talks.json", 1
	fine, same := s, s
	same.RunDir = "elsewhere"
	if !s.SameOutputs(&same) {
		t.Error("a folder is no output that differs")
	}
	fine.ResultFilename, fine.SummaryFile, fine.SaveConversations = "y.json", "", ""
	if s.SameOutputs(&fine) {
		t.Error("other outputs are taken for the same")
	}
	if dropped := s.DropOutputs(spec.Allowed{}); len(dropped) != 3 || s.SaveResult || s.SummaryFile != "" || s.SaveConversations != "" || s.AppendMarkdown != "notes.md" || s.KeepRuns != 0 {
		t.Errorf("%v: %+v", dropped, s.Keep)
	}
	if dropped := fine.DropOutputs(spec.Allowed{}); len(dropped) != 0 || !fine.SaveResult || fine.AppendMarkdown == "" {
		t.Errorf("%v: %+v", dropped, fine.Keep)
	}
}
