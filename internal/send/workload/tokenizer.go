package workload

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

var errNoTokenizer = errors.New("its lengths are in tokens, and there is no tokenizer: give --tokenizer, or leave out --skip-tokenizer-init")

// countTokens is len(tokenizer(text).input_ids) in Python: special tokens
// included, where the tokenizer knows them.
func countTokens(t Tokenizer, text string) (int, error) {
	encode := t.Encode
	if v, ok := t.(Vocabulary); ok {
		encode = v.EncodeWithSpecial
	}
	ids, err := encode(text)
	return len(ids), err
}

// asChat renders a single user's message, for a dataset that can do without it.
func asChat(t Tokenizer, prompt string) (string, error) {
	return renderChat(t, []tokenizer.Message{{Role: "user", Content: prompt}}, ", or send prompts as they are (--skip-chat-template)")
}

// renderChat renders messages. Its error goes on with what else can be done.
func renderChat(t Tokenizer, messages []tokenizer.Message, instead string) (string, error) {
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
