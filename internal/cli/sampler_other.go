//go:build !linux

package cli

func machineTimes() (busyNs, stealNs int64) { return -1, -1 }
func machineWork() int64                    { return -1 }
func threadWait() int64                     { return -1 }
func openFiles() int                        { return -1 }
