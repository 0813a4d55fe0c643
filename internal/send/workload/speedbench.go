package workload

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
)

var speedBench = NewKind(Kind{
	Name: "speed_bench", Doc: "The first messages of SPEED-Bench, from the folder that its prepare.py makes.", File: true, AllOfFile: true,
	Listens: []string{keySkipChatTemplate, keyNoOversample, keyDisableShuffle, keyChatTemplateKwargs, keyChatTemplateDate},
}, openSpeedBench)

// SpeedBenchOptions shape the speed_bench dataset. As in vLLM, the general output
// length does not reach it.
type SpeedBenchOptions struct {
	Subset    string `json:"subset" flag:"speed-bench-dataset-subset" default:"qualitative" choices:"qualitative,throughput_1k,throughput_2k,throughput_8k,throughput_16k,throughput_32k" help:"which of its files."`
	OutputLen int    `json:"output_len" flag:"speed-bench-output-len" default:"4096" min:"1" help:"tokens to generate."`
	Category  string `json:"category" flag:"speed-bench-category" help:"only prompts of this category." shown:"all"`
}

func openSpeedBench(o Options, own *SpeedBenchOptions) (Dataset, error) {
	if info, err := os.Stat(o.Path); err != nil {
		return nil, err
	} else if !info.IsDir() {
		return nil, fmt.Errorf("%s is not a folder: give the one that holds %s.jsonl, which SPEED-Bench's prepare.py makes", o.Path, own.Subset)
	}
	o.Path = filepath.Join(o.Path, own.Subset+".jsonl")
	o.Seed = benchSeed
	return openPrompts(o, own.OutputLen, own.Category, func(raw []byte) (customLine, error) {
		var row struct{ Messages []struct{ Content *string } }
		if err := json.Unmarshal(raw, &row); err != nil {
			return customLine{}, fmt.Errorf("each line must be a JSON object with a list of messages: %w", err)
		}
		if len(row.Messages) == 0 || row.Messages[0].Content == nil {
			return customLine{}, fmt.Errorf("its first message has no content")
		}
		return customLine{Prompt: row.Messages[0].Content}, nil
	})
}
