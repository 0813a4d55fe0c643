package tokenizer_test

import (
	"embed"
	"errors"
	"fmt"
	"log"

	"github.com/inferometer/inferometer/tokenizer"
	"github.com/inferometer/inferometer/tokenizer/jinja"
)

// The folder of a model as it lies in the Hugging Face cache works the same way.
func ExampleLoad() {
	t, err := tokenizer.Load("testdata/bytes")
	if errors.Is(err, tokenizer.ErrUnsupported) {
		log.Fatal("this model's tokenizer.json needs another implementation: ", err)
	}
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(t.VocabSize(), "tokens,", t.Len(), "with the added ones")
	// Output: 316 tokens, 320 with the added ones
}

func ExampleTokenizer_Encode() {
	t, err := tokenizer.Load("testdata/bytes")
	if err != nil {
		log.Fatal(err)
	}
	ids, err := t.Encode("the server sends tokens<eot>")
	if err != nil {
		log.Fatal(err)
	}
	withSpecial, err := t.EncodeWithSpecial("the server sends tokens<eot>")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(ids)
	fmt.Println(withSpecial)
	// Output:
	// [116 257 268 293 268 289 262 115 317]
	// [316 116 257 268 293 268 289 262 115 317]
}

func ExampleTokenizer_Decode() {
	t, err := tokenizer.Load("testdata/bytes")
	if err != nil {
		log.Fatal(err)
	}
	ids, err := t.Encode("日本語 🚀")
	if err != nil {
		log.Fatal(err)
	}
	text, _ := t.Decode(ids)
	cut, _ := t.Decode(ids[:len(ids)-1]) // ends inside the last character
	fmt.Printf("%d tokens: %s\n", len(ids), text)
	fmt.Printf("%d tokens: %s\n", len(ids)-1, cut)
	// Output:
	// 14 tokens: 日本語 🚀
	// 13 tokens: 日本語 �
}

func ExampleTokenizer_ApplyChatTemplate() {
	t, err := tokenizer.Load("testdata/bytes")
	if err != nil {
		log.Fatal(err)
	}
	text, err := t.ApplyChatTemplate([]tokenizer.Message{
		{Role: "user", Content: "Hello!"},
		{Role: "assistant", Content: "Hi."},
		{Role: "user", Content: "How are you?"},
	}, tokenizer.ChatOptions{AddGenerationPrompt: true})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%q\n", text)
	// Output: "<bos>[user: Hello!<eot>\nassistant: Hi.<eot>\nuser: How are you?<eot>\nassistant: "
}

// Messages as they stand in a request to an OpenAI-compatible server.
func ExampleTokenizer_RenderChat() {
	t, err := tokenizer.Load("testdata/bytes")
	if err != nil {
		log.Fatal(err)
	}
	messages, err := jinja.FromJSON([]byte(`[{"role": "user", "content": "What is 6 times 7?"}]`))
	if err != nil {
		log.Fatal(err)
	}
	text, err := t.RenderChat(map[string]any{"messages": messages, "add_generation_prompt": true})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%q\n", text)
	// Output: "<bos>[user: What is 6 times 7?<eot>\nassistant: "
}

//go:embed testdata/bytes
var models embed.FS

// A tokenizer that is a part of the program.
func ExampleLoadFS() {
	t, err := tokenizer.LoadFS(models, "testdata/bytes", tokenizer.Options{})
	if err != nil {
		log.Fatal(err)
	}
	n, err := t.Count("the server sends tokens")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(n, "tokens")
	// Output: 8 tokens
}

// Many texts, without memory for each.
func ExampleTokenizer_AppendEncode() {
	t, err := tokenizer.Load("testdata/bytes")
	if err != nil {
		log.Fatal(err)
	}
	var ids []int32
	for _, text := range []string{"the server", "sends tokens"} {
		if ids, err = t.AppendEncode(ids[:0], text); err != nil {
			log.Fatal(err)
		}
		fmt.Println(ids)
	}
	// Output:
	// [116 257 268 293]
	// [115 289 262 115]
}

func ExampleTokenizer_EncodeOffsets() {
	t, err := tokenizer.Load("testdata/bytes")
	if err != nil {
		log.Fatal(err)
	}
	const text = "the server sends tokens"
	_, offsets, err := t.EncodeOffsets(text)
	if err != nil {
		log.Fatal(err)
	}
	for _, o := range offsets {
		fmt.Printf("%q ", text[o.Start:o.End])
	}
	// Output: "t" "he" " s" "erver" " s" "ends" " token" "s"
}
