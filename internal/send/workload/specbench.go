package workload

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/inferometer/inferometer/internal/outside"
)

// benchSeed is what vLLM's client shuffles spec_bench and speed_bench by: it does not
// hand them the run's seed.
const benchSeed = 0

var specBench = NewKind(Kind{
	Name: "spec_bench", Doc: "The first turns of Spec-Bench's question.jsonl, by category.", File: true, AllOfFile: true,
	SharedKeys: []string{keySkipChatTemplate, keyNoOversample, keyDisableShuffle, keyChatTemplateDate},
}, openSpecBench)

// SpecBenchOptions shape the spec_bench dataset.
type SpecBenchOptions struct {
	OutputLen int    `json:"output_len" flag:"spec-bench-output-len" follows:"output-len" default:"256" min:"1" help:"tokens to generate."`
	Category  string `json:"category" flag:"spec-bench-category" help:"only questions of this category." shown:"all"`
}

func openSpecBench(o Options, own *SpecBenchOptions) (Dataset, error) {
	o.Seed = benchSeed
	return openPrompts(o, own.OutputLen, own.Category, func(raw []byte) (customLine, error) {
		var row struct{ Turns []string }
		if err := json.Unmarshal(raw, &row); err != nil {
			return customLine{}, fmt.Errorf("each line must be a JSON object with a list of turns: %w", err)
		}
		if len(row.Turns) == 0 {
			return customLine{}, fmt.Errorf("it has no turns")
		}
		return customLine{Prompt: &row.Turns[0]}, nil
	})
}

// categoriesShown is how many categories an error names.
const categoriesShown = 30

// keepCategory leaves only the entries of a category; without one, all.
func keepCategory(c *corpus, category string) error {
	if category == "" {
		return nil
	}
	var found []span
	var others []string
	for i, s := range c.spans {
		raw, err := c.read(i)
		if err != nil {
			return err
		}
		var row struct{ Category string }
		if err := json.Unmarshal(raw, &row); err != nil {
			return fmt.Errorf("%s, entry %d: %w", c.file.Name(), i+1, err)
		}
		if row.Category == category {
			found = append(found, s)
		} else if len(others) < categoriesShown && row.Category != "" && !slices.Contains(others, row.Category) {
			others = append(others, row.Category)
		}
	}
	if len(found) == 0 {
		slices.Sort(others)
		return fmt.Errorf("%s has no entry of the category %q; its categories: %s", c.file.Name(), category, outside.Sentence(strings.Join(others, ", ")))
	}
	c.spans = found
	return nil
}

var speedBench = NewKind(Kind{
	Name: "speed_bench", Doc: "The first messages of SPEED-Bench, from the folder that its prepare.py makes.", File: true, AllOfFile: true,
	SharedKeys: []string{keySkipChatTemplate, keyNoOversample, keyDisableShuffle, keyChatTemplateKwargs, keyChatTemplateDate},
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
