package machine

// Memory is the machine's memory, in bytes.
type Memory struct {
	Total, Available    int64
	SwapTotal, SwapFree int64
}

// Memory reads /proc/meminfo. Available is 0 where the kernel doesn't estimate it.
func (m *Machine) Memory() (Memory, error) {
	info, err := read(m, "meminfo", m.proc.Meminfo)
	if err != nil {
		return Memory{}, err
	}
	if info.MemTotalBytes == nil || *info.MemTotalBytes == 0 {
		return Memory{}, malformed("proc/meminfo")
	}
	bytes := func(v *uint64) int64 {
		if v == nil {
			return 0
		}
		return int64(*v)
	}
	return Memory{
		Total: bytes(info.MemTotalBytes), Available: bytes(info.MemAvailableBytes),
		SwapTotal: bytes(info.SwapTotalBytes), SwapFree: bytes(info.SwapFreeBytes),
	}, nil
}

// SwappedIn counts the pages that were read back from swap since boot.
func (m *Machine) SwappedIn() (int64, error) {
	const name = "proc/vmstat"
	b, err := m.Read(name)
	if err != nil {
		return 0, err
	}
	n, found := named(b)["pswpin"]
	if !found {
		return 0, malformed(name)
	}
	return n, nil
}
