// Command tokens measures how fast texts are encoded and decoded: MB of text per second of CPU time on one core, beside
// Python's tokenizers. Both run as processes of their own, in interleaved rounds, and must give the same ids and texts.
//
//	make bench-tokens
//	PYTHON=/path/to/venv/bin/python make bench-tokens
//
// Loading the tokenizer counts for neither.
package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/inferometer/inferometer/bench/harness"
)

const corpus = "tokenizer/testdata/parity/corpus.json.gz"

func main() {
	python := flag.String("python", cmp.Or(os.Getenv("PYTHON"), "python3"), "a Python that has tokenizers")
	names := flag.String("tokenizers", "gpt2,llama3,qwen2_5,gpt4o,mistral_nemo,deepseek_v3,llama2,gemma3,bert,xlm_r", "folders in the cache of tokenizers")
	rounds := harness.Rounds(3)
	times := flag.Int("times", 3, "passes over the corpus in a round")
	least := flag.Float64("min", 0, "fail if the median ratio of encoding is below this; 0: don't")
	folder := flag.String("measure", "", "measure the tokenizer in this folder, print JSON, and end")
	harness.Main("bench-tokens", func() error {
		if *folder != "" {
			return printMeasure(*folder, *times)
		}
		return compare(*python, strings.Split(*names, ","), *rounds, *times, *least)
	})
}

// measured is one round of either side.
type measured struct {
	Encode, Decode float64 // CPU seconds
	Bytes          float64
	SHA256         string `json:"sha256"`
}

func compare(python string, names []string, rounds, times int, least float64) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	fmt.Printf("%-14s %12s %12s %8s %12s %12s %8s\n", "MB/s", "encode: ours", "Python's", "ratio", "decode: ours", "Python's", "ratio")
	slow := 0
	for _, name := range names {
		dir := filepath.Join(cache(), name)
		if _, err := os.Stat(dir); err != nil {
			fmt.Printf("%-14s not here\n", name)
			continue
		}
		var encode, decode, theirEncode, theirDecode, encodeRatio, decodeRatio []float64
		for range rounds {
			ours, err := run(self, "-measure", dir, "-times", strconv.Itoa(times))
			if err != nil {
				return err
			}
			theirs, err := run(python, "bench/tokens/tokens.py", filepath.Join(dir, "tokenizer.json"), corpus, strconv.Itoa(times))
			if err != nil {
				return err
			}
			if ours.SHA256 != theirs.SHA256 {
				return fmt.Errorf("%s: the ids or the texts differ", name)
			}
			mb := ours.Bytes / 1e6
			encode, theirEncode = append(encode, mb/ours.Encode), append(theirEncode, mb/theirs.Encode)
			decode, theirDecode = append(decode, mb/ours.Decode), append(theirDecode, mb/theirs.Decode)
			encodeRatio, decodeRatio = append(encodeRatio, theirs.Encode/ours.Encode), append(decodeRatio, theirs.Decode/ours.Decode)
		}
		fmt.Printf("%-14s %12.1f %12.1f %8.1f %12.1f %12.1f %8.1f\n", name, harness.Median(encode), harness.Median(theirEncode), harness.Median(encodeRatio), harness.Median(decode), harness.Median(theirDecode), harness.Median(decodeRatio))
		if harness.Median(encodeRatio) < least {
			slow++
		}
	}
	if slow > 0 {
		return fmt.Errorf("%d are below %.1f times Python's speed", slow, least)
	}
	return nil
}

func run(name string, args ...string) (m measured, err error) {
	cmd := exec.Command(name, args...)
	cmd.Env = append(os.Environ(), "GOMAXPROCS=1")
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err == nil {
		err = json.Unmarshal(out, &m)
	}
	if err == nil && (m.Encode <= 0 || m.Decode <= 0) {
		err = errors.New("a round took no time")
	}
	return m, err
}

func cache() string {
	home, _ := os.UserHomeDir()
	return filepath.Join(cmp.Or(os.Getenv("INFEROMETER_CACHE"), filepath.Join(home, ".cache", "inferometer")), "tokenizers")
}
