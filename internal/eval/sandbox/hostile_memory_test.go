//go:build linux && (amd64 || arm64)

package sandbox

// hostileMemory are programs that want memory which a limit of address space does not count. Each
// stops at four times the limit of TestRealHostile, or where the kernel would have let it go on.
var hostileMemory = []hostileProgram{
	{name: "shared mappings that shrink", how: Failed, detail: "held", filtered: true, program: `
import mmap
keep = []
try:
    for _ in range(16):
        m = mmap.mmap(-1, 64 << 20)
        for at in range(0, len(m), 4096):
            m[at] = 1
        m.resize(4096)  # what it has touched stays in memory
        keep.append(m)
except OSError:
    raise RuntimeError("held")
assert False, "it has 1 GiB"`},
	{name: "every way to shared memory", how: Failed, detail: "held", filtered: true, program: clibrary + `
import mmap, os
zero = os.open("/dev/zero", os.O_RDWR)
with open("/tmp/file", "wb") as f: f.truncate(4096)
file = os.open("/tmp/file", os.O_RDWR)
for fd in [-1, zero, file]:
    for kind in [1, 3]:  # MAP_SHARED, MAP_SHARED_VALIDATE
        for more in [0, 0x4000, 0x40000]:  # MAP_NORESERVE, MAP_HUGETLB
            flags = kind | more | (mmap.MAP_ANONYMOUS if fd < 0 else 0)
            ctypes.set_errno(0)
            got = call("mmap", 9, 222, None, ctypes.c_size_t(4096), 3, flags, fd, 0)
            assert got == -1 and ctypes.get_errno() == 1, (fd, kind, more, got, ctypes.get_errno())
assert call("memfd_create", 319, 279, b"x", 0) == -1
assert call("memfd_secret", 447, 447, 0) == -1
assert call("shmget", 29, 194, 0, 4096, 0o1600) == -1
for folder in ["/dev/shm", "/run", "/var/tmp"]:
    assert not os.path.exists(folder), folder
raise RuntimeError("held")`},
	{name: "a page of each huge page", how: Failed, detail: "held", filtered: true, program: clibrary + `
# One small page of each of 512 huge ones stays mapped: 2 MiB of address space hold 1 GiB.
assert libc.prctl(42, 0, 0, 0, 0) == 1, "there are huge pages"  # PR_GET_THP_DISABLE
assert libc.prctl(41, 0, 0, 0, 0) == -1 and ctypes.get_errno() == 1, "there can be huge pages again"
assert libc.prctl(42, 0, 0, 0, 0) == 1
raise RuntimeError("held")`},
	{name: "pages that pipes keep", how: Failed, detail: "held", filtered: true, program: clibrary + `
import os
class Part(ctypes.Structure):
    _fields_ = [("base", ctypes.c_void_p), ("length", ctypes.c_size_t)]
page = ctypes.create_string_buffer(8192)
part = Part(ctypes.addressof(page), 4096)
r, w = os.pipe()
r2, w2 = os.pipe()
os.write(w, b"x" * 4096)
assert call("vmsplice", 278, 75, w, ctypes.byref(part), ctypes.c_size_t(1), 0) == -1, "it can give pages to a pipe"
assert call("splice", 275, 76, r, None, w2, None, ctypes.c_size_t(4096), 0) == -1
assert call("tee", 276, 77, r, w2, ctypes.c_size_t(4096), 0) == -1
raise RuntimeError("held")`},
	{name: "large pipes", how: Failed, detail: "held", filtered: true, program: `
import fcntl, os
r, w = os.pipe()
try:
    fcntl.fcntl(w, 1031, 1 << 20)  # F_SETPIPE_SZ
except OSError:
    raise RuntimeError("held")
assert False`},
	{name: "large buffers of sockets", how: Failed, detail: "held", filtered: true, program: `
import socket
a, b = socket.socketpair()
for what in [socket.SO_SNDBUF, socket.SO_RCVBUF]:
    try:
        a.setsockopt(socket.SOL_SOCKET, what, 1 << 24)
    except OSError:
        continue
    assert False, what
raise RuntimeError("held")`},
	{name: "descriptors in messages", how: Failed, detail: "held", filtered: true, program: `
import array, os, socket
a, b = socket.socketpair()
a.send(b"x")  # a pair may be used, as asyncio does
assert b.recv(1) == b"x"
try:
    a.sendmsg([b"x"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [b.fileno()]))])
except OSError:
    raise RuntimeError("held")
assert False`},
	{name: "events that nobody reads", how: Failed, detail: "held", filtered: true, program: clibrary + `
import os
assert call("inotify_init1", 294, 26, 0) == -1, "it can watch files"
assert os.uname().machine != "x86_64" or libc.syscall(253) == -1
raise RuntimeError("held")`},
	{name: "tables of pages far apart", how: Memory, program: clibrary + `
import time
libc.mmap.restype = ctypes.c_void_p
libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]
for i in range(40000):  # 160 MB of pages, and twice as much of tables
    at = libc.mmap((1 << 40) + i * (1 << 30), 4096, 3, 0x100022, -1, 0)  # private, at this place
    assert at != 2 ** 64 - 1, "it is held by something else"
    ctypes.c_char.from_address(at).value = b"x"
while True:
    time.sleep(1)`},
}
