//go:build linux && (amd64 || arm64)

package sandbox

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// The two processes of a sandbox.
const (
	stageFirst  = "first"
	stageSecond = "second"
)

// The descriptors of the first process beside the standard ones, and of the second.
const (
	firstLifeline, firstSaid, firstProof = 3, 4, 5
	secondProof, secondSaid              = 3, 4
)

// Main is our program as a part of a sandbox. It does nothing unless it is in one.
func Main(arguments []string) error {
	if len(arguments) != 2 || !confined() {
		return errors.New("this is a part of --allow-code, and not for the command line")
	}
	var o order
	if err := json.Unmarshal([]byte(arguments[1]), &o); err != nil {
		return err
	}
	if arguments[0] == stageFirst {
		return first(arguments[1])
	}
	return second(&o)
}

// confined says that this process is in a user namespace of ours: what follows would
// change the mounts of the machine otherwise. The machine's own maps four billion users.
func confined() bool {
	b, err := os.ReadFile("/proc/self/uid_map")
	if err != nil {
		return false
	}
	users := uint64(0)
	fields := strings.Fields(string(b))
	for i := 2; i < len(fields); i += 3 {
		n, err := strconv.ParseUint(fields[i], 10, 64)
		if err != nil {
			return false
		}
		users += n
	}
	return users == 1 || users == 2
}

// first is the first process of the namespaces. It waits for the program, whose parent it
// is, and for the end of ours; then it ends, and with it all that is left.
func first(told string) error {
	signal.Notify(make(chan os.Signal, 1)) // the program may send what it likes; to ignore it would be inherited
	_ = unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0)
	lifeline, said, proof := os.NewFile(firstLifeline, "lifeline"), os.NewFile(firstSaid, "said"), os.NewFile(firstProof, "proof")
	for _, fd := range []int{firstLifeline, firstSaid, firstProof} {
		unix.CloseOnExec(fd)
	}
	var standard [3]*os.File
	for fd := range standard {
		standard[fd] = os.NewFile(uintptr(fd), "standard")
	}
	p, err := os.StartProcess("/proc/self/exe", []string{"inferometer", Command, stageSecond, told}, &os.ProcAttr{
		Dir: "/", Env: []string{"GOMAXPROCS=1"},
		Files: append(standard[:], proof, said),
	})
	if err != nil {
		return tell(said, report{Missing: err.Error()})
	}
	for _, f := range append(standard[:], proof) {
		_ = f.Close() // they are the program's
	}
	go func() {
		_, _ = lifeline.Read(make([]byte, 1))
		syscall.Exit(1) // at once: whoever asked is gone
	}()
	for {
		var status unix.WaitStatus
		var used unix.Rusage
		pid, err := unix.Wait4(-1, &status, 0, &used)
		if errors.Is(err, unix.EINTR) || err == nil && pid != p.Pid { // or an orphan
			continue
		}
		if err != nil {
			return tell(said, report{Missing: "wait: " + err.Error()})
		}
		r := report{CPU: used.Utime.Nano() + used.Stime.Nano()}
		if status.Signaled() {
			r.Signal = int(status.Signal())
		} else {
			r.Status = status.ExitStatus()
		}
		return tell(said, r)
	}
}

// tell writes a report, after one of the second process where there is one: the reader
// takes the first.
func tell(said *os.File, r report) error {
	b, err := json.Marshal(r)
	if err == nil {
		_, err = said.Write(append(b, '\n'))
	}
	return err
}

// missing tells why there is no sandbox.
func missing(format string, args ...any) error {
	return tell(os.NewFile(secondSaid, "said"), report{Missing: fmt.Sprintf(format, args...)})
}
