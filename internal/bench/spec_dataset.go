package bench

import (
	"github.com/inferometer/inferometer/internal/send/workload"
	"github.com/inferometer/inferometer/internal/usage"
)

// Dataset says where the prompts come from.
type Dataset struct {
	DatasetName               string                 `json:"name" cli:"dataset-name"`
	DatasetPath               string                 `json:"path,omitempty" cli:"dataset-path"`
	NoOversample              bool                   `json:"no_oversample,omitempty"`
	SkipChatTemplate          bool                   `json:"skip_chat_template,omitempty"`
	DisableShuffle            bool                   `json:"disable_shuffle,omitempty"`
	RandomInputLen            int                    `json:"random_input_len"`
	RandomOutputLen           int                    `json:"random_output_len"`
	RandomPrefixLen           int                    `json:"random_prefix_len"`
	RandomRangeRatio          workload.RangeRatio    `json:"random_range_ratio"`
	SharegptOutputLen         *int                   `json:"sharegpt_output_len,omitempty"`
	SonnetInputLen            int                    `json:"sonnet_input_len"`
	SonnetOutputLen           int                    `json:"sonnet_output_len"`
	SonnetPrefixLen           int                    `json:"sonnet_prefix_len"`
	CustomOutputLen           int                    `json:"custom_output_len"` // -1: each row says
	PrefixRepetitionPrefixLen int                    `json:"prefix_repetition_prefix_len"`
	PrefixRepetitionSuffixLen int                    `json:"prefix_repetition_suffix_len"`
	PrefixRepetitionPrefixes  int                    `json:"prefix_repetition_num_prefixes"`
	PrefixRepetitionOutputLen int                    `json:"prefix_repetition_output_len"`
	Batches                   *workload.BatchOptions `json:"batches,omitempty"` // batches of one shape, in place of a named dataset
}

// BatchesName is the dataset of batches of one shape.
const BatchesName = "batches"

func defaultDataset() Dataset {
	return Dataset{
		DatasetName: "random", RandomInputLen: 1024, RandomOutputLen: 128, CustomOutputLen: 256,
		SonnetInputLen: 550, SonnetOutputLen: 150, SonnetPrefixLen: 200,
		PrefixRepetitionPrefixLen: 256, PrefixRepetitionSuffixLen: 256, PrefixRepetitionPrefixes: 10, PrefixRepetitionOutputLen: 128,
	}
}

// datasetRanges are the numbers of the dataset, each by itself.
func (s *Spec) datasetRanges() []numberRange {
	least := s.leastOutput()
	return []numberRange{
		{"random-input-len", s.RandomInputLen, 0, mostNumber},
		{"random-output-len", s.RandomOutputLen, least, mostNumber},
		{"random-prefix-len", s.RandomPrefixLen, 0, mostNumber},
		{"sharegpt-output-len", deref(s.SharegptOutputLen, 1), least, mostNumber},
		{"custom-output-len", s.CustomOutputLen, -1, mostNumber},
		{"sonnet-input-len", s.SonnetInputLen, 1, mostNumber},
		{"sonnet-output-len", s.SonnetOutputLen, least, mostNumber},
		{"sonnet-prefix-len", s.SonnetPrefixLen, 0, mostNumber},
		{"prefix-repetition-prefix-len", s.PrefixRepetitionPrefixLen, 0, mostNumber},
		{"prefix-repetition-suffix-len", s.PrefixRepetitionSuffixLen, 0, mostNumber},
		{"prefix-repetition-num-prefixes", s.PrefixRepetitionPrefixes, 1, mostNumber},
		{"prefix-repetition-output-len", s.PrefixRepetitionOutputLen, least, mostNumber},
	}
}

// leastOutput is the smallest output length: -1 is for custom rows that say it
// themselves, and stands in all datasets where --output-len was given.
func (s *Spec) leastOutput() int {
	if s.DatasetName == "custom" && s.CustomOutputLen == -1 {
		return -1
	}
	return 1
}

