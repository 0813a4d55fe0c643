package main

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// signalSession sends a signal to all that a command started, which leads a session of its own. Its process group
// is not enough: ninja and others give each compiler a group.
func signalSession(leader int, s syscall.Signal) error {
	err := syscall.Kill(-leader, s)
	for range 2 { // once more for what was started meanwhile
		for _, pid := range session(leader) {
			_ = syscall.Kill(pid, s) // it may just have ended
		}
	}
	return err
}

// behindOthers gives a session what processor time others leave. Linux may divide it between sessions first, and then
// the niceness of a process counts only within its own. Where it doesn't, there is no such file.
func behindOthers(leader int) {
	_ = os.WriteFile("/proc/"+strconv.Itoa(leader)+"/autogroup", []byte("19"), 0)
}

// session are the processes of a session, as /proc has them; where there is no /proc, none.
func session(leader int) []int {
	files, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		return nil
	}
	var out []int
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			continue // it has ended
		}
		// pid (name) state parent group session …, and a name may hold anything.
		fields := strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:]))
		if len(fields) > 3 && fields[3] == strconv.Itoa(leader) {
			if pid, err := strconv.Atoi(filepath.Base(filepath.Dir(file))); err == nil {
				out = append(out, pid)
			}
		}
	}
	return out
}
