package hfset

import (
	"fmt"
	"path/filepath"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/inferometer/inferometer/internal/files/table"
)

// talk are the limits within which vLLM takes a conversation.
var talk = &Limits{Prompt: 1024, Total: 2048}

// Known are the sets that vLLM 0.32's client knows, but for those of speech.
var Known = []*Set{
	{
		Names: []string{"lmarena-ai/VisionArena-Chat"}, Doc: "first message and first image", Split: "train", NoSubset: true,
		Columns: []string{"conversation", "images"}, Output: 128, Chat: true,
		Read: visionArena("conversation"),
	},
	{
		Names: []string{"lmarena-ai/vision-arena-bench-v0.1"}, Doc: "first message and first image", Split: "train", NoSubset: true,
		Columns: []string{"turns", "images"}, Output: 128, Chat: true,
		Read: visionArena("turns"),
	},
	{
		Names: []string{"yale-nlp/MMVU"}, Doc: "question and choices, with the address of a video", Split: "validation", NoSubset: true,
		Columns: []string{"question", "choices", "video"}, Output: 128, Chat: true, Read: readMMVU,
	},
	{
		Names: []string{"likaixin/InstructCoder"}, Doc: "code and an instruction", Split: "train",
		Columns: []string{"input", "instruction"}, Output: 200, Wrap: Template,
		Read: framed("{input}\n\n{instruction} Just output the code, do not include any explanation.", "input", "instruction"),
	},
	{
		Names: []string{"philschmid/mt-bench"}, Doc: "the first turn", Split: "train", Columns: []string{"turns"}, Output: 256, Wrap: Template,
		Read: func(row table.Object, _ *Options) (s Sample, ok bool, err error) {
			s.Prompt, err = text(row, "turns", 0)
			return s, true, err
		},
	},
	{
		Names: []string{"openai/openai_humaneval"}, Doc: "the head of a function", Split: "test", Columns: []string{"prompt"}, Output: 256, Wrap: Template,
		Read: framed("{prompt}", "prompt"),
	},
	{
		Names: []string{"openai/gsm8k"}, Doc: "the question", Split: "test", Subset: "main", Columns: []string{"question"}, Output: 256, Wrap: Template,
		Read: framed("{question}", "question"),
	},
	{
		Names: []string{"lmms-lab/LLaVA-OneVision-Data"}, Doc: "first message and the image", Columns: []string{"conversations", "image"},
		Limits: talk, Chat: true, Read: readTalk,
	},
	{
		Names: []string{"Aeala/ShareGPT_Vicuna_unfiltered"}, Doc: "first message", Columns: []string{"conversations", "image"}, Limits: talk, Read: readTalk,
	},
	{
		Names: []string{"AI-MO/aimo-validation-aime", "AI-MO/NuminaMath-1.5", "AI-MO/NuminaMath-CoT"}, Doc: "the problem", Split: "train",
		Columns: []string{"problem", "solution"}, Limits: &Limits{Prompt: 2048, Total: 32000},
		Read: func(row table.Object, _ *Options) (Sample, bool, error) {
			t, err := texts(row, "problem", "solution")
			return Sample{Prompt: t["problem"], Answer: t["solution"]}, true, err
		},
	},
	{
		Names: []string{"zed-industries/zeta"}, Doc: "edits and an excerpt", Split: "train", Columns: []string{"events", "input", "output"},
		OwnOutput: true, Read: readZeta,
	},
	{
		Names: []string{"vdaita/edit_5k_char", "vdaita/edit_10k_char"}, Doc: "a file and a change request", Split: "train",
		Columns: []string{"code", "change_request", "norm_distance"}, Output: 4000, Wrap: Template, Read: readBlazedit,
	},
	{
		Names: []string{"mgoin/mlperf-inference-llama2-data", "mgoin/mlperf-inference-llama3.1-data"}, Doc: "system prompt and question", Split: "train",
		Columns: []string{"system_prompt", "question", "output"}, PlainAnswer: true, Wrap: Always, Limits: &Limits{Prompt: 1024, Total: 2048, Always: true},
		Read: func(row table.Object, _ *Options) (Sample, bool, error) {
			t, err := texts(row, "system_prompt", "question", "output")
			return Sample{System: t["system_prompt"], Prompt: t["question"], Answer: t["output"]}, true, err
		},
	},
	{
		Names: []string{"Lin-Chen/MMStar"}, Doc: "the question without its options, and the image", Split: "val", NoSubset: true,
		Columns: []string{"question", "image"}, Output: 128, Chat: true, Read: readMMStar,
	},
	{
		Names: []string{"gorilla-llm/Berkeley-Function-Calling-Leaderboard"}, Doc: "the first turn's messages, with tools", NoSubset: true,
		Columns: []string{"question", "function"}, Output: 512, Chat: true, Read: readBFCL, files: bfclFiles, shuffled: bfclOrder,
	},
}

