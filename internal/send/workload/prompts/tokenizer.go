package prompts

import (
	"errors"
	"fmt"

	"github.com/inferometer/inferometer/tokenizer"
)

// Tokenizer is what a dataset needs at least: the server's tokenizer has no more.
type Tokenizer interface {
	Encode(text string) ([]int32, error) // without special tokens
	Decode(ids []int32) (string, error)
}

// Vocabulary is a tokenizer whose ids are known here, as that of a tokenizer.json.
type Vocabulary interface {
	Tokenizer
	VocabSize() int // without added tokens, as transformers' vocab_size
	SpecialIDs() []int32
	NumSpecialTokensToAdd() int
	EncodeWithSpecial(text string) ([]int32, error)
}

// ChatTemplate turns messages into the text that a chat endpoint would make of them.
type ChatTemplate interface {
	ApplyChatTemplate(messages []tokenizer.Message, o tokenizer.ChatOptions) (string, error)
}

var ErrNoTokenizer = errors.New("its lengths are in tokens, and there is no tokenizer: give --tokenizer, or leave out --skip-tokenizer-init")

// CountTokens is len(tokenizer(text).input_ids) in Python: special tokens
// included, where the tokenizer knows them.
func CountTokens(t Tokenizer, text string) (int, error) {
	encode := t.Encode
	if v, ok := t.(Vocabulary); ok {
		encode = v.EncodeWithSpecial
	}
	ids, err := encode(text)
	return len(ids), err
}

// AsChat renders a single user's message, for a dataset that can do without it.
func AsChat(t Tokenizer, prompt string) (string, error) {
	return RenderChat(t, []tokenizer.Message{{Role: "user", Content: prompt}}, ", or send prompts as they are (--skip-chat-template)")
}

// RenderChat renders messages. Its error goes on with what else can be done.
func RenderChat(t Tokenizer, messages []tokenizer.Message, instead string) (string, error) {
	c, ok := t.(ChatTemplate)
	if !ok {
		return "", fmt.Errorf("this tokenizer has no chat template: give a folder with --tokenizer%s", instead)
	}
	text, err := c.ApplyChatTemplate(messages, tokenizer.ChatOptions{AddGenerationPrompt: true})
	if errors.Is(err, tokenizer.ErrNoChatTemplate) {
		err = fmt.Errorf("%w%s", err, instead)
	}
	return text, err
}
