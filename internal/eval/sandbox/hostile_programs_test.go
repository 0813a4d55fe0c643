//go:build linux && (amd64 || arm64)

package sandbox

import "strings"

// hostileProgram and the words that it ends with. A program that a part of the sandbox stopped says so
// by "held", which is the test that the others are for: what is not held is an AssertionError.
type hostileProgram struct {
	name, program string
	how           string // empty: it passes, which here says that it could do no harm
	detail        string // a part of it
	bare          string // how it ends without the filter of system calls, where that differs
	filtered      bool   // nothing but the filter holds it: it is not run without
}

var hostile = []hostileProgram{
	{name: "connect", how: Failed, detail: "held", program: `
import socket
try:
    socket.create_connection(("127.0.0.1", PORT), timeout=5)
except OSError as e:
    raise RuntimeError("held")
assert False, "connected"`},
	{name: "connect by address of the network", how: Failed, detail: "held", program: `
import socket
try:
    s = socket.socket(); s.settimeout(5); s.connect(("192.0.2.1", 80))
except OSError:
    raise RuntimeError("held")
assert False`},
	{name: "send a datagram", how: Failed, detail: "held", program: `
import socket
try:
    socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"x", ("127.0.0.1", PORT))
except OSError:
    raise RuntimeError("held")
assert False`},
	{name: "listen", how: Failed, detail: "held", bare: Failed /* alone in its network */, program: `
import socket
try:
    s = socket.socket(); s.bind(("127.0.0.1", 0)); s.listen()
except OSError:
    raise RuntimeError("held")
assert False`},
	{name: "abstract unix socket", how: Failed, detail: "held", program: `
import socket
try:
    socket.socket(socket.AF_UNIX).connect("\0inferometer-test-PORT".replace("PORT", str(PORT)))
except OSError:
    raise RuntimeError("held")
assert False`},
	{name: "names", how: Failed, detail: "held", program: `
import socket
try:
    socket.getaddrinfo("example.com", 80)
except OSError:
    raise RuntimeError("held")
assert False`},
	{name: "fork bomb", how: Failed, detail: "Error", bare: Failed, program: `
import os
while True:
    os.fork()`},
	{name: "fork bomb that goes on", how: Timeout, program: `
import os
while True:
    try:
        os.fork()
    except OSError:
        pass`},
	{name: "threads without end", how: Failed, detail: "can't start new thread", program: `
import threading, time
while True:
    threading.Thread(target=time.sleep, args=(100,), daemon=True).start()`},
	{name: "memory", how: Memory, program: `
x = []
while True:
    x.append(bytearray(1 << 20))`},
	{name: "memory at once", how: Memory, program: `x = bytearray(1 << 40)`},
	{name: "memory by mappings", how: Failed, detail: "memory", program: `
import mmap
x = []
while True:
    x.append(mmap.mmap(-1, 64 << 20, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS))`},
	{name: "memory by strings", how: Memory, program: `
x = "x"
while True:
    x += x`},
	{name: "endless loop", how: Timeout, program: `
while True: pass`},
	{name: "sleep", how: Timeout, program: `
import time
time.sleep(1000)`},
	{name: "ignores signals", how: Timeout, program: `
import signal, time
for n in range(1, 65):
    try: signal.signal(n, signal.SIG_IGN)
    except (OSError, ValueError): pass
while True: time.sleep(1000)`},
	{name: "blocks in C", how: Timeout, program: `
x = 10 ** (10 ** 9)`},
	{name: "writes to the root", how: Failed, detail: "held", program: `
import os, sys
for folder in ["/", "/usr", "/usr/lib", "/etc", "/lib", "/dev", "/root", "/home", "/var", os.path.dirname(os.__file__), os.path.dirname(sys.executable), os.path.expanduser("~root"), HOME]:
    try:
        open(os.path.join(folder, "inferometer-was-here"), "w")
    except OSError:
        continue
    assert False, folder
raise RuntimeError("held")`},
	{name: "makes folders", how: Failed, detail: "held", program: `
import os
for path in ["/x", "/usr/x", "/root/x", "/home/x", "/dev/x", "/proc/x"]:
    try:
        os.makedirs(path)
    except OSError:
        continue
    assert False, path
raise RuntimeError("held")`},
	{name: "changes modes", how: Failed, detail: "held", program: `
import os, sys
for path in ["/", "/usr/lib", sys.executable]:
    for action in [lambda: os.chmod(path, 0o777), lambda: os.utime(path), lambda: os.rename(path, "/tmp/y"), lambda: os.chown(path, 1, 1)]:
        try:
            action()
        except OSError:
            continue
        assert False, path
raise RuntimeError("held")`},
	{name: "reads what is not its own", how: Failed, detail: "held", program: `
import os
for path in ["/etc/shadow", "/etc/passwd", "/etc/hostname", "/root/.bashrc", "/root/.ssh", "/proc/1/environ", "/proc/self/mem", "/proc/cpuinfo", "/sys/class/net", "/var/log", "/run", "/boot", HOME, SECRET, "/old", "/mnt", "/opt", "/srv"]:
    try:
        os.listdir(path) if os.path.isdir(path) else open(path).read()
    except OSError:
        continue
    assert False, path
raise RuntimeError("held")`},
	{name: "environment", how: Failed, detail: "held", program: `
import os
assert set(os.environ) <= {"PATH", "HOME", "LANG", "LC_CTYPE", "PYTHONUTF8", "PYTHONHASHSEED", "OPENBLAS_NUM_THREADS"}, os.environ
raise RuntimeError("held")`},
	{name: "inherited descriptors", how: Failed, detail: "held", program: `
import os, stat
for fd in range(4, 1024):
    try:
        os.fstat(fd)
    except OSError:
        continue
    assert False, fd
for fd in range(4):
    assert not stat.S_ISREG(os.fstat(fd).st_mode) and not stat.S_ISDIR(os.fstat(fd).st_mode), fd
raise RuntimeError("held")`},
	{name: "fills the disk", how: Failed, detail: "held", program: `
n = 0
try:
    for i in range(1000):
        with open("/tmp/%d" % i, "wb") as f:
            for _ in range(1024):
                n += f.write(b"x" * (10 << 20))
except OSError:
    pass
assert n <= 32 << 20, n
raise RuntimeError("held")`},
	{name: "many files", how: Failed, detail: "held", program: `
n = 0
try:
    for n in range(100000):
        open("/tmp/%d" % n, "w").close()
except OSError:
    pass
assert n <= 256, n
raise RuntimeError("held")`},
	{name: "prints a gigabyte", how: "", program: `
import sys
line = "x" * (1 << 20)
for _ in range(1 << 10):
    sys.stdout.write(line)`},
	{name: "kills all", how: Killed, detail: "SIGKILL", program: `
import os
try: os.kill(-1, 9)
except OSError: pass
try: os.kill(1, 9)
except OSError: pass
try: os.kill(1, 15)
except OSError: pass
os.kill(os.getpid(), 9)`},
	{name: "kills us", how: Failed, detail: "held", program: `
import os
for n in [1, 2, 3, 9, 15]:
    try:
        os.kill(OURS, n)
    except OSError:
        continue
    assert False
raise RuntimeError("held")`},
	{name: "daemon", how: Failed, detail: "Operation not permitted", bare: Timeout, program: `
import os, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        while True: time.sleep(1000)
    os._exit(0)
while True: time.sleep(1000)`},
	{name: "daemon that is left behind", how: Failed, bare: Failed, program: `
import os, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        os.close(1); os.close(2); os.close(3)
        while True: time.sleep(1000)
    os._exit(0)
raise RuntimeError("it is alone now")`},
	{name: "symbolic links", how: Failed, detail: "held", program: `
import os
os.symlink("/../../../etc/shadow", "/tmp/a")
os.symlink("../" * 40 + "root", "/tmp/b")
os.symlink("/proc/1/root", "/tmp/c")
for path in ["/tmp/a", "/tmp/b/.bashrc", "/tmp/c/etc/shadow", "/tmp/b", "/../" * 40 + "etc/shadow"]:
    try:
        open(path)
    except IsADirectoryError:
        # the path of Python itself may lead through it: nothing else is in there
        assert os.listdir(path) in ([], [".pyenv"]), os.listdir(path)
    except OSError:
        continue
    else:
        assert False, path
try:
    os.link("/usr/lib/os-release", "/tmp/d")
except OSError:
    raise RuntimeError("held")
assert False`},
	{name: "devices", how: Failed, detail: "held", program: `
import os, stat
assert sorted(os.listdir("/dev")) == ["null", "urandom", "zero"], os.listdir("/dev")
for mode in [stat.S_IFBLK, stat.S_IFCHR]:
    try:
        os.mknod("/tmp/disk", mode | 0o666, os.makedev(8, 0))
    except OSError:
        continue
    assert False
raise RuntimeError("held")`},
	{name: "trace", how: Failed, detail: "held", program: clibrary + `
for pid in [1, 2]:
    assert call("ptrace", 101, 117, 16, pid, 0, 0) == -1, pid
raise RuntimeError("held")`},
	{name: "chroot and mounts", how: Failed, detail: "held", program: clibrary + `
import os
os.mkdir("/tmp/j")
try:
    os.chroot("/tmp/j")
except OSError:
    pass
else:
    assert False
assert libc.mount(b"x", b"/tmp/j", b"tmpfs", 0, None) == -1
assert libc.mount(None, b"/", None, 4096 | 32, None) == -1  # remount
assert libc.umount2(b"/tmp", 2) == -1
raise RuntimeError("held")`},
	{name: "programs with the bit of root", how: Failed, detail: "held", program: `
import os
for path in ["/usr/bin/su", "/usr/bin/sudo", "/bin/mount", "/bin/sh"]:
    try:
        os.execv(path, [path])
    except OSError:
        continue
try:
    open("/tmp/x", "w").write("#!x"); os.chmod("/tmp/x", 0o6777); os.execv("/tmp/x", ["x"])
except OSError:
    pass
try:
    os.setuid(0)
except OSError:
    raise RuntimeError("held")
assert os.getuid() == 0 and NOT_ROOT  # its own number, without its rights
raise RuntimeError("held")`},
	{name: "rights", how: Failed, detail: "held", program: clibrary + `
import ctypes
class Header(ctypes.Structure):
    _fields_ = [("version", ctypes.c_uint32), ("pid", ctypes.c_int)]
data = (ctypes.c_uint32 * 6)(*[0xffffffff] * 6)
assert libc.capget(ctypes.byref(Header(0x20080522, 0)), data) == 0
assert list(data) == [0] * 6, list(data)
assert libc.prctl(39, 0, 0, 0, 0) == 1  # no_new_privs
import resource
for what in [resource.RLIMIT_AS, resource.RLIMIT_NPROC, resource.RLIMIT_CPU, resource.RLIMIT_FSIZE]:
    soft, hard = resource.getrlimit(what)
    try:
        resource.setrlimit(what, (hard + 1, hard + 1))
    except ValueError:
        continue
    assert False, what
raise RuntimeError("held")`},
	{name: "limits of the first process", how: Failed, detail: "held", filtered: true, program: `
import resource
for what in [resource.RLIMIT_CPU, resource.RLIMIT_DATA, resource.RLIMIT_NOFILE, resource.RLIMIT_AS]:
    try:
        resource.prlimit(1, what, (0, 0))
    except (OSError, ValueError):
        continue
    assert False, what
resource.setrlimit(resource.RLIMIT_NOFILE, (32, 32))  # its own can be lowered
raise RuntimeError("held")`},
	{name: "leaves at once", how: Failed, detail: "left", program: `exit(0)`},
	{name: "leaves in an import", how: Failed, detail: "left", program: `
import sys
open("/tmp/lib.py", "w").write("import sys; sys.exit(0)")
sys.path.insert(0, "/tmp")
import lib`},
	{name: "leaves without a word", how: Failed, detail: "ended before", program: `import os; os._exit(0)`},
	{name: "leaves by a signal", how: Killed, detail: "SIGTERM", program: `import os, signal; os.kill(os.getpid(), signal.SIGTERM)`},
	{name: "crashes", how: Killed, detail: "SIGSEGV", program: `import ctypes; ctypes.string_at(0)`},
	{name: "becomes another program", how: Failed, detail: "ended before", program: `import os, sys; os.execv(sys.executable, [sys.executable, "-c", "pass"])`},
	{name: "writes to the proof", how: Failed, detail: "ended before", program: `import os; os.write(3, b"passed"); os.write(3, b"x" * 64); os._exit(0)`},
	{name: "leaves in another thread", how: Failed, detail: "ended before", program: `
import os, threading, time
threading.Thread(target=lambda: os._exit(0)).start()
time.sleep(1000)`},
	{name: "patches what asserts need", how: Failed, detail: "assert 1 == 2", program: `
import builtins, sys, os
builtins.AssertionError = KeyboardInterrupt
builtins.BaseException = ValueError
sys.exit = os._exit = os.write = lambda *a: None
sys.excepthook = lambda *a: None
assert 1 == 2`},
	{name: "no Python", how: Syntax, detail: "line 1", program: `def f(:`},
	{name: "null bytes", how: Syntax, program: "x = 1\x00"},
	{name: "deep nesting", how: Syntax, program: "x = " + strings.Repeat("(", 5000) + strings.Repeat(")", 5000)},
	{name: "recursion", how: Failed, detail: "RecursionError", program: "def f(): f()\nf()"},
	{name: "escape sequences", how: Failed, detail: "ValueError", program: `raise ValueError("\x1b]0;title\x07\x1b[31mred")`},
	{name: "main is not run", how: "", program: `
if __name__ == "__main__":
    raise ValueError("it is")`},
}

// clibrary gives a program the C library.
const clibrary = `
import ctypes
libc = ctypes.CDLL(None, use_errno=True)
def call(name, amd64, arm64, *args):
    import os
    return libc.syscall(amd64 if os.uname().machine == "x86_64" else arm64, *args)
`
