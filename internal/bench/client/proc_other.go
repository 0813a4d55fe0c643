//go:build !linux

package client

func Times() (busyNs, stealNs int64) { return -1, -1 }
func ThreadWait() int64              { return -1 }
func OpenFiles() int                 { return -1 }
