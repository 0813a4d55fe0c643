# Says where this Python lies. It is run outside of the sandbox, isolated (-I): nothing of
# the current folder or the environment is imported.
import json, os, sys

prefixes = {os.path.realpath(p) for p in (sys.prefix, sys.base_prefix, sys.exec_prefix, sys.base_exec_prefix)}
paths = [p for p in sys.path if os.path.isabs(p) and os.path.exists(p)]
inside = [p for p in paths if any(os.path.realpath(p).startswith(x.rstrip("/") + "/") for x in prefixes)]
libraries = set()
with open("/proc/self/maps") as maps:
    for line in maps:
        parts = line.split(None, 5)
        if len(parts) == 6 and parts[5].startswith("/") and ".so" in parts[5]:
            libraries.add(os.path.dirname(parts[5].strip()))
settings = os.path.join(sys.prefix, "pyvenv.cfg")
print(json.dumps({
    "version": list(sys.version_info[:3]),
    "name": sys.implementation.name,
    "executable": sys.executable,
    "virtual": sys.prefix != sys.base_prefix,
    "settings": settings if os.path.exists(settings) else "",
    "paths": inside,
    "libraries": sorted(libraries),
}))
