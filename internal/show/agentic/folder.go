package agentic

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/inferometer/inferometer/internal/files/atomicfile"
)

// The files that AIPerf leaves of a run.
const (
	requestsName = "profile_export.jsonl"
	profileName  = "profile_export_aiperf.json"
	serverName   = "server_metrics_export.json"
)

// WriteAIPerf writes a run into a folder as AIPerf would leave it. The folder is made if absent; files of these names in
// it are replaced.
func WriteAIPerf(dir, folder, rules string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("make the folder: %w", err)
	}
	var r *Run
	if err := atomicfile.Write(filepath.Join(dir, requestsName), func(w io.Writer) (err error) {
		buffered := bufio.NewWriter(w)
		if r, err = Read(folder, rules, buffered); err != nil {
			return err
		}
		return buffered.Flush()
	}); err != nil {
		return err
	}
	s, err := r.readServer(r.begin())
	if err != nil {
		return err
	}
	if err := writeJSON(filepath.Join(dir, profileName), r.profile()); err != nil {
		return err
	}
	if len(s.list) == 0 { // AIPerf writes none then; one that is left of another run would be taken for this one's
		if err := os.Remove(filepath.Join(dir, serverName)); err != nil && !os.IsNotExist(err) {
			return err
		}
		return nil
	}
	return writeJSON(filepath.Join(dir, serverName), s.object(r))
}

func writeJSON(path string, v any) error {
	return atomicfile.Write(path, func(w io.Writer) error {
		e := json.NewEncoder(w)
		e.SetIndent("", "  ")
		e.SetEscapeHTML(false)
		if err := e.Encode(v); err != nil {
			return fmt.Errorf("write %s: %w", filepath.Base(path), err)
		}
		return nil
	})
}
