//go:build linux

package stage

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/inferometer/inferometer/internal/journal"
)

// Held is the journal that an agent wrote, as it is on the agent's own disk. Its file is kept
// open: what the agent removes can still be read here.
type Held struct {
	Name    string // the agent's
	Run, ID string
	Path    string
	file    *os.File
}

// Holder finds the journals of a stage's agents as they come.
type Holder struct {
	stage *Stage
	mu    sync.Mutex
	all   map[string]*Held // by path
	quit  chan struct{}
	done  chan struct{}
}

// Hold begins to look for journals.
func (s *Stage) Hold() *Holder {
	h := &Holder{stage: s, all: map[string]*Held{}, quit: make(chan struct{}), done: make(chan struct{})}
	go func() {
		defer close(h.done)
		tick := time.NewTicker(50 * time.Millisecond) // files tell nobody that they are there
		defer tick.Stop()
		for {
			h.look()
			select {
			case <-h.quit:
				return
			case <-tick.C:
			}
		}
	}()
	s.closing = append(s.closing, func() {
		close(h.quit)
		<-h.done
		for _, j := range h.all {
			_ = j.file.Close() // it was only read
		}
	})
	return h
}

func (h *Holder) look() {
	found, _ := filepath.Glob(filepath.Join(h.stage.Dir, "state", "*", "inferometer", "fleet", "runs", "*", journal.FileName))
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, path := range found {
		if h.all[path] != nil {
			continue
		}
		f, err := os.Open(path)
		if err != nil {
			continue
		}
		parts := strings.Split(path, string(filepath.Separator))
		run, id, _ := strings.Cut(parts[len(parts)-2], ".")
		h.all[path] = &Held{Name: parts[len(parts)-6], Run: run, ID: id, Path: path, file: f}
	}
}

// All are the journals so far.
func (h *Holder) All() []*Held {
	h.look()
	h.mu.Lock()
	defer h.mu.Unlock()
	var all []*Held
	for _, j := range h.all {
		all = append(all, j)
	}
	return all
}

// Kept says whether it is still on the agent's disk.
func (j *Held) Kept() bool {
	_, err := os.Stat(j.Path)
	return err == nil
}

// Sum is its digest now. The kernel opens what we hold, also where it has no name any more.
func (j *Held) Sum() (string, error) {
	return journal.Digest(fmt.Sprintf("/proc/self/fd/%d", j.file.Fd()))
}

// Records are the indices of the measured requests that it has a line of, as far as it can be read.
func (j *Held) Records(scratch string) (map[int]bool, error) {
	out, err := os.Create(filepath.Join(scratch, journal.FileName))
	if err != nil {
		return nil, err
	}
	_, err = io.Copy(out, io.NewSectionReader(j.file, 0, 1<<40))
	if err := errors.Join(err, out.Close()); err != nil {
		return nil, err
	}
	all := map[int]bool{}
	read, err := ReadJournal(scratch)
	if read == nil {
		if errors.Is(err, journal.ErrNoRun) {
			err = nil // it had written nothing
		}
		return all, err
	}
	for i := range read.Requests {
		all[i] = true
	}
	return all, nil // a journal that ends in the middle is one of an agent that was killed
}

// Told is the last status that an agent of the stage wrote down.
type Told struct {
	Phase    string `json:"phase"`
	Sent     int    `json:"sent"`
	Reserved int    `json:"reserved"`
}

// Told reads them from the folders of all runs of an agent; none: it has taken part in no run.
func (s *Stage) Told(name string) (all []Told) {
	found, _ := filepath.Glob(filepath.Join(s.Dir, "state", name, "inferometer", "fleet", "runs", "*", "status.json"))
	for _, path := range found {
		var t Told
		if b, err := os.ReadFile(path); err == nil && json.Unmarshal(b, &t) == nil {
			all = append(all, t)
		}
	}
	return all
}
