package main

import (
	"bytes"
	"os"
	"testing"
)

func TestCodecIsCurrent(t *testing.T) {
	want, err := generate("../record.go")
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile("../record_codec.go")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Error("record_codec.go is not what the tags of record.go say: run go generate ./internal/journal")
	}
}
