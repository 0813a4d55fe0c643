package spec

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// TryResultDir finds out before the run whether its result can be written.
func (s *Spec) TryResultDir() error {
	if !s.SaveResult && !s.AppendResult && !s.PlotTimeline && !s.PlotDatasetStats {
		return nil
	}
	dir := filepath.Dir(s.ResultPath("x"))
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return fmt.Errorf("create --result-dir: %w", err)
	}
	f, err := os.CreateTemp(dir, ".inferometer-*")
	if err != nil {
		return fmt.Errorf("nothing can be written to --result-dir: %w", err)
	}
	return errors.Join(f.Close(), os.Remove(f.Name()))
}

// ResultPath is the file of the result; its name is the user's, or the usual one.
func (s *Spec) ResultPath(usual string) string {
	name := s.ResultFilename
	if name == "" {
		name = usual
	}
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(s.ResultDir, name)
}
