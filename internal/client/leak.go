package client

import (
	"runtime"
	"runtime/metrics"
)

// Goroutines counts those of this process.
func Goroutines() int { return runtime.NumGoroutine() }

// LiveBytes is what the last garbage collection found in use; 0: there was none yet. The heap's size goes up
// and down between collections, so this is where a leak shows first.
func LiveBytes() int64 {
	s := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(s)
	if s[0].Value.Kind() != metrics.KindUint64 {
		return 0 // a later Go that does not know it
	}
	return int64(s[0].Value.Uint64())
}
