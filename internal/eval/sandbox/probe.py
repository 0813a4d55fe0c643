import mmap, os, socket


def held(what, action, allowed=(OSError,)):
    try:
        action()
    except allowed:
        return
    raise SystemError("the sandbox does not hold: " + what)


def connect():
    socket.create_connection(("127.0.0.1", PORT), timeout=2).close()


def write(path):
    with open(path, "w") as f:
        f.write("x")


def grow():
    return bytearray(MEMORY)


held("it can connect to the machine", connect)
held("it can write to /", lambda: write("/inferometer-was-here"))
held("it can write to Python's modules", lambda: write(os.path.join(os.path.dirname(os.__file__), "inferometer-was-here")))
held("it can read the machine's files", lambda: open(SECRET))
held("it can see the machine's processes", lambda: os.kill(PID, 0) if PID > 100 else os.stat("/proc/1"))
held("it can have more memory than its limit", grow, (MemoryError,))
held("it can have shared memory, which its limit does not see", lambda: mmap.mmap(-1, mmap.PAGESIZE))
held("it can start processes", os.fork)
held("it can change its root", lambda: os.chroot("/tmp"))
assert not os.path.exists("/home") or not os.listdir("/home"), "the sandbox does not hold: it can see /home"
write("/tmp/scratch")
