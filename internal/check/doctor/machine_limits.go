package doctor

import "fmt"

// ownFiles are the descriptors that a run needs beside its connections: journal,
// results, epoll, the connections that ask for metrics.
const ownFiles = 64

func openFiles(m *examination) result {
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

func ports(m *examination) result {
	low, high, err := m.Machine.LocalPorts()
	if err != nil {
		return unknown(err)
	}
	waiting, err := m.Machine.TimeWait()
	if err != nil {
		return unknown(err)
	}
	reuse, err := m.Machine.Sysctl("net.ipv4.tcp_tw_reuse")
	if err != nil {
		return unknown(err)
	}
	n := high - low + 1
	level := OK
	switch {
	case n < m.Concurrency:
		level = Bad
	case waiting > n/2 || n < 2*m.Concurrency:
		level = Warn
	}
	return found(level, "%d ports, %d in TIME_WAIT, tcp_tw_reuse %d; without keep-alive that is %d connections a second to one server",
		n, waiting, reuse, n/timeWait)
}

func backlog(m *examination) result {
	n, err := m.Machine.Sysctl("net.core.somaxconn")
	if err != nil {
		return unknown(err)
	}
	if n < m.Concurrency {
		return found(Warn, "somaxconn %d, and %d connections may come at once", n, m.Concurrency).
			mendBy("on the server's machine: sudo sysctl -w net.core.somaxconn=%d, then start the server again", max(4096, m.Concurrency))
	}
	return found(OK, "somaxconn %d", n)
}

const (
	littleMemory = 1 << 30
	noMemory     = 256 << 20
)

func memory(m *examination) result {
	is, err := m.Machine.Memory()
	if err != nil {
		return unknown(err)
	}
	level := OK
	switch {
	case is.Available < noMemory:
		level = Bad
	case is.Available < littleMemory:
		level = Warn
	}
	return found(level, "%s available of %s", bytesText(is.Available), bytesText(is.Total))
}

func swap(m *examination) result {
	is, err := m.Machine.Memory()
	if err = firstOf(err, m.first.noSwap, m.last.noSwap); err != nil {
		return unknown(err)
	}
	used := is.SwapTotal - is.SwapFree
	if n := m.last.swapped - m.first.swapped; n > 0 {
		return found(Bad, "%d pages came back from swap within a second; %s are there", n, bytesText(used))
	}
	if used > 0 {
		return found(Note, "%s in swap, none came back within a second", bytesText(used))
	}
	return found(OK, "nothing in swap")
}

// bytesText writes a size for people.
func bytesText(n int64) string {
	const gib = 1 << 30
	if n >= gib {
		return fmt.Sprintf("%.1f GiB", float64(n)/gib)
	}
	return fmt.Sprintf("%d MiB", n>>20)
}