// checkDataset holds the dataset's options against each other.
func (s *Spec) checkDataset() error {
	if s.Batches != nil {
		return nil // made by a command of ours
	}
	generated := s.DatasetName == "random" || s.DatasetName == "prefix_repetition"
	for _, v := range []float64{s.RandomRangeRatio.Input, s.RandomRangeRatio.Output} {
		if !(v >= 0 && v < 1) { // so that nan fails too
			return usage.Errorf("random-range-ratio", "must be at least 0 and below 1, not %g", v)
		}
	}
	switch {
	case s.NumPrompts < 1 && !s.Unbounded && s.DatasetName != "custom":
		return usage.Errorf("num-prompts", "must be at least 1, not %d", s.NumPrompts)
	case s.CustomOutputLen == 0:
		return usage.Errorf("custom-output-len", "must be at least 1, or -1, not 0")
	case generated && s.DatasetPath != "":
		return usage.Errorf("dataset-path", "can't be used with --dataset-name %s, which is made, not read", s.DatasetName).
			WithHint("name the file's kind with --dataset-name sharegpt, custom or sonnet")
	case !generated && s.DatasetPath == "":
		return usage.Errorf("dataset-path", "is needed for --dataset-name %s", s.DatasetName)
	case s.DatasetName == "random" && s.RandomInputLen+s.RandomPrefixLen == 0:
		return usage.Errorf("random-input-len", "and --random-prefix-len can't both be 0: the prompt would be empty")
	case s.DatasetName == "sonnet" && s.SonnetInputLen <= s.SonnetPrefixLen:
		return usage.Errorf("sonnet-input-len", "must be above --sonnet-prefix-len, and %d is not above %d", s.SonnetInputLen, s.SonnetPrefixLen)
	case s.DatasetName == "prefix_repetition" && !s.Unbounded && s.NumPrompts < s.PrefixRepetitionPrefixes:
		return usage.Errorf("num-prompts", "must be at least --prefix-repetition-num-prefixes, and %d is below %d", s.NumPrompts, s.PrefixRepetitionPrefixes)
	case s.DatasetName == "prefix_repetition" && s.PrefixRepetitionPrefixLen+s.PrefixRepetitionSuffixLen == 0:
		return usage.Errorf("prefix-repetition-suffix-len", "and --prefix-repetition-prefix-len can't both be 0: the prompt would be empty")
	}
	return nil
}

// datasetOptions are the dataset's options for package workload.
func (s *Spec) datasetOptions() workload.Options {
	o := workload.Options{
		Dataset: s.DatasetName, NumPrompts: s.NumPrompts, Seed: uint64(s.Seed), Chat: s.Backend == BackendChat,
		Shared: workload.Shared{Path: s.DatasetPath, NoOversample: s.NoOversample, DisableShuffle: s.DisableShuffle, SkipChatTemplate: s.SkipChatTemplate},
		Own:    s.ownOptions(),
	}
	if s.Unbounded {
		o.NumPrompts = unboundedPrompts
		if s.DatasetName == "prefix_repetition" {
			o.NumPrompts = unboundedPrefixed
		}
		if s.Until != "" {
			o.NumPrompts = min(o.NumPrompts, untilPrompts)
		}
	}
	return o
}

// ownOptions are those of the chosen dataset alone.
func (s *Spec) ownOptions() any {
	switch s.DatasetName {
	case "sharegpt":
		return &workload.ShareGPTOptions{OutputLen: s.SharegptOutputLen}
	case "custom":
		return &workload.CustomOptions{OutputLen: s.CustomOutputLen}
	case "sonnet":
		return &workload.SonnetOptions{InputLen: s.SonnetInputLen, OutputLen: s.SonnetOutputLen, PrefixLen: s.SonnetPrefixLen}
	case "prefix_repetition":
		return &workload.PrefixRepetitionOptions{PrefixLen: s.PrefixRepetitionPrefixLen, SuffixLen: s.PrefixRepetitionSuffixLen, NumPrefixes: s.PrefixRepetitionPrefixes, OutputLen: s.PrefixRepetitionOutputLen}
	}
	return &workload.RandomOptions{
		InputLen: s.RandomInputLen, OutputLen: s.RandomOutputLen, PrefixLen: s.RandomPrefixLen, RangeRatio: s.RandomRangeRatio,
	}
}

// How many requests a run that ends by time prepares for, at most. The prompts of
// prefix_repetition are all drawn before the first is sent.
const (
	unboundedPrompts  = 1 << 20
	unboundedPrefixed = 1 << 15
)
