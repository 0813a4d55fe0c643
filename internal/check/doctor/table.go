package doctor

// words are what is said of a finding whatever it is. docs/reference/doctor.md is
// written from them.
type words struct {
	name   string
	looks  string // what is looked for
	why    string // what it does to a measurement
	levels string // what makes it a note, a warning or bad
	mend   string // what to do
}

// finding puts an examination's result together with the table's words.
func (w words) finding(g Group, r result) Finding {
	f := Finding{Group: g, Name: w.name, Level: r.level, Figure: r.figure, Why: w.why}
	if r.level != OK && r.level != Unknown {
		if f.Mend = r.mend; f.Mend == "" {
			f.Mend = w.mend
		}
	}
	return f
}

type machineExamination struct {
	words
	examine func(*examination) result
}

// Names lists all findings, in the order of the report.
func Names() []string {
	var names []string
	for _, w := range allWords() {
		names = append(names, w.name)
	}
	return names
}

func allWords() []words {
	var all []words
	for _, e := range machineTable() {
		all = append(all, e.words)
	}
	for _, e := range remoteTable() {
		all = append(all, e.words)
	}
	return all
}

func machineTable() []machineExamination {
	return []machineExamination{
		{words{
			"open_files", "the limit on open files, against one connection for each request on its way",
			"Requests beyond the limit fail at the client, and the result shows them as the server's failures",
			"bad below --max-concurrency + 64",
			"raise the limit: ulimit -n 65536",
		}, openFiles},
		{words{
			"ports", "the ephemeral ports, and how many of them closed connections still hold",
			"A client without a free port can't connect, and waits or fails where the server would have answered",
			"bad below --max-concurrency; warn below twice that, or if half of them are in TIME_WAIT",
			`sudo sysctl -w net.ipv4.ip_local_port_range="10240 65535" net.ipv4.tcp_tw_reuse=1`,
		}, ports},
		{words{
			"backlog", "the longest queue of connections that wait to be accepted (somaxconn)",
			"If the server runs on this machine and more connections come at once, the kernel drops some and tries again after a second: TTFT gets a second peak",
			"warn below --max-concurrency; read on this machine, where the server's may differ",
			"sudo sysctl -w net.core.somaxconn=4096, then start the server again",
		}, backlog},
		{words{
			"governor", "the CPU frequency governor",
			"Processors that sleep between tokens wake up slowly: latencies at low load are longer than at high load",
			"warn unless all processors use performance; unknown in most virtual machines",
			"sudo cpupower frequency-set -g performance",
		}, governor},
		{words{
			"frequency", "a cap on the CPU frequency, and the turbo",
			"A capped processor makes a slower client, and a slower server if it runs here; two runs under different caps can't be compared",
			"warn if the cap is below 90 % of the processor's maximum; unknown in most virtual machines",
			"take the cap away: sudo cpupower frequency-set -u with the processor's own maximum",
		}, frequency},
		{words{
			"power_profile", "the firmware's power profile, and what processors prefer: energy or speed",
			"A machine that was told to save power clocks lower and wakes up later, and does so more the longer it is loaded",
			"warn for low-power, quiet or cool, or an energy preference of power or balance_power; unknown in most virtual machines",
			"sudo powerprofilesctl set performance, or write performance to /sys/firmware/acpi/platform_profile",
		}, powerProfile},
		{words{
			"numa_balancing", "NUMA balancing on a machine with several NUMA nodes",
			"The kernel unmaps pages to see who uses them, and moves them: a server here stops for moments that are not its own, and more under load",
			"note if it is on with several NUMA nodes; it matters to a server on this machine, hardly to the client",
			"sudo sysctl -w kernel.numa_balancing=0, and start the server with numactl --cpunodebind --membind",
		}, numaBalancing},
		{words{
			"gpu_power", "a power limit of NVIDIA's GPUs below their usual one, and persistence mode",
			"A GPU that somebody limited is slower than others of its name; without persistence mode the driver is loaded again for the next program",
			"warn if a limit is below the usual one; note without persistence mode; unknown without nvidia-smi",
			"sudo nvidia-smi -pl with the usual limit; sudo nvidia-smi -pm 1",
		}, gpuPower},
		{words{
			"clock_source", "the kernel's clock source",
			"With a slow source each reading of the clock is a system call of a microsecond and more, several times for each token",
			"ok for tsc, kvm-clock, arch_sys_counter and the like; bad for jiffies; warn for others, such as hpet and acpi_pm",
			"boot with tsc=reliable where the processor's tsc is sound, or use another machine",
		}, clockSource},
		{words{
			"time_keeping", "whether NTP or PTP keeps the system's clock",
			"Latencies are taken from the monotonic clock and stay right; but times can't be joined with the server's logs or with other clients'",
			"note if the kernel says that nothing keeps the clock",
			"sudo timedatectl set-ntp true, or start chronyd",
		}, timeKeeping},
		{words{
			"stamps", "the kernel's receive times on TCP connections",
			"Without them the client's own delay is a part of each latency, and can't be told from the server's",
			"warn if a connection of this machine to itself gets none",
			"run on Linux, on a machine or in a container whose kernel allows SO_TIMESTAMPING",
		}, stamps},
		{words{
			"quota", "the CPU quota of the control group (container limits), against the processors that Go uses",
			"A client that has used up its quota is stopped until the next period, up to 100 ms: tokens seem to come in bursts",
			"note below the machine's processors; warn below one, or if Go uses more than it allows",
			"raise the container's CPU limit, or run the client outside of it; leave GOMAXPROCS unset",
		}, quota},
		{words{
			"throttling", "periods in which the control group was stopped because its quota was used up",
			"Each stop is a pause of up to 100 ms that the server did not make",
			"bad if it happens within a second; warn if it happened since the group was made",
			"raise the container's CPU limit (docker run --cpus, resources.limits.cpu)",
		}, throttling},
		{words{
			"load", "what else runs on this machine",
			"Other programs take the processor when a token arrives, and the client reads it late",
			"warn above 25 % of all processors within a second, bad above 60 %; warn if tasks waited for a processor in more than 10 % of the last ten seconds, bad above 40 %",
			"stop other programs (top shows them), or keep them off the client's processors with taskset",
		}, otherLoad},
		{words{
			"steal", "time that the host of a virtual machine took away",
			"Stolen time stops client and clock readings alike, and no figure inside the machine shows where it went",
			"warn above 1 % within a second, bad above 5 %; note above 1 % since boot",
			"use a machine with processors of its own, not a shared or burstable one",
		}, steal},
		{words{
			"memory", "the memory that is left",
			"A machine without memory swaps or kills: long pauses, or the end of the run",
			"warn below 1 GiB, bad below 256 MiB",
			"stop what holds the memory, or use a larger machine",
		}, memory},
		{words{
			"swap", "pages that come back from swap",
			"A page that must be read from a disk is a pause of milliseconds in the middle of a stream",
			"bad if pages come back within a second; note if any are swapped out",
			"sudo swapoff -a, once there is memory enough",
		}, swap},
		{words{
			"proxy", "proxies that the environment names",
			"A proxy adds its own time to each request, may hold events back, and keeps the event loop from being used",
			"warn if requests to --base-url go through one; note if there is one and no --base-url",
			"--proxy none, or add the server to NO_PROXY",
		}, proxies},
		{words{
			"localhost", "what localhost means on this machine",
			"Where it means ::1 first and the server listens on 127.0.0.1 only, each new connection is tried twice, or a different server answers",
			"note if IPv6 comes first",
			"write 127.0.0.1 in --base-url",
		}, localhost},
	}
}
