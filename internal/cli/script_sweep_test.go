package cli

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/inferometer/inferometer/internal/spec"
)

// freeport NAME: sets a variable to a port on which nothing is listening.
func cmdFreePort(ts *testscript.TestScript, neg bool, args []string) {
	usageOf(ts, !neg && len(args) == 1, "freeport NAME")
	l, err := net.Listen("tcp", "127.0.0.1:0")
	ts.Check(err)
	_, port, err := net.SplitHostPort(l.Addr().String())
	ts.Check(err)
	ts.Check(l.Close())
	ts.Setenv(args[0], port)
}

// sweeping DIR RUN: waits until the sweep in DIR has a server and the benchmark of
// RUN under way, and remembers their processes and watchers for gone.
func cmdSweeping(ts *testscript.TestScript, neg bool, args []string) {
	usageOf(ts, !neg && len(args) == 2, "sweeping DIR RUN")
	dir := ts.MkAbs(args[0])
	var pids []string
	for _, pattern := range []string{filepath.Join(dir, "logs", "*.pid.json"), filepath.Join(dir, args[1]+".pid.json")} {
		for end := time.Now().Add(patience); ; time.Sleep(2 * time.Millisecond) {
			if noted := notedPIDs(pattern); noted != nil {
				pids = append(pids, noted...)
				break
			}
			if time.Now().After(end) {
				ts.Fatalf("%s never came", pattern)
			}
		}
	}
	for _, pid := range pids {
		if !running(ts, pid) {
			ts.Fatalf("process %s is not there: nothing could be seen by its end", pid)
		}
	}
	ts.Setenv("PIDS", strings.Join(pids, " "))
}

// notedPIDs are the processes that a file notes; nil while there is none, or only a part.
func notedPIDs(pattern string) []string {
	files, err := filepath.Glob(pattern)
	if err != nil || len(files) != 1 {
		return nil
	}
	b, err := os.ReadFile(files[0])
	var noted struct{ Group, PID int }
	if err != nil || json.Unmarshal(b, &noted) != nil {
		return nil
	}
	return []string{strconv.Itoa(noted.Group), strconv.Itoa(noted.PID)}
}

// layout DIR: prints all files under DIR, by their names.
func cmdLayout(ts *testscript.TestScript, neg bool, args []string) {
	usageOf(ts, !neg && len(args) == 1, "layout DIR")
	root := ts.MkAbs(args[0])
	ts.Check(filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		path, err = filepath.Rel(root, path)
		fmt.Fprintln(ts.Stdout(), filepath.ToSlash(path))
		return err
	}))
}

// keys FILE: prints the keys of each object of a JSON array, one line each.
func cmdKeys(ts *testscript.TestScript, neg bool, args []string) {
	usageOf(ts, !neg && len(args) == 1, "keys FILE")
	var list []json.RawMessage
	ts.Check(json.Unmarshal([]byte(ts.ReadFile(args[0])), &list))
	for _, object := range list {
		fmt.Fprintln(ts.Stdout(), strings.Join(spec.ObjectKeys(object), " "))
	}
}
