//go:build linux && (amd64 || arm64)

package sandbox

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Of a sandbox's files and processes.
const (
	rootSize     = "size=1m,nr_inodes=4096,mode=755"
	scratchSize  = "size=16m,nr_inodes=256,mode=1777"
	mostFile     = 16 << 20
	mostOpen     = 64
	mostThreads  = 32
	mostStack    = 8 << 20
	mostPending  = 64 // signals
	oldRoot      = "/old"
	capabilities = 64 // more than there are
)

// mount is a file or a folder of the machine that the program sees, or a symbolic link.
type mount struct {
	Source string `json:"source,omitempty"` // without symbolic links
	Target string `json:"target"`
	Link   string `json:"link,omitempty"`   // what a symbolic link says; it has no source
	Device bool   `json:"device,omitempty"` // it is one of /dev
}

// second makes the new root, gives up all rights and becomes the program. What it gives
// up belongs to its thread, which is the only one that stays.
func second(o *order) error {
	runtime.LockOSThread()
	unix.CloseOnExec(secondSaid)
	for _, step := range []struct {
		name string
		do   func(*order) error
	}{
		{"make a root of its own", newRoot},
		{"give up rights", dropRights},
		{"set limits", setLimits},
	} {
		if err := step.do(o); err != nil {
			return missing("it can't %s: %v", step.name, err)
		}
	}
	err := become(o)
	return missing("it can't start %s: %v", o.Arguments[0], err)
}

// newRoot leaves of the machine's files what Python needs, and none of it can be written.
func newRoot(o *order) error {
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return fmt.Errorf("private mounts: %w (on Ubuntu 24.04 and later sysctl kernel.apparmor_restrict_unprivileged_userns=0 or root is needed)", err)
	}
	const here = "/usr" // any folder: what lies below is seen again when the root has changed
	if err := unix.Mount("inferometer-root", here, "tmpfs", unix.MS_NOSUID|unix.MS_NODEV, rootSize); err != nil {
		return fmt.Errorf("a tmpfs: %w", err)
	}
	if err := os.Mkdir(here+oldRoot, 0o700); err != nil {
		return err
	}
	if err := unix.PivotRoot(here, here+oldRoot); err != nil {
		return fmt.Errorf("pivot_root: %w", err)
	}
	if err := os.Chdir("/"); err != nil {
		return err
	}
	for i := range o.Mounts {
		if err := o.Mounts[i].mount(); err != nil {
			return fmt.Errorf("%s: %w", o.Mounts[i].Target, err)
		}
	}
	if err := os.MkdirAll("/tmp", 0o755); err != nil {
		return err
	}
	if err := unix.Mount("inferometer-scratch", "/tmp", "tmpfs", unix.MS_NOSUID|unix.MS_NODEV|unix.MS_NOEXEC, scratchSize); err != nil {
		return fmt.Errorf("a tmpfs: %w", err)
	}
	if err := unix.Unmount(oldRoot, unix.MNT_DETACH); err != nil {
		return fmt.Errorf("leave the old root: %w", err)
	}
	if err := os.Remove(oldRoot); err != nil {
		return err
	}
	if err := attributes("/", 0, unix.MOUNT_ATTR_RDONLY|unix.MOUNT_ATTR_NOSUID|unix.MOUNT_ATTR_NODEV); err != nil {
		return err
	}
	_ = unix.Sethostname([]byte("sandbox")) // nothing depends on it
	return os.Chdir("/tmp")
}

func (m *mount) mount() error {
	if err := os.MkdirAll(filepath.Dir(m.Target), 0o755); err != nil {
		return err
	}
	if m.Link != "" {
		return os.Symlink(m.Link, m.Target)
	}
	source := oldRoot + m.Source
	info, err := os.Lstat(source)
	switch {
	case err != nil:
		return err
	case info.IsDir():
		err = os.MkdirAll(m.Target, 0o755)
	default:
		err = os.WriteFile(m.Target, nil, 0o644)
	}
	if err != nil {
		return err
	}
	if err := unix.Mount(source, m.Target, "", unix.MS_BIND|unix.MS_REC, ""); err != nil {
		return err
	}
	set := uint64(unix.MOUNT_ATTR_RDONLY | unix.MOUNT_ATTR_NOSUID)
	if m.Device {
		return attributes(m.Target, 0, set|unix.MOUNT_ATTR_NOEXEC)
	}
	return attributes(m.Target, unix.AT_RECURSIVE, set|unix.MOUNT_ATTR_NODEV)
}

func attributes(target string, flags uint, set uint64) error {
	err := unix.MountSetattr(-1, target, flags, &unix.MountAttr{Attr_set: set})
	if errors.Is(err, unix.ENOSYS) {
		return errors.New("the kernel has no mount_setattr: Linux 5.12 or newer is needed")
	}
	return err
}

