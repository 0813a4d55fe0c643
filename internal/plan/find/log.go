package find

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/inferometer/inferometer/internal/journal/kept"
	"github.com/inferometer/inferometer/internal/plan/search"
	"github.com/inferometer/inferometer/internal/send/target"
)

// probeLog keeps the probes of a search, one line each, after a first line that says
// which search it is. The search is a function of its probes: with them it goes on.
type probeLog struct {
	path    string
	earlier []search.Observation
}

type logHead struct {
	Search string `json:"search"`           // all that its probes depend on
	Server string `json:"server,omitempty"` // what the servers said of themselves: see target.Self
}

// openLog reads the probes of an interrupted search, or begins a new file. Probes of
// another server than the one that is there now are forgotten.
func (f *Finder) openLog(ctx context.Context, cfg search.Config) (*probeLog, error) {
	if err := os.MkdirAll(f.Folder, 0o755); err != nil {
		return nil, fmt.Errorf("make the folder of --output: %w", err)
	}
	l := &probeLog{path: filepath.Join(f.Folder, kept.ProbesName)}
	var head logHead
	var err error
	if head.Search, err = f.fingerprint(cfg); err != nil {
		return nil, err
	}
	head.Server = f.self(ctx)
	content, err := os.ReadFile(l.path)
	if errors.Is(err, fs.ErrNotExist) || err == nil && f.Fresh {
		return l, l.begin(head)
	}
	if err != nil {
		return nil, fmt.Errorf("read earlier probes: %w", err)
	}
	lines := bufio.NewScanner(bytes.NewReader(content))
	lines.Buffer(nil, 1<<20)
	var was logHead
	if !lines.Scan() || json.Unmarshal(lines.Bytes(), &was) != nil || was.Search != head.Search {
		return nil, fmt.Errorf("%s holds another search: give another --output, or --fresh to forget it", f.Folder)
	}
	if head.Server != "" && was.Server != head.Server {
		then, now := target.Differ(was.Server, head.Server)
		if was.Server == "" {
			then = "not written down"
		}
		f.Progress.Note(fmt.Sprintf("note: the server is another one than before, so the search begins anew (then: %s; now: %s)", then, now))
		return l, l.begin(head)
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

// begin writes a file without any probe.
func (l *probeLog) begin(head logHead) error {
	b, err := json.Marshal(head)
	if err != nil {
		return err
	}
	return os.WriteFile(l.path, append(b, '\n'), 0o644)
}

// self is what the servers say of themselves; empty: one does not.
func (f *Finder) self(ctx context.Context) string {
	const timeout = 5 * time.Second
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	var words []string
	for _, t := range f.Servers {
		text, err := t.Self(ctx)
		if err != nil {
			return ""
		}
		words = append(words, text)
	}
	return strings.Join(words, " + ")
}

// fingerprint tells searches apart by all that their probes depend on.
func (f *Finder) fingerprint(cfg search.Config) (string, error) {
	cfg.Budget = 0 // more time may be given to the same search
	b, err := json.Marshal([]any{f.Child.Spec, cfg, f.SLO.String(), f.Vary, f.AnyVerdict})
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:]), nil
}

func (l *probeLog) add(o search.Observation) error {
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
