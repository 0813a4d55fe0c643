package machine

import "strings"

// Sysctl reads a kernel setting of one number, such as net.core.somaxconn.
func (m *Machine) Sysctl(name string) (int, error) {
	values, err := m.sysctl(name, 1)
	if err != nil {
		return 0, err
	}
	return values[0], nil
}

func (m *Machine) sysctl(name string, n int) ([]int, error) {
	file := "sys/" + strings.ReplaceAll(name, ".", "/")
	values, err := read(m, file, func() ([]int, error) { return m.proc.SysctlInts(name) })
	if err == nil && len(values) != n {
		err = malformed("proc/" + file)
	}
	return values, err
}

// LocalPorts is the range of ports that outgoing connections take.
func (m *Machine) LocalPorts() (low, high int, err error) {
	values, err := m.sysctl("net.ipv4.ip_local_port_range", 2)
	if err != nil {
		return 0, 0, err
	}
	low, high = values[0], values[1]
	if low < 0 || high < low || high > 65535 {
		return 0, 0, malformed("proc/sys/net/ipv4/ip_local_port_range")
	}
	return low, high, nil
}

// TimeWait counts the connections in TIME_WAIT.
func (m *Machine) TimeWait() (int, error) {
	const name = "net/sockstat"
	s, err := read(m, name, m.proc.NetSockstat)
	if err != nil {
		return 0, err
	}
	for _, p := range s.Protocols {
		if p.Protocol == "TCP" && p.TW != nil {
			return *p.TW, nil
		}
	}
	return 0, malformed("proc/" + name)
}
