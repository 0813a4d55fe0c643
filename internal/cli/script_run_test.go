package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// pids DIR: remembers the processes that a run in DIR has under way: the servers, the
// bench serve, and their watchers.
func cmdPIDs(ts *testscript.TestScript, neg bool, args []string) {
	usageOf(ts, !neg && len(args) == 1, "pids DIR")
	var pids []string
	for _, pattern := range []string{"servers/*/*pid.json", "points/*/pid.json"} {
		files, err := filepath.Glob(filepath.Join(ts.MkAbs(args[0]), pattern))
		ts.Check(err)
		for _, file := range files {
			b, err := os.ReadFile(file)
			ts.Check(err)
			var noted struct{ Group, PID int }
			ts.Check(json.Unmarshal(b, &noted))
			pids = append(pids, strconv.Itoa(noted.Group), strconv.Itoa(noted.PID))
		}
	}
	if len(pids) < 4 {
		ts.Fatalf("only %v are under way", pids)
	}
	for _, pid := range pids {
		if !running(ts, pid) {
			ts.Fatalf("process %s is not there: nothing could be seen by its end", pid)
		}
	}
	ts.Setenv("PIDS", strings.Join(pids, " "))
}

// gone DIR: the processes of pids have ended, and a run that ended by itself has left
// no note of any.
func cmdGone(ts *testscript.TestScript, neg bool, args []string) {
	usageOf(ts, !neg && len(args) == 1, "gone DIR")
	pids := strings.Fields(ts.Getenv("PIDS"))
	for _, pid := range pids {
		for end := time.Now().Add(patience); running(ts, pid); time.Sleep(5 * time.Millisecond) {
			if time.Now().After(end) {
				ts.Fatalf("process %s is still there", pid)
			}
		}
	}
	ts.Setenv("PIDS", "")
	files, err := filepath.Glob(filepath.Join(ts.MkAbs(args[0]), "servers", "*", "*pid.json"))
	ts.Check(err)
	if len(files) > 0 && len(pids) == 0 {
		ts.Fatalf("notes of processes are left: %v", files)
	}
}

// sending DIR: waits until the bench serve of a point has requests on their way.
func cmdSending(ts *testscript.TestScript, neg bool, args []string) {
	usageOf(ts, !neg && len(args) == 1, "sending DIR")
	journal := filepath.Join(ts.MkAbs(args[0]), "run", "journal.jsonl.zst")
	for end := time.Now().Add(patience); ; time.Sleep(5 * time.Millisecond) {
		if _, err := os.Stat(journal); err == nil {
			return
		}
		if time.Now().After(end) {
			ts.Fatalf("%s never came", journal)
		}
	}
}

// running says whether a process lives; one that only waits to be reaped does not.
func running(ts *testscript.TestScript, pid string) bool {
	number, err := strconv.Atoi(pid)
	ts.Check(err)
	if syscall.Kill(number, 0) != nil {
		return false
	}
	b, err := os.ReadFile("/proc/" + pid + "/stat")
	if err != nil {
		return true // no /proc on this system
	}
	_, rest, _ := strings.Cut(string(b), ") ")
	return !strings.HasPrefix(rest, "Z")
}
