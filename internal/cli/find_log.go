package cli

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/inferometer/inferometer/internal/search"
)

// findLog is the probes of a search, one line each, after a first line that says
// which search it is. The search is a function of its probes: with them it goes on.
type findLog struct {
	path    string
	earlier []search.Observation
}

type findLogHead struct {
	Search string `json:"search"`
}

// openLog reads the probes of an interrupted search, or begins a new file.
func (f *finder) openLog(cfg search.Config) (*findLog, error) {
	if err := os.MkdirAll(f.folder, 0o755); err != nil {
		return nil, fmt.Errorf("make the folder of --out: %w", err)
	}
	l := &findLog{path: filepath.Join(f.folder, "probes.jsonl")}
	head, err := f.fingerprint(cfg)
	if err != nil {
		return nil, err
	}
	content, err := os.ReadFile(l.path)
	if errors.Is(err, fs.ErrNotExist) || err == nil && f.options.fresh {
		return l, os.WriteFile(l.path, append(head, '\n'), 0o644)
	}
	if err != nil {
		return nil, fmt.Errorf("read earlier probes: %w", err)
	}
	lines := bufio.NewScanner(bytes.NewReader(content))
	lines.Buffer(nil, 1<<20)
	if !lines.Scan() || !bytes.Equal(lines.Bytes(), head) {
		return nil, fmt.Errorf("%s holds another search: give another --out, or --fresh to forget it", f.folder)
	}
	for lines.Scan() {
		var o search.Observation
		if json.Unmarshal(lines.Bytes(), &o) != nil {
			break // cut off when it was killed: that probe is made again
		}
		l.earlier = append(l.earlier, o)
	}
	return l, lines.Err()
}

// fingerprint tells searches apart by all that their probes depend on.
func (f *finder) fingerprint(cfg search.Config) ([]byte, error) {
	o := f.options
	cfg.Budget = 0 // more time may be given to the same search
	b, err := json.Marshal([]any{f.args, cfg, o.objective.String(), o.vary})
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(b)
	return json.Marshal(findLogHead{hex.EncodeToString(sum[:])})
}

func (l *findLog) add(o search.Observation) error {
	b, err := json.Marshal(o)
	if err != nil {
		return err
	}
	file, err := os.OpenFile(l.path, os.O_WRONLY|os.O_APPEND, 0o644)
	if err != nil {
		return fmt.Errorf("keep a probe: %w", err)
	}
	_, err = file.Write(append(b, '\n'))
	return errors.Join(err, file.Close())
}
