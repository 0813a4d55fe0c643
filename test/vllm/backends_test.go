package vllm

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"testing"

	"github.com/inferometer/inferometer/test/realserver"
)

// Each backend of vLLM's client sends the same requests from both clients: TestBodies has
// completions and chat.
func TestBodiesOfEachBackend(t *testing.T) {
	v := installed(t)
	program, dir := realserver.Build(t), t.TempDir()
	sound, sounds, images := filepath.Join(dir, "a.wav"), filepath.Join(dir, "sounds.jsonl"), filepath.Join(dir, "images.jsonl")
	wav(t, sound)
	write(t, sounds, `{"prompt": "Transcribe.", "audio": "`+sound+`"}`+"\n")
	write(t, images, `{"prompt": "What is <this>?", "image_files": ["http://127.0.0.1:9/a.png"]}`+"\n"+
		`{"prompt": "é and 日本", "image_files": ["http://127.0.0.1:9/b.png"]}`+"\n")
	withImages := []string{"--dataset-name", "custom_image", "--dataset-path", images}
	for _, tt := range []struct {
		backend, endpoint string
		requests          int
		flags             []string
	}{
		{"openai-responses", "/v1/responses", 4, []string{"--temperature", "0.5"}},
		{"openai-audio", "/v1/audio/transcriptions", 4, []string{"--dataset-name", "custom_audio", "--dataset-path", sounds, "--custom-output-len", "2", "--extra-body", `{"language": "de"}`}},
		{"openai-embeddings", "/v1/embeddings", 2, []string{"--random-batch-size", "2", "--extra-body", `{"encoding_format": "float"}`}},
		{"openai-embeddings-chat", "/v1/embeddings", 4, withImages},
		{"openai-embeddings-clip", "/v1/embeddings", 4, withImages},
		{"openai-embeddings-vlm2vec", "/v1/embeddings", 4, withImages},
		{"infinity-embeddings", "/embeddings", 2, []string{"--random-batch-size", "3"}},
		{"infinity-embeddings-clip", "/embeddings", 4, withImages},
		{"vllm-pooling", "/pooling", 4, nil},
		{"vllm-rerank", "/v1/rerank", 2, []string{"--dataset-name", "random-rerank", "--random-batch-size", "2"}},
	} {
		t.Run(tt.backend, func(t *testing.T) {
			sameRequests(t, v, program, tt.requests, append([]string{"--backend", tt.backend, "--endpoint", tt.endpoint}, tt.flags...)...)
		})
	}
}

// wav writes a sound of 16 bits and 16 kHz.
func wav(t *testing.T, path string) {
	t.Helper()
	const rate, samples = 16000, 800
	b := []byte("RIFF")
	b = binary.LittleEndian.AppendUint32(b, 36+2*samples)
	b = append(b, "WAVEfmt \x10\x00\x00\x00\x01\x00\x01\x00"...)
	b = binary.LittleEndian.AppendUint32(b, rate)
	b = binary.LittleEndian.AppendUint32(b, 2*rate)
	b = append(b, "\x02\x00\x10\x00data"...)
	b = binary.LittleEndian.AppendUint32(b, 2*samples)
	for i := range samples {
		b = binary.LittleEndian.AppendUint16(b, uint16(i*137))
	}
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
}
