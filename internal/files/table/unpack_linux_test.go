package table

import (
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// zeros are a file that becomes so many bytes.
func zeros(t *testing.T, path string, size int64) {
	t.Helper()
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	z, _ := gzip.NewWriterLevel(f, gzip.BestSpeed)
	if _, err := io.CopyN(z, zero{}, size); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
}

type zero struct{}

func (zero) Read(b []byte) (int, error) { clear(b); return len(b), nil }

// smallDisk is set in the process that has a small temporary folder.
const smallDisk = "INFEROMETER_TEST_SMALL_DISK"

// TestRealUnpackingLeavesRoom: a packed file that becomes larger than the disk of the temporary folder leaves a
// part of it free, says what to do, and leaves nothing behind.
func TestRealUnpackingLeavesRoom(t *testing.T) {
	const disk = 128 << 20
	if path := os.Getenv(smallDisk); path != "" {
		if err := unix.Mount("small", os.TempDir(), "tmpfs", 0, fmt.Sprintf("size=%d", disk)); err != nil {
			t.Skipf("mount: %v", err)
		}
		lowest := watchRoom(t)
		_, err := Open(path)
		if err == nil || !strings.Contains(err.Error(), "TMPDIR=") || !strings.Contains(err.Error(), "by hand") {
			t.Errorf("it says %v", err)
		}
		least, last := lowest()
		if least < disk/10 {
			t.Errorf("%d MB were left free", least>>20)
		}
		if last < disk-1<<20 {
			t.Errorf("something is left behind: %d MB are free", last>>20)
		}
		return
	}
	folder := t.TempDir()
	path := filepath.Join(folder, "zeros.jsonl.gz")
	zeros(t, path, 2*disk)
	if err := os.Mkdir(filepath.Join(folder, "tmp"), 0o755); err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	child := exec.CommandContext(t.Context(), self, "-test.run=^TestRealUnpackingLeavesRoom$", "-test.v")
	child.Env = append(os.Environ(), smallDisk+"="+path, "TMPDIR="+filepath.Join(folder, "tmp"))
	child.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  unix.CLONE_NEWUSER | unix.CLONE_NEWNS,
		UidMappings: []syscall.SysProcIDMap{{HostID: os.Getuid(), Size: 1}}, GidMappings: []syscall.SysProcIDMap{{HostID: os.Getgid(), Size: 1}},
	}
	out, err := child.CombinedOutput()
	switch {
	case len(out) == 0 && err != nil:
		t.Skipf("needs user namespaces: %v", err)
	case strings.Contains(string(out), "--- SKIP"):
		t.Skipf("%s", out)
	case err != nil:
		t.Errorf("%v\n%s", err, out)
	}
}

// watchRoom looks how much of the temporary folder is free, at the end and at the worst moment: there the
// writer itself looks, too, so that the next look is never later than its next piece.
func watchRoom(t *testing.T) func() (least, last uint64) {
	t.Helper()
	free := func() uint64 {
		var s unix.Statfs_t
		if err := unix.Statfs(os.TempDir(), &s); err != nil {
			t.Error(err)
		}
		return s.Bavail * uint64(s.Bsize)
	}
	least, stop, done := free(), make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		for {
			select {
			case <-stop:
				return
			default:
				least = min(least, free())
			}
		}
	}()
	return func() (uint64, uint64) {
		close(stop)
		<-done
		return least, free()
	}
}

// TestUnpackedIsBounded: there is a limit beside that of the disk.
func TestUnpackedIsBounded(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.gz")
	zeros(t, path, 4<<20)
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	_, err = copied(f, io.LimitReader(zero{}, 4<<20), 3<<20)
	if err == nil || !strings.Contains(err.Error(), "more than 3 MiB") || !strings.Contains(err.Error(), "by hand") {
		t.Errorf("it says %v", err)
	}
	if maxUnpacked > 8<<30 {
		t.Errorf("%d GiB may be unpacked", int64(maxUnpacked)>>30)
	}
}