// framed puts columns into a text where it has their names in braces.
func framed(frame string, columns ...string) func(table.Object, *Options) (Sample, bool, error) {
	return func(row table.Object, _ *Options) (s Sample, ok bool, err error) {
		t, err := texts(row, columns...)
		if err != nil {
			return s, false, err
		}
		var pairs []string
		for name, value := range t {
			pairs = append(pairs, "{"+name+"}", value)
		}
		return Sample{Prompt: strings.NewReplacer(pairs...).Replace(frame)}, true, nil
	}
}

func visionArena(column string) func(table.Object, *Options) (Sample, bool, error) {
	return func(row table.Object, o *Options) (s Sample, ok bool, err error) {
		if s.Prompt, err = text(row, column, 0, 0, "content"); err != nil {
			return s, false, err
		}
		image, err := table.At(row, "images", 0)
		if err != nil {
			return s, false, err
		}
		s.Media, err = imageParts(image, o)
		return s, true, err
	}
}

// readTalk takes the first message of a conversation; the second is its answer.
func readTalk(row table.Object, o *Options) (s Sample, ok bool, err error) {
	if turns, _ := row.Get("conversations").([]any); len(turns) < 2 {
		return s, false, nil
	}
	if s.Prompt, err = text(row, "conversations", 0, "value"); err != nil {
		return s, false, err
	}
	if s.Answer, err = text(row, "conversations", 1, "value"); err != nil {
		return s, false, err
	}
	s.Media, err = imageParts(row.Get("image"), o)
	return s, true, err
}

// mmvuAddress is how the set's own addresses of videos begin.
const mmvuAddress = "https://huggingface.co/datasets/yale-nlp/MMVU/resolve/main"

func readMMVU(row table.Object, o *Options) (s Sample, ok bool, err error) {
	t, err := texts(row, "question", "video")
	if err != nil {
		return s, false, err
	}
	var b strings.Builder
	b.WriteString(t["question"] + " ")
	choices, _ := row.Get("choices").(table.Object)
	for i, c := range choices {
		if i > 0 {
			b.WriteByte(' ')
		}
		value, ok := table.Text(c.Value)
		if !ok {
			value = "None" // as Python writes that there is none
		}
		b.WriteString(c.Key + "." + value)
	}
	root, err := filepath.Abs(o.Path)
	if err != nil {
		return s, false, err
	}
	part, err := videoPart(strings.Replace(t["video"], mmvuAddress, filepath.ToSlash(root), 1))
	s.Prompt, s.Media = b.String(), append(s.Media, part)
	return s, true, err
}

const zetaFrame = `### Instruction:
You are a code completion assistant and your task is to analyze user edits and then rewrite an excerpt that the user provides, suggesting the appropriate edits within the excerpt, taking into account the cursor location.

### User Edits:

{events}

### User Excerpt:

{input}

### Response:

`

// readZeta asks for an answer as long as the recorded one from its mark on. vLLM takes the
// last letter where there is no mark.
func readZeta(row table.Object, o *Options) (s Sample, ok bool, err error) {
	if s, _, err = framed(zetaFrame, "events", "input")(row, o); err != nil {
		return s, false, err
	}
	output, err := text(row, "output")
	if err != nil {
		return s, false, err
	}
	if at := strings.Index(output, "<|editable_region_start|>"); at >= 0 {
		s.Answer = output[at:]
	} else {
		_, size := utf8.DecodeLastRuneInString(output)
		s.Answer = output[len(output)-size:]
	}
	return s, true, nil
}

const blazeditFrame = "Given a code file, please apply the change requests and generate the new file.\n\nOriginal file:\n" +
	"```python\n{code}\n```\n\nChange request:\n{change_request}\n\nPlease generate the new code file in the \"New file\" section below."

func readBlazedit(row table.Object, o *Options) (s Sample, ok bool, err error) {
	distance, there := number(row.Get("norm_distance"))
	if !there {
		return s, false, fmt.Errorf("norm_distance is no number")
	}
	if distance < o.MinDistance || distance > o.MaxDistance {
		return s, false, nil
	}
	return framed(blazeditFrame, "code", "change_request")(row, o)
}

func readMMStar(row table.Object, o *Options) (s Sample, ok bool, err error) {
	question, err := text(row, "question")
	if err != nil {
		return s, false, err
	}
	question, _, _ = strings.Cut(question, "Options:")
	s.Prompt = strings.TrimFunc(question, func(r rune) bool { return unicode.IsSpace(r) || r >= 0x1c && r <= 0x1f }) // Python's space
	s.Media, err = imageParts(row.Get("image"), o)
	return s, true, err
}