// dropRights leaves this thread no capability, in no set, and no way to any.
func dropRights(o *order) error {
	const bits = 1<<0 | 1<<1 | 1<<6 | 1<<7 // NOROOT and NO_CAP_AMBIENT_RAISE, both locked
	if err := unix.Prctl(unix.PR_SET_SECUREBITS, bits, 0, 0, 0); err != nil {
		return fmt.Errorf("securebits: %w", err)
	}
	for c := range uintptr(capabilities) {
		if err := unix.Prctl(unix.PR_CAPBSET_DROP, c, 0, 0, 0); errors.Is(err, unix.EINVAL) {
			break // the kernel has no more
		} else if err != nil {
			return fmt.Errorf("capability %d: %w", c, err)
		}
	}
	if o.Nobody {
		// By hand, for this thread alone: Go's would ask all of them.
		if _, _, e := unix.RawSyscall(unix.SYS_SETGROUPS, 0, 0, 0); e != 0 {
			return fmt.Errorf("setgroups: %w", e)
		}
		if _, _, e := unix.RawSyscall(unix.SYS_SETRESGID, nobody, nobody, nobody); e != 0 {
			return fmt.Errorf("setgid: %w", e)
		}
		if _, _, e := unix.RawSyscall(unix.SYS_SETRESUID, nobody, nobody, nobody); e != 0 {
			return fmt.Errorf("setuid: %w", e)
		}
	}
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var none [2]unix.CapUserData
	if err := unix.Capset(&header, &none[0]); err != nil {
		return fmt.Errorf("capset: %w", err)
	}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("no_new_privs: %w", err)
	}
	return nil
}

func setLimits(o *order) error {
	for _, l := range []struct {
		what int
		most uint64
	}{
		{unix.RLIMIT_CORE, 0},
		{unix.RLIMIT_FSIZE, mostFile},
		{unix.RLIMIT_NOFILE, mostOpen},
		{unix.RLIMIT_NPROC, mostThreads},
		{unix.RLIMIT_STACK, mostStack},
		{unix.RLIMIT_MEMLOCK, 0},
		{unix.RLIMIT_MSGQUEUE, 0},
		{unix.RLIMIT_SIGPENDING, mostPending},
		{unix.RLIMIT_CPU, uint64(o.Seconds)},
	} {
		if err := unix.Setrlimit(l.what, &unix.Rlimit{Cur: l.most, Max: l.most}); err != nil {
			return fmt.Errorf("limit %d: %w", l.what, err)
		}
	}
	// Of a huge page all stays in memory while a part is mapped, and a limit of address
	// space counts the part. The filter keeps this from being taken back.
	if err := unix.Prctl(unix.PR_SET_THP_DISABLE, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("no huge pages: %w", err)
	}
	return nil
}

// become starts Python in the place of this process. The limit of memory and the filter
// come last: Go would not run well under them.
func become(o *order) error {
	path, err := unix.BytePtrFromString(o.Arguments[0])
	if err != nil {
		return err
	}
	arguments, err := syscall.SlicePtrFromStrings(o.Arguments)
	if err != nil {
		return err
	}
	variables, err := syscall.SlicePtrFromStrings(environment)
	if err != nil {
		return err
	}
	filter := systemCalls()
	program := unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]}
	// Whatever else somebody left open in us ends here.
	if _, _, e := unix.RawSyscall(unix.SYS_CLOSE_RANGE, secondSaid, ^uintptr(0)>>33, unix.CLOSE_RANGE_CLOEXEC); e != 0 {
		return fmt.Errorf("close_range: %w (Linux 5.12 or newer is needed)", e)
	}
	memory := unix.Rlimit{Cur: uint64(o.Memory), Max: uint64(o.Memory)}
	if _, _, e := unix.RawSyscall6(unix.SYS_PRLIMIT64, 0, unix.RLIMIT_AS, uintptr(unsafe.Pointer(&memory)), 0, 0, 0); e != 0 {
		return fmt.Errorf("limit of memory: %w", e)
	}
	if !o.Unfiltered {
		if _, _, e := unix.RawSyscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, 0, uintptr(unsafe.Pointer(&program))); e != 0 {
			return fmt.Errorf("seccomp: %w (the kernel needs CONFIG_SECCOMP_FILTER)", e)
		}
	}
	_, _, e := unix.RawSyscall(unix.SYS_EXECVE, uintptr(unsafe.Pointer(path)), uintptr(unsafe.Pointer(&arguments[0])), uintptr(unsafe.Pointer(&variables[0])))
	runtime.KeepAlive(filter)
	return e
}
