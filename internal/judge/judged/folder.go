package judged

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/inferometer/inferometer/internal/compat/pyjson"
)

// Folder finds the folder of a run: the path itself, or what a result file says.
func Folder(path string) (string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return "", fmt.Errorf("%w; give the run's folder, or a result saved by bench serve", err)
	}
	if info.IsDir() {
		return filepath.Abs(path) // as the run itself has named it
	}
	b, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	folder, err := lastRun(b)
	if err != nil {
		return "", fmt.Errorf("%s is neither a run's folder nor a result: %w", path, err)
	}
	if folder == "" {
		return "", fmt.Errorf("%s was not written by inferometer: it names no run", path)
	}
	if !filepath.IsAbs(folder) {
		folder = filepath.Join(filepath.Dir(path), folder)
	}
	if _, err := os.Stat(folder); err != nil {
		return "", fmt.Errorf("the run's folder is gone: %w; only the newest --keep-runs are kept, use --run-dir to keep one", err)
	}
	return folder, nil
}

// lastRun reads the run's folder from a result. With --append-result a file holds
// several: the last one counts. It may have been laid out anew by other tools.
func lastRun(results []byte) (string, error) {
	folder := ""
	d := json.NewDecoder(bytes.NewReader(pyjson.Strict(results)))
	for n := 0; ; n++ {
		var result struct {
			Inferometer struct {
				Run string `json:"run"`
			} `json:"inferometer"`
		}
		switch err := d.Decode(&result); {
		case errors.Is(err, io.EOF) && n > 0:
			return folder, nil
		case err != nil:
			return "", err
		}
		folder = result.Inferometer.Run
	}
}
