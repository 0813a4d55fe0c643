package machine

import (
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/prometheus/procfs"
)

// ThreadWait is how long the threads of this process were ready to run and had no processor. Threads that
// have ended are no longer counted, but Go keeps its threads.
func (m *Machine) ThreadWait() (time.Duration, error) {
	const name = "self/task"
	threads, err := read(m, name, func() (procfs.Procs, error) { return m.proc.AllThreads(os.Getpid()) })
	if err != nil {
		return 0, err
	}
	sum, told := uint64(0), false
	for _, t := range threads {
		if s, err := t.Schedstat(); err == nil { // else it has just ended
			sum, told = sum+s.WaitingNanoseconds, true
		}
	}
	if !told {
		return 0, malformed("proc/" + name)
	}
	return time.Duration(sum), nil
}

// OpenFiles counts the file descriptors of this process.
func (m *Machine) OpenFiles() (int, error) {
	return read(m, "self/fd", func() (int, error) {
		p, err := m.proc.Proc(os.Getpid())
		if err != nil {
			return 0, err
		}
		return p.FileDescriptorsLen()
	})
}

// A Process is one that runs here.
type Process struct {
	PID  int
	Name string
}

// WithEnvironment finds the processes that have a variable, as NAME=value, in their environment. Those of
// other users can't be looked into.
func (m *Machine) WithEnvironment(variable string) []Process {
	all, err := read(m, "", m.proc.AllProcs)
	if err != nil {
		return nil
	}
	var found []Process
	for _, p := range all {
		env, err := p.Environ()
		if err != nil || !slices.Contains(env, variable) {
			continue
		}
		name, _ := p.Comm() // it may have ended just now
		found = append(found, Process{p.PID, strings.TrimSpace(name)})
	}
	return found
}

// ChildrenMemory is what the children of a process hold, in bytes: their memory, and the tables of their
// pages, which a limit of address space does not count. A child that has just ended holds nothing.
func (m *Machine) ChildrenMemory(pid int) (int64, error) {
	threads := m.Glob(fmt.Sprintf("proc/%d/task/*/children", pid))
	if len(threads) == 0 {
		return 0, m.explain("proc", fs.ErrNotExist)
	}
	sum := uint64(0)
	for _, name := range threads {
		children, _ := m.Read(name) // the thread may have ended just now
		for _, word := range strings.Fields(string(children)) {
			child, err := strconv.Atoi(word)
			if err != nil {
				return 0, malformed(name)
			}
			s, err := read(m, word+"/status", func() (procfs.ProcStatus, error) {
				p, err := m.proc.Proc(child)
				if err != nil {
					return procfs.ProcStatus{}, err
				}
				return p.NewStatus()
			})
			if err == nil { // else it has just ended
				sum += s.VmRSS + s.VmSwap + s.VmPTE
			}
		}
	}
	return int64(sum), nil
}
