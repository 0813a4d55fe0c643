package main

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// pin gives this thread, and what it starts, one processor.
func pin(processor int) error {
	var set unix.CPUSet
	set.Set(processor)
	if err := unix.SchedSetaffinity(0, &set); err != nil {
		return fmt.Errorf("take processor %d: %w; -pin needs two", processor, err)
	}
	return nil
}
