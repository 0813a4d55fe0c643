package spool

import (
	"bytes"
	"testing"
)

func TestPiecesComeBack(t *testing.T) {
	var s Spool
	defer s.Close()
	piece := func(i int) []byte { return bytes.Repeat([]byte{byte(i)}, i%3*(5<<20)+i) } // 0 to 10 MB
	for i := range 20 {
		if err := s.Add(piece(i)); err != nil {
			t.Fatal(err)
		}
	}
	if s.file == nil || len(s.memory) == 0 || len(s.memory) > Memory || s.Len() != 20 {
		t.Fatalf("%d bytes are in memory, file %v, %d pieces", len(s.memory), s.file, s.Len())
	}
	for _, i := range []int{19, 0, 7, 3, 12, 1, 5, 6} {
		if b, err := s.Get(i); err != nil || !bytes.Equal(b, piece(i)) {
			t.Errorf("piece %d: %d bytes, %v", i, len(b), err)
		}
	}
}
