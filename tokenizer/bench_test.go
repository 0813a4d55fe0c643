package tokenizer

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var benchFamilies = []string{"gpt2", "llama3", "qwen2_5", "gpt4o", "deepseek_v3", "llama2", "gemma3", "xlm_r"}

// BenchmarkEncode gives MB/s over the corpus, in texts of some kilobytes.
func BenchmarkEncode(b *testing.B) {
	texts := benchTexts(b)
	for _, name := range benchFamilies {
		b.Run(name, func(b *testing.B) {
			f := loadFamily(b, name)
			b.SetBytes(totalBytes(texts))
			for b.Loop() {
				for _, text := range texts {
					if _, err := f.Encode(text); err != nil {
						b.Fatal(err)
					}
				}
			}
		})
	}
}

// BenchmarkEncodeParallel is the same by all cores at once.
func BenchmarkEncodeParallel(b *testing.B) {
	texts := benchTexts(b)
	f := loadFamily(b, "qwen2_5")
	b.SetBytes(totalBytes(texts))
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			for _, text := range texts {
				_, _ = f.Encode(text)
			}
		}
	})
}

// BenchmarkDecode gives MB/s of the texts that the ids stand for.
func BenchmarkDecode(b *testing.B) {
	texts := benchTexts(b)
	for _, name := range benchFamilies {
		b.Run(name, func(b *testing.B) {
			f := loadFamily(b, name)
			ids := make([][]int32, len(texts))
			for i, text := range texts {
				ids[i], _ = f.Encode(text)
			}
			b.SetBytes(totalBytes(texts))
			for b.Loop() {
				for _, list := range ids {
					_, _ = f.Decode(list)
				}
			}
		})
	}
}

// BenchmarkLoad is the start-up time that a tokenizer costs, without reading the file.
func BenchmarkLoad(b *testing.B) {
	for _, name := range benchFamilies {
		b.Run(name, func(b *testing.B) {
			data, err := os.ReadFile(filepath.Join(tokenizersDir(), name, "tokenizer.json"))
			if err != nil {
				b.Skip("no tokenizer of ", name, " here")
			}
			b.SetBytes(int64(len(data)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Parse(data, Options{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// benchTexts joins the corpus, which is mostly short strings, to texts of about 4 kB.
func benchTexts(b *testing.B) []string {
	var texts []string
	var text strings.Builder
	for _, s := range loadCorpus(b) {
		if len(s) > 20_000 {
			continue // one text should not be the whole figure
		}
		text.WriteString(s)
		text.WriteByte('\n')
		if text.Len() > 4000 {
			texts = append(texts, text.String())
			text.Reset()
		}
	}
	return texts
}

func totalBytes(texts []string) (n int64) {
	for _, text := range texts {
		n += int64(len(text))
	}
	return n
}
