package workload

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/inferometer/inferometer/internal/send/workload/prompts"
	"github.com/inferometer/inferometer/tokenizer"
)

// A model without a chat template: the error says which flag goes without.
func TestNoChatTemplate(t *testing.T) {
	f, err := tokenizer.Load(filepath.Join("..", "..", "..", "tokenizer", "testdata", "runes"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := prompts.AsChat(f, "hi"); err == nil || !strings.Contains(err.Error(), "(chat_template.jinja), or send prompts as they are (--skip-chat-template)") {
		t.Errorf("%v", err)
	}
}
