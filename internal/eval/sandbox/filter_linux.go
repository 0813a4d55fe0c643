//go:build linux && (amd64 || arm64)

package sandbox

import "golang.org/x/sys/unix"

// denied are system calls that no program of a task needs, and that reach far into the
// kernel, to other processes, or past the limit of memory. The calls of one architecture
// are in deniedHere.
var denied = []uint32{
	// The network, all of it. A pair of sockets is no network, and stays.
	unix.SYS_SOCKET,
	// Other processes.
	unix.SYS_PTRACE, unix.SYS_PROCESS_VM_READV, unix.SYS_PROCESS_VM_WRITEV, unix.SYS_KCMP,
	// Mounts and namespaces.
	unix.SYS_MOUNT, unix.SYS_UMOUNT2, unix.SYS_PIVOT_ROOT, unix.SYS_CHROOT, unix.SYS_UNSHARE, unix.SYS_SETNS,
	unix.SYS_NAME_TO_HANDLE_AT, unix.SYS_OPEN_BY_HANDLE_AT, unix.SYS_FANOTIFY_INIT, unix.SYS_QUOTACTL, unix.SYS_ACCT,
	unix.SYS_SWAPON, unix.SYS_SWAPOFF,
	// The kernel's large doors.
	unix.SYS_KEYCTL, unix.SYS_ADD_KEY, unix.SYS_REQUEST_KEY, unix.SYS_BPF, unix.SYS_PERF_EVENT_OPEN, unix.SYS_USERFAULTFD,
	unix.SYS_IO_SETUP, unix.SYS_IO_SUBMIT, unix.SYS_INIT_MODULE, unix.SYS_FINIT_MODULE, unix.SYS_DELETE_MODULE,
	unix.SYS_KEXEC_LOAD, unix.SYS_REBOOT, unix.SYS_SYSLOG, unix.SYS_PERSONALITY, unix.SYS_VHANGUP, unix.SYS_SECCOMP,
	unix.SYS_SETTIMEOFDAY, unix.SYS_CLOCK_SETTIME, unix.SYS_ADJTIMEX, unix.SYS_CLOCK_ADJTIME,
	unix.SYS_SETHOSTNAME, unix.SYS_SETDOMAINNAME,
	unix.SYS_MBIND, unix.SYS_SET_MEMPOLICY, unix.SYS_MIGRATE_PAGES, unix.SYS_MOVE_PAGES,
	// Memory that the limit of address space does not see: objects of their own, pages that a
	// pipe keeps, descriptors that a message keeps, large buffers of sockets, events that
	// nobody reads.
	unix.SYS_MEMFD_CREATE, unix.SYS_SHMGET, unix.SYS_SHMAT, unix.SYS_SHMCTL, unix.SYS_MSGGET, unix.SYS_SEMGET, unix.SYS_MQ_OPEN,
	unix.SYS_VMSPLICE, unix.SYS_SPLICE, unix.SYS_TEE, unix.SYS_SENDMSG, unix.SYS_SENDMMSG, unix.SYS_SETSOCKOPT, unix.SYS_INOTIFY_INIT1,
}

// condition is a call that depends on the lower half of one of its arguments.
type condition struct {
	call     uint32
	argument uint32
	test     uint16
	value    uint32
	allowed  bool // where the test holds, and only there; else only where it does not
}

var conditions = []condition{
	// A thread is no process: of these there is one.
	{unix.SYS_CLONE, 0, bpfHas, unix.CLONE_THREAD, true},
	// What is shared stays in memory where its mapping shrinks, and the limit counts the
	// mapping. MAP_SHARED_VALIDATE has this bit, too.
	{unix.SYS_MMAP, 3, bpfHas, unix.MAP_SHARED, false},
	// A huge page stays whole in memory where one small one of it is still mapped: setLimits
	// has turned them off.
	{unix.SYS_PRCTL, 0, bpfEqual, unix.PR_SET_THP_DISABLE, false},
	// Without root the first process has the program's user, and could be starved by limits of its own.
	{unix.SYS_PRLIMIT64, 0, bpfEqual, 0, true},
	{unix.SYS_FCNTL, 1, bpfEqual, unix.F_SETPIPE_SZ, false},
}

// From here on calls have the same number everywhere. They are unknown to a program, as
// on an older kernel, so that all have their older ones to fall back on: among them are
// clone3, io_uring's, the new mounts and those that are yet to come.
const newCalls = 424

// known are new calls that do nothing more than an old one.
var known = []uint32{unix.SYS_CLOSE_RANGE, unix.SYS_FACCESSAT2}

// Where the parts of seccomp_data lie.
const (
	atNumber = 0
	atArch   = 4
	atFirst  = 16 // the lower half of the first argument: both architectures are little-endian
	atNext   = 8
)

// Steps of the kernel's small language.
const (
	bpfLoad  = unix.BPF_LD | unix.BPF_W | unix.BPF_ABS
	bpfEqual = unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K
	bpfLeast = unix.BPF_JMP | unix.BPF_JGE | unix.BPF_K
	bpfHas   = unix.BPF_JMP | unix.BPF_JSET | unix.BPF_K
)

// systemCalls is the filter.
func systemCalls() []unix.SockFilter {
	const (
		allow   = unix.SECCOMP_RET_ALLOW
		kill    = unix.SECCOMP_RET_KILL_PROCESS
		refuse  = unix.SECCOMP_RET_ERRNO | uint32(unix.EPERM)
		unknown = unix.SECCOMP_RET_ERRNO | uint32(unix.ENOSYS)
	)
	do := func(code uint16, k uint32) unix.SockFilter { return unix.SockFilter{Code: code, K: k} }
	end := func(k uint32) unix.SockFilter { return do(unix.BPF_RET|unix.BPF_K, k) }
	// unless skips the next step where the test fails.
	unless := func(code uint16, k uint32) unix.SockFilter { return unix.SockFilter{Code: code, K: k, Jf: 1} }

	f := []unix.SockFilter{
		do(bpfLoad, atArch),
		{Code: bpfEqual, K: architecture, Jt: 1},
		end(kill),
		do(bpfLoad, atNumber),
	}
	for _, number := range append(append([]uint32{}, denied...), deniedHere...) {
		f = append(f, unless(bpfEqual, number), end(refuse))
	}
	for _, number := range known {
		f = append(f, unless(bpfEqual, number), end(allow))
	}
	for _, c := range conditions {
		holds, fails := refuse, uint32(allow)
		if c.allowed {
			holds, fails = fails, holds
		}
		f = append(
			f, unix.SockFilter{Code: bpfEqual, K: c.call, Jf: 4},
			do(bpfLoad, atFirst+c.argument*atNext), unless(c.test, c.value), end(holds), end(fails),
		)
	}
	// x32's calls are new ones, too: they have a high bit.
	return append(f, unless(bpfLeast, newCalls), end(unknown), end(allow))
}
