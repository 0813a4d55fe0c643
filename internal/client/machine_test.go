package client

import (
	"runtime"
	"testing"
)

// What a sample reads is told on Linux, and grows.
func TestMachine(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux tells")
	}
	busy, steal := Times()
	if busy <= 0 || steal < 0 || busy < steal {
		t.Errorf("busy %d, steal %d", busy, steal)
	}
	if ThreadWait() < 0 || OpenFiles() < 3 {
		t.Errorf("wait %d, files %d", ThreadWait(), OpenFiles())
	}
	if e := Environment(); e.MemoryBytes <= 0 || e.Kernel == "" {
		t.Errorf("%+v", e)
	}
}

// BenchmarkSample is what a sample costs a run, every second.
func BenchmarkSample(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		ProcessUsage()
		Times()
		ThreadWait()
		OpenFiles()
	}
}
