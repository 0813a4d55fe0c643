package journal

import "testing"

func TestOverflow(t *testing.T) {
	for words, want := range map[string]bool{
		"HTTP 400: This model's maximum context length is 20 tokens. However, you requested 30": true,
		`{"error":{"code":"context_length_exceeded"}}`:                                          true,
		"Prompt is too long: 9 > 8":                                                             true,
		"the MAXIMUM CONTEXT is 8":                                                              true,
		"HTTP 500: out of memory":                                                               false,
		"":                                                                                      false,
	} {
		if got := Overflow(words); got != want {
			t.Errorf("%q: %v", words, got)
		}
	}
}
