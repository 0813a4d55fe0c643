package main

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"os"
	"runtime"
	"runtime/pprof"
	"syscall"

	"github.com/inferometer/inferometer/internal/send/workload"
	"github.com/inferometer/inferometer/tokenizer"
)

// cost is what a process says about its work.
type cost struct {
	CPUSeconds float64 `json:"cpu_seconds"`
	Passes     int     `json:"passes"` // decode and encode, of all prompts; Python's only
	SHA256     string  `json:"sha256"` // of all prompts
	Version    string  `json:"version"`
}

// generate makes the prompts in this process and prints what they cost.
func generate(o options, folder, profile string) error {
	tok, err := tokenizer.Load(folder)
	if err != nil {
		return err
	}
	if profile != "" {
		f, err := os.Create(profile)
		if err != nil {
			return err
		}
		defer f.Close()
		if err := pprof.StartCPUProfile(f); err != nil {
			return err
		}
		defer pprof.StopCPUProfile()
	}
	runtime.GC() // what loading left behind is not to be cleaned up on our clock
	before, err := cpuSeconds()
	if err != nil {
		return err
	}
	prompts, err := makePrompts(o, tok)
	if err != nil {
		return err
	}
	after, err := cpuSeconds()
	if err != nil {
		return err
	}
	hashed := sha256.New()
	for _, p := range prompts {
		io.WriteString(hashed, p)
		hashed.Write([]byte{0})
	}
	return json.NewEncoder(os.Stdout).Encode(cost{
		CPUSeconds: after - before, SHA256: hex.EncodeToString(hashed.Sum(nil)), Version: runtime.Version(),
	})
}

func makePrompts(o options, tok *tokenizer.Tokenizer) ([]string, error) {
	w := workload.Defaults("random")
	w.NumPrompts, w.Seed, w.Tokenizer = o.prompts, o.seed, tok
	w.Own.(*workload.RandomOptions).InputLen = o.tokens
	d, err := workload.Open(w)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	prompts := make([]string, 0, o.prompts)
	for {
		r, err := d.Next()
		if errors.Is(err, io.EOF) {
			return prompts, nil
		}
		if err != nil {
			return nil, err
		}
		prompts = append(prompts, r.Prompt)
	}
}

// cpuSeconds is the CPU time of this process, all its threads, so far.
func cpuSeconds() (float64, error) {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0, err
	}
	return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e9, nil
}
