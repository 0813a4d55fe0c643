package doctor

import "errors"

// ownFiles are the descriptors that a run needs beside its connections: journal,
// results, epoll, the connections that ask for metrics.
const ownFiles = 64

func openFiles(m *machine) result {
	soft, hard, err := m.OpenFiles()
	if err != nil {
		return unknown(err)
	}
	need := uint64(m.Concurrency + ownFiles)
	level := OK
	if soft < need {
		level = Bad
	}
	r := found(level, "%d (%d at most); %d requests at a time need %d", soft, hard, m.Concurrency, need)
	switch {
	case level == OK:
		return r
	case hard >= need:
		return r.mendBy("ulimit -n %d", need)
	}
	return r.mendBy("ulimit -n %d as root, LimitNOFILE=%d in a systemd unit, or --ulimit nofile=%d of docker run", need, need, need)
}

// timeWait is how long the kernel keeps the port of a closed connection.
const timeWait = 60

func ports(m *machine) result {
	b, err := m.read("proc/sys/net/ipv4/ip_local_port_range")
	if err != nil {
		return unknown(err)
	}
	low, high, err := parsePortRange(b)
	if err != nil {
		return unknown(errors.New("ip_local_port_range: " + err.Error()))
	}
	waiting, err := readAs(m, "proc/net/sockstat", parseTimeWait)
	if err != nil {
		return unknown(err)
	}
	reuse, err := readAs(m, "proc/sys/net/ipv4/tcp_tw_reuse", parseInt)
	if err != nil {
		return unknown(err)
	}
	n := high - low + 1
	level := OK
	switch {
	case n < m.Concurrency:
		level = Bad
	case int(waiting) > n/2 || n < 2*m.Concurrency:
		level = Warn
	}
	return found(level, "%d ports, %d in TIME_WAIT, tcp_tw_reuse %d; without keep-alive that is %d connections a second to one server",
		n, waiting, reuse, n/timeWait)
}

func backlog(m *machine) result {
	n, err := readAs(m, "proc/sys/net/core/somaxconn", parseInt)
	if err != nil {
		return unknown(err)
	}
	if int(n) < m.Concurrency {
		return found(Warn, "somaxconn %d, and %d connections may come at once", n, m.Concurrency).
			mendBy("on the server's machine: sudo sysctl -w net.core.somaxconn=%d, then start the server again", max(4096, m.Concurrency))
	}
	return found(OK, "somaxconn %d", n)
}

const (
	littleMemory = 1 << 30
	noMemory     = 256 << 20
)

func memory(m *machine) result {
	b, err := m.read("proc/meminfo")
	if err != nil {
		return unknown(err)
	}
	values := parseNamed(b)
	total, available := values["MemTotal"]<<10, values["MemAvailable"]<<10
	if total <= 0 {
		return unknown(errors.New("/proc/meminfo: " + errFormat.Error()))
	}
	level := OK
	switch {
	case available < noMemory:
		level = Bad
	case available < littleMemory:
		level = Warn
	}
	return found(level, "%s available of %s", bytesText(available), bytesText(total))
}

// swapped counts the pages that were read back since boot.
func (m *machine) swapped() (int64, error) {
	b, err := m.read("proc/vmstat")
	if err != nil {
		return 0, err
	}
	n, ok := parseNamed(b)["pswpin"]
	if !ok {
		return 0, errors.New("/proc/vmstat has no pswpin")
	}
	return n, nil
}

func swap(m *machine) result {
	b, err := m.read("proc/meminfo")
	if err = firstOf(err, m.first.noSwap, m.last.noSwap); err != nil {
		return unknown(err)
	}
	values := parseNamed(b)
	used := (values["SwapTotal"] - values["SwapFree"]) << 10
	if n := m.last.swapped - m.first.swapped; n > 0 {
		return found(Bad, "%d pages came back from swap within a second; %s are there", n, bytesText(used))
	}
	if used > 0 {
		return found(Note, "%s in swap, none came back within a second", bytesText(used))
	}
	return found(OK, "nothing in swap")
}
