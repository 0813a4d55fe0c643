//go:build unix

package target

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// group is a group of processes, with a watcher as its leader. The watcher is a shell that
// does nothing but read a pipe whose other end is ours. When we die, by whatever cause, the
// kernel closes that end, and the watcher ends the group. It is started first and the server
// joins its group, so that there is no moment at which a server has no watcher, and no
// moment at which the group's number could belong to somebody else.
type group struct {
	watcher *exec.Cmd
	leash   io.Closer     // our end of the watcher's pipe
	gone    chan struct{} // closed when the last process but the watcher has ended
}

// watch is the watcher. SIGTERM is for the others of its group; the last line ends
// the shell itself too. $1 is the grace in seconds.
const watch = `trap '' TERM INT HUP
read -r line
kill -s TERM 0
sleep "$1"
kill -s KILL 0`

func newGroup(grace time.Duration) (*group, error) {
	seconds := max(1, int(grace.Round(time.Second)/time.Second))
	g := &group{watcher: exec.Command("/bin/sh", "-c", watch, "inferometer-watcher", strconv.Itoa(seconds)), gone: make(chan struct{})}
	g.watcher.SysProcAttr = inGroup(0)
	var err error
	if g.leash, err = g.watcher.StdinPipe(); err == nil {
		err = g.watcher.Start()
	}
	if err != nil {
		return nil, fmt.Errorf("start the server's watcher: %w", err)
	}
	return g, nil
}

// firstFile is the descriptor of the first file that a process is given.
const firstFile = 4

// start starts a process in the group. It has the files open, and finds their numbers in a variable.
//
// It also has a pipe that its children inherit. That is closed when the last of them is gone,
// which may be long after the first, such as a shell.
func (g *group) start(cmd *exec.Cmd, files []*os.File, variable string) error {
	r, w, err := os.Pipe()
	if err != nil {
		return err
	}
	cmd.ExtraFiles = append([]*os.File{w}, files...)
	if len(files) > 0 {
		var numbers []string
		for i := range files {
			numbers = append(numbers, strconv.Itoa(firstFile+i))
		}
		cmd.Env = append(cmd.Env, variable+"="+strings.Join(numbers, ","))
	}
	cmd.SysProcAttr = inGroup(g.id())
	go func() {
		defer close(g.gone)
		defer r.Close()
		_, _ = io.Copy(io.Discard, r) // nobody writes; it ends
	}()
	err = cmd.Start()
	_ = w.Close() // the server has its own copy
	return err
}

// id is the number of the group.
func (g *group) id() int { return g.watcher.Process.Pid }

// ask asks all of the group to end; false: they were not asked.
func (g *group) ask() bool {
	signalGroup(g.id(), syscall.SIGTERM)
	return true
}

// wait waits until the last process has ended; false: it has not.
func (g *group) wait(patience time.Duration) bool {
	select {
	case <-g.gone:
		return true
	case <-time.After(patience):
		return false
	}
}

// over is closed when the last process has ended.
func (g *group) over() <-chan struct{} { return g.gone }

// halt stops all of the group but the watcher, which must hear when we die.
func (g *group) halt() error {
	if err := syscall.Kill(-g.id(), syscall.SIGSTOP); err != nil {
		return fmt.Errorf("stop it: %w", err)
	}
	return g.watcher.Process.Signal(syscall.SIGCONT)
}

// resume lets all of the group go on.
func (g *group) resume() error { return syscall.Kill(-g.id(), syscall.SIGCONT) }

// end kills the group at once. The watcher is its leader, so it still exists.
func (g *group) end() {
	signalGroup(g.id(), syscall.SIGKILL)
	_ = g.watcher.Wait() // killed, as it must be
	_ = g.leash.Close()
}

// interrupt is one Ctrl-C for a process alone.
func interrupt(cmd *exec.Cmd) { _ = cmd.Process.Signal(os.Interrupt) } // it may have ended

// inGroup starts a process in a group; 0 makes one of its own.
func inGroup(group int) *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pgid: group}
}

// signalGroup signals all of a group; that nobody is left is what we want.
func signalGroup(group int, s syscall.Signal) { _ = syscall.Kill(-group, s) }

// groupOf is the group of a process, 0 if there is none.
func groupOf(pid int) int {
	group, err := syscall.Getpgid(pid)
	if err != nil {
		return 0
	}
	return group
}
