package tokenizer

import (
	"errors"
	"strings"
	"testing"
)

func TestApplyChatTemplate(t *testing.T) {
	f := loadSmall(t, "bytes")
	talk := []Message{{"user", " hi "}, {"assistant", "yes"}}
	tests := []struct {
		name     string
		messages []Message
		generate bool
		want     string // of Python's Jinja2 with trim_blocks and lstrip_blocks
	}{
		{"with the answer begun", talk, true, "<bos>[user: hi<eot>\nassistant: yes<eot>\nassistant: "},
		{"without", talk, false, "<bos>[user: hi<eot>\nassistant: yes<eot>\n"},
	}
	for _, test := range tests {
		got, err := f.ApplyChatTemplate(test.messages, ChatOptions{AddGenerationPrompt: test.generate})
		if err != nil || got != test.want {
			t.Errorf("%s: %q, %v; want %q", test.name, got, err, test.want)
		}
	}
	if _, err := f.ApplyChatTemplate([]Message{{"robot", "x"}}, ChatOptions{AddGenerationPrompt: true}); err == nil || !strings.Contains(err.Error(), "no such role: robot") {
		t.Errorf("a template that raises: %v, want its words", err)
	}
	if _, err := loadSmall(t, "runes").ApplyChatTemplate(talk, ChatOptions{AddGenerationPrompt: true}); !errors.Is(err, ErrNoChatTemplate) {
		t.Errorf("without a template: %v, want ErrNoChatTemplate", err)
	}
}

// TestChatTemplateOfQwen is what `vllm bench serve` sent for a custom prompt with this model's template.
func TestChatTemplateOfQwen(t *testing.T) {
	got, err := loadFamily(t, "qwen2_5").ApplyChatTemplate([]Message{{"user", "What is the capital of India?"}}, ChatOptions{AddGenerationPrompt: true})
	const want = "<|im_start|>system\nYou are Qwen, created by Alibaba Cloud. You are a helpful assistant.<|im_end|>\n" +
		"<|im_start|>user\nWhat is the capital of India?<|im_end|>\n<|im_start|>assistant\n"
	if err != nil || got != want {
		t.Errorf("%q, %v; want %q", got, err, want)
	}
}

// TestChatTemplateOfGemma: its template asks what the content is, and unpacks its parts if it is no string.
func TestChatTemplateOfGemma(t *testing.T) {
	got, err := loadFamily(t, "gemma3").ApplyChatTemplate([]Message{{"system", "Be brief."}, {"user", " Hi "}}, ChatOptions{AddGenerationPrompt: true})
	const want = "<bos><start_of_turn>user\nBe brief.\n\nHi<end_of_turn>\n<start_of_turn>model\n"
	if err != nil || got != want {
		t.Errorf("%q, %v; want %q", got, err, want)
	}
}
