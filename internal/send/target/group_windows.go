package target

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/windows"
)

// group is a job, of which all that the server starts is a part too. We have the only handle
// of it: when we die, by whatever cause, Windows closes that, and ends the job.
type group struct {
	job windows.Handle
	pid uint32 // of the server
}

func newGroup(time.Duration) (*group, error) {
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return nil, fmt.Errorf("make the server's job: %w", err)
	}
	var limits windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION
	limits.BasicLimitInformation.LimitFlags = windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE
	_, err = windows.SetInformationJobObject(job, windows.JobObjectExtendedLimitInformation, uintptr(unsafe.Pointer(&limits)), uint32(unsafe.Sizeof(limits)))
	if err != nil {
		_ = windows.CloseHandle(job)
		return nil, fmt.Errorf("make the server's job: %w", err)
	}
	return &group{job: job}, nil
}

var resumeProcess = windows.NewLazySystemDLL("ntdll.dll").NewProc("NtResumeProcess")

// start starts a process in the job. It has the files open, and finds their handles in a variable.
//
// It does not run before it is in the job, so that nothing that it starts is outside. A console
// process group of its own keeps a Ctrl-C of the user's from it.
func (g *group) start(cmd *exec.Cmd, files []*os.File, variable string) error {
	if cmd.SysProcAttr == nil { // the shell's is there
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.CreationFlags = windows.CREATE_NEW_PROCESS_GROUP | windows.CREATE_SUSPENDED
	var numbers []string
	for _, f := range files {
		h := windows.Handle(f.Fd())
		if err := windows.SetHandleInformation(h, windows.HANDLE_FLAG_INHERIT, windows.HANDLE_FLAG_INHERIT); err != nil {
			return err
		}
		cmd.SysProcAttr.AdditionalInheritedHandles = append(cmd.SysProcAttr.AdditionalInheritedHandles, syscall.Handle(h))
		numbers = append(numbers, strconv.FormatUint(uint64(h), 10))
	}
	if len(files) > 0 {
		cmd.Env = append(cmd.Env, variable+"="+strings.Join(numbers, ","))
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	g.pid = uint32(cmd.Process.Pid)
	err := errors.New("it ended at once")
	if e := cmd.Process.WithHandle(func(h uintptr) {
		if err = windows.AssignProcessToJobObject(g.job, windows.Handle(h)); err != nil {
			return
		}
		if status, _, _ := resumeProcess.Call(h); status != 0 {
			err = windows.NTStatus(status)
		}
	}); e != nil {
		err = e
	}
	if err != nil {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		return fmt.Errorf("put it into its job: %w", err)
	}
	return nil
}

// ask asks the server to end by a Ctrl-Break, which only those that have our console get; false: it was not asked.
func (g *group) ask() bool {
	return windows.GenerateConsoleCtrlEvent(windows.CTRL_BREAK_EVENT, g.pid) == nil
}

// wait waits until the last process has ended; false: it has not.
func (g *group) wait(patience time.Duration) bool {
	for end := time.Now().Add(patience); ; time.Sleep(10 * time.Millisecond) {
		var is struct { // JOBOBJECT_BASIC_ACCOUNTING_INFORMATION
			times                          [4]int64
			faults, total, active, stopped uint32
		}
		err := windows.QueryInformationJobObject(g.job, windows.JobObjectBasicAccountingInformation, uintptr(unsafe.Pointer(&is)), uint32(unsafe.Sizeof(is)), nil)
		if err != nil || is.active == 0 {
			return err == nil
		}
		if time.Now().After(end) {
			return false
		}
	}
}

// over is closed at once: who waits for it has waited for the first process, and the job has no more to tell by itself.
func (*group) over() <-chan struct{} {
	done := make(chan struct{})
	close(done)
	return done
}

var errNoHalt = errors.New("a process can't be stopped and continued on Windows: kill it instead")

func (*group) halt() error   { return errNoHalt }
func (*group) resume() error { return errNoHalt }

// end ends the job at once.
func (g *group) end() {
	_ = windows.TerminateJobObject(g.job, 1)
	_ = windows.CloseHandle(g.job)
}

// interrupt is one Ctrl-Break, which Go and most others take for a Ctrl-C: a process group of its
// own gets no other.
func interrupt(cmd *exec.Cmd) {
	_ = windows.GenerateConsoleCtrlEvent(windows.CTRL_BREAK_EVENT, uint32(cmd.Process.Pid)) // it may have ended
}

// note: nothing can be left of a job, so nothing is noted.
func (*Process) note() error { return nil }

// EndLeftover reports whether a server was left by an earlier run: none is.
func EndLeftover(string) (bool, error) { return false, nil }

// findStrays: nobody can leave a job.
func (*Process) findStrays() {}
