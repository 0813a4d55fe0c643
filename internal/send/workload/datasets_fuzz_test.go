package workload

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// Every dataset that reads a file opens any bytes, and gives requests or an error. Confined ones read nothing beside.
func FuzzDatasetFiles(f *testing.F) {
	for _, seed := range []string{
		`{"turns":["a","b"],"category":"x"}`, `{"messages":[{"content":"a"}]}`, `{"prompt":"a","image_files":["x.png"],"output_tokens":3}`,
		`{"content":[{"type":"text","text":"a"},{"type":"image_url","image_url":{"url":"data:image/png;base64,AAAA"}}]}`,
		`{"audio":"x.wav","prompt":"a"}`, "Shall I compare thee\nto a summer's day?\n", `{"timestamp":1,"input_length":5,"output_length":2,"hash_ids":[1]}`,
		"Timestamp,Model,Request tokens,Response tokens,Total tokens,Log Type\n5,GPT-4,472,18,490,Conversation log\n", `[{"conversations":[{"value":"a"},{"value":"b"}]}]`,
	} {
		f.Add([]byte(seed), uint8(0))
	}
	own := func(name string) bool { return name == "eval" || name == "hf" } // these have targets of their own
	names := slices.DeleteFunc(fileKinds(), own)
	f.Fuzz(func(t *testing.T, b []byte, which uint8) {
		folder := t.TempDir()
		path := filepath.Join(folder, "qualitative.jsonl") // SPEED-Bench takes the folder
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
		name := names[int(which)%len(names)]
		if name == "speed_bench" {
			path = folder
		}
		d, err := Open(Options{Dataset: name, NumPrompts: 2, Tokenizer: fakeVocabulary{}, Chat: name == "conversations", Confined: true, Shared: Shared{Path: path, MultimodalChat: which >= 128}})
		if err != nil {
			return
		}
		defer d.Close()
		for range 3 {
			if r, err := d.Next(); err != nil || r == nil {
				return
			}
		}
	})
}
