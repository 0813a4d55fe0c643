package agent

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/inferometer/inferometer/internal/files/lock"
	"github.com/inferometer/inferometer/internal/fleet/message"
	"github.com/inferometer/inferometer/internal/journal"
)

// The files of a run's folder, beside its journal.
const (
	statusFile    = "status.json"    // the last status, written down before it is told
	uploadFile    = "upload.json"    // how much of the journal NATS has
	deliveredFile = "delivered.json" // NATS has all of it
)

// folder is where the agent keeps a run: RUN.AGENT, which ids hold no dot of. It is locked
// as long as a process is at work on it.
type folder struct {
	path       string
	run, agent string
	unlock     func()
	status     *os.File
	upload     *os.File
}

// newFolder makes the folder of a new run.
func newFolder(root, run, agent string) (*folder, error) {
	path := filepath.Join(root, run+"."+agent)
	if err := os.Mkdir(path, 0o700); err != nil {
		return nil, err
	}
	return openFolder(path)
}

// openFolder opens one that is there. The error is lock.ErrHeld where its process lives.
func openFolder(path string) (*folder, error) {
	run, agent, ok := strings.Cut(filepath.Base(path), ".")
	if err := errors.Join(message.CheckID(run), message.CheckID(agent)); !ok || err != nil {
		return nil, fmt.Errorf("%s is no run's folder", path)
	}
	unlock, err := lock.Folder(path)
	if err != nil {
		return nil, err
	}
	f := &folder{path: path, run: run, agent: agent, unlock: unlock}
	if f.status, err = os.OpenFile(filepath.Join(path, statusFile), os.O_RDWR|os.O_CREATE, 0o600); err == nil {
		f.upload, err = os.OpenFile(filepath.Join(path, uploadFile), os.O_RDWR|os.O_CREATE, 0o600)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

func (f *folder) Close() {
	for _, file := range []*os.File{f.status, f.upload} {
		if file != nil {
			_ = file.Close() // what it holds is there
		}
	}
	f.unlock()
}

// recordSize is what a status without histograms fits into. A record is written over the
// one before it by one write, so that a process that is killed leaves one or the other.
const recordSize = 8 << 10

func overwrite(f *os.File, v any) {
	b, err := json.Marshal(v)
	if err != nil || len(b) > recordSize {
		return
	}
	record := make([]byte, recordSize)
	for i := copy(record, b); i < len(record); i++ {
		record[i] = '\n'
	}
	_, _ = f.WriteAt(record, 0) // a full disk is told of by the journal
}

func readRecord(f *os.File, v any) bool {
	b := make([]byte, recordSize)
	n, _ := f.ReadAt(b, 0)
	return json.Unmarshal(b[:n], v) == nil
}

// note writes a status down.
func (f *folder) note(s *message.Status) {
	plain := *s
	plain.Live = nil
	overwrite(f.status, &plain)
}

func (f *folder) journal() string { return filepath.Join(f.path, journal.FileName) }

// size is that of the journal so far.
func (f *folder) size() int64 {
	info, err := os.Stat(f.journal())
	if err != nil {
		return 0
	}
	return info.Size()
}

// delivered marks the folder: it need not be looked at again.
func (f *folder) delivered(all bool) {
	if all {
		_ = os.WriteFile(filepath.Join(f.path, deliveredFile), []byte("{}\n"), 0o600) // else it is delivered again
	}
}
