package workload

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// Options are all that a dataset may need to know: each reads its own part. The
// fields are named after the flags of `vllm bench serve`.
type Options struct {
	Dataset    string
	Path       string    // --dataset-path
	NumPrompts int       // requests; custom: 0 or less is all of the file
	Seed       uint64    // identical seed, identical bytes
	Tokenizer  Tokenizer // nil: none is to be had
	Chat       bool      // the protocol is a chat: the server applies the chat template

	NoOversample     bool // rather too few requests than repeated ones
	DisableShuffle   bool // keep a file's order
	SkipChatTemplate bool // custom: send the prompt as it is

	Random           RandomOptions
	ShareGPT         ShareGPTOptions
	Custom           CustomOptions
	Sonnet           SonnetOptions
	PrefixRepetition PrefixRepetitionOptions
}

// RandomOptions shape the random dataset. Lengths are drawn evenly from
// length*(1-ratio) to length*(1+ratio); the prefix comes on top of the input.
type RandomOptions struct {
	InputLen, OutputLen int
	RangeRatio          RangeRatio
	PrefixLen           int
}

// ShareGPTOptions shape the sharegpt dataset.
type ShareGPTOptions struct {
	OutputLen int // 0: as long as the answer in the file
}

// CustomOptions shape the custom dataset.
type CustomOptions struct {
	OutputLen int // -1: each entry's output_tokens
}

// SonnetOptions shape the sonnet dataset.
type SonnetOptions struct {
	InputLen, OutputLen, PrefixLen int
}

// PrefixRepetitionOptions shape the prefix_repetition dataset.
type PrefixRepetitionOptions struct {
	PrefixLen, SuffixLen, NumPrefixes, OutputLen int
}

// DefaultOptions are vLLM's defaults.
func DefaultOptions() Options {
	return Options{
		Dataset:          "random",
		NumPrompts:       1000,
		Random:           RandomOptions{InputLen: 1024, OutputLen: 128},
		Custom:           CustomOptions{OutputLen: 256},
		Sonnet:           SonnetOptions{InputLen: 550, OutputLen: 150, PrefixLen: 200},
		PrefixRepetition: PrefixRepetitionOptions{PrefixLen: 256, SuffixLen: 256, NumPrefixes: 10, OutputLen: 128},
	}
}

// RangeRatio is how far lengths may lie from their middle, as a share of it.
type RangeRatio struct {
	Input  float64 `json:"input"`
	Output float64 `json:"output"`
}

// ParseRangeRatio reads one number for both, or {"input":a,"output":b}.
func ParseRangeRatio(text string) (RangeRatio, error) {
	r, err := parseRangeRatio(strings.TrimSpace(text))
	if err == nil {
		err = r.check()
	}
	if err != nil {
		return RangeRatio{}, fmt.Errorf(`range ratio %q: %w (use a number such as 0.1, or {"input":0.1,"output":0.2})`, text, err)
	}
	return r, nil
}

func parseRangeRatio(text string) (RangeRatio, error) {
	if !strings.HasPrefix(text, "{") {
		both, err := strconv.ParseFloat(text, 64)
		return RangeRatio{both, both}, err
	}
	var parts map[string]float64
	if err := json.Unmarshal([]byte(text), &parts); err != nil {
		return RangeRatio{}, err
	}
	in, hasIn := parts["input"]
	out, hasOut := parts["output"]
	if !hasIn || !hasOut || len(parts) != 2 {
		return RangeRatio{}, fmt.Errorf("it must have input and output and nothing else")
	}
	return RangeRatio{in, out}, nil
}

func (r RangeRatio) check() error {
	for _, v := range []float64{r.Input, r.Output} {
		if !(v >= 0 && v < 1) {
			return fmt.Errorf("%v is not in [0, 1)", v)
		}
	}
	return nil
}
