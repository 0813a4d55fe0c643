package upload

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/inferometer/inferometer/internal/files/bucket"
	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/plan/scenario"
)

// results are the files of a run's folder, or of a scenario's, that are uploaded. Logs,
// locks and whatever else lies there are not.
func results(folder string) ([]bucket.File, error) {
	base := filepath.Base(folder)
	if base == string(filepath.Separator) || base == "." {
		return nil, fmt.Errorf("%s has no name of its own to upload under", folder)
	}
	if regular(filepath.Join(folder, journal.FileName)) {
		var files []bucket.File
		for _, name := range runFiles {
			if path := filepath.Join(folder, name); regular(path) {
				files = append(files, bucket.File{Path: path, Name: base + "/" + name})
			}
		}
		return files, nil
	}
	names, err := scenario.Folder{Path: folder}.Results()
	switch {
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return nil, err
	case len(names) == 0:
		return nil, fmt.Errorf("%s holds neither a run nor the results of a scenario", folder)
	}
	files := make([]bucket.File, 0, len(names))
	for _, name := range names {
		// A scenario that goes on, or is run anew, is the same one.
		files = append(files, bucket.File{Path: filepath.Join(folder, filepath.FromSlash(name)), Name: base + "/" + name, Replace: true})
	}
	return files, nil
}

// runFiles has the result last: who sees it sees a run that is whole.
var runFiles = slices.Clip([]string{journal.SpecName, journal.MetricsName, journal.FileName, journal.ResultName})

func regular(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.Mode().IsRegular()
}
