//go:build !linux

package engine

func newKernelWaiter() (waiter, error) { return newTimerWaiter(), nil }
