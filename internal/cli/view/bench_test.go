package view

import "testing"

func BenchmarkLines(b *testing.B) {
	m := &Model{Title: "bench", Color: true}
	course(m, 600)
	for b.Loop() {
		m.Lines(200, 50, at(600))
	}
}
