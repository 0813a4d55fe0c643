package task

import (
	"slices"
	"sync"

	"github.com/inferometer/inferometer/internal/files/within"
)

// reads is what a task's file may read, and what was read for it: the file may be somebody
// else's, and what it names is sent to a server.
type reads struct {
	folders within.Folders

	mu   sync.Mutex
	list []string
}

func newReads(folder string, allowed []string) *reads {
	return &reads{folders: within.Folders{Base: folder, Allowed: allowed}}
}

// find is where a file that the task names lies. A task that is built in names none.
func (r *reads) find(name string) (string, error) {
	if r == nil {
		return "", &within.OutsideError{Name: name}
	}
	return r.folders.Find(name)
}

// all says that each of these may be read.
func (r *reads) all(names []string) bool {
	return !slices.ContainsFunc(names, func(name string) bool { _, err := r.find(name); return err != nil })
}

// note keeps what is read, to be shown.
func (r *reads) note(names ...string) {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, name := range names {
		if !slices.Contains(r.list, name) {
			r.list = append(r.list, name)
		}
	}
}

// Files are what is read for the questions: the task's file, those that it includes, and data.
func (s *Set) Files() []string {
	r := s.task.reads
	if r == nil {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.list)
}
