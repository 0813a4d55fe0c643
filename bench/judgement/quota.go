package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// quota is a control group that may use a share of one processor.
type quota struct{ folder string }

// newQuota makes one, where this system lets us: version 1 of control groups, or version 2 with the controller for
// processors.
func newQuota(share float64) (*quota, error) {
	const period = 100_000 // µs, as Kubernetes and Docker have it
	name, most := fmt.Sprintf("judgement-%d-%d", os.Getpid(), time.Now().UnixNano()), int(share*period)
	for _, v := range []struct{ root, file, text string }{
		{"/sys/fs/cgroup/cpu", "cpu.cfs_quota_us", fmt.Sprint(most)},
		{"/sys/fs/cgroup", "cpu.max", fmt.Sprintf("%d %d", most, period)},
	} {
		q := &quota{filepath.Join(v.root, name)}
		if os.Mkdir(q.folder, 0o755) != nil {
			continue
		}
		if os.WriteFile(filepath.Join(q.folder, v.file), []byte(v.text), 0o644) == nil {
			return q, nil
		}
		_ = os.Remove(q.folder)
	}
	return nil, errors.New("no control group of our own can have a quota here")
}

// within is a command that runs another one in the group.
func (q *quota) within() []string {
	return []string{"sh", "-c", `echo $$ > "$0" && exec "$@"`, filepath.Join(q.folder, "cgroup.procs")}
}

// remove ends the group. Its processes have ended or end soon.
func (q *quota) remove() error {
	var err error
	for range 50 {
		if err = os.Remove(q.folder); err == nil || os.IsNotExist(err) {
			return nil
		}
		time.Sleep(20 * time.Millisecond)
	}
	procs, _ := os.ReadFile(filepath.Join(q.folder, "cgroup.procs"))
	return fmt.Errorf("remove the control group: %w (processes in it: %s)", err, strings.Join(strings.Fields(string(procs)), " "))
}
