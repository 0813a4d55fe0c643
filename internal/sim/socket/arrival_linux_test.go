package socket

import "testing"

// What isn't a receive time is not taken for one.
func TestKernelTimeOfOtherBytes(t *testing.T) {
	for _, oob := range [][]byte{nil, make([]byte, 3), make([]byte, 64), {20, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 37, 0, 0, 0, 1, 2, 3, 4}} {
		if got := kernelTime(oob); got != 0 {
			t.Errorf("%v: %d", oob, got)
		}
	}
}
