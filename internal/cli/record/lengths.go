package record

import (
	"context"
	"errors"
	"net"
	"net/http"
	"os"
	"time"

	"github.com/inferometer/inferometer/internal/send/tokens"
)

// What the server is asked has its time: a server that is slow at this leaves lengths unknown, and traffic as it is.
const (
	probeTime = 3 * time.Second
	askTime   = 5 * time.Second
)

// counter asks the server for lengths; nil: it is not asked.
func (o *options) counter() *tokens.Counter {
	if o.tokenizer != "" || o.noTokenize {
		return nil
	}
	header := http.Header{}
	if key := os.Getenv("OPENAI_API_KEY"); key != "" {
		header.Set("Authorization", "Bearer "+key)
	}
	transport := &http.Transport{DialContext: (&net.Dialer{Timeout: probeTime}).DialContext, IdleConnTimeout: 2 * time.Second}
	return tokens.NewCounter(&http.Client{Transport: transport, Timeout: askTime}, o.target, header)
}

// otherwise is when lengths are known without a tokenizer and without /tokenize.
const otherwise = "the lengths of prompts will be unknown unless clients ask for usage (stream_options.include_usage) or the server tells them unasked, as llama.cpp and Ollama's own API do"

// lengths says who will count what answers do not tell, and whether the server is to be asked; no words: the tokenizer counts.
func (o *options) lengths(ctx context.Context, c *tokens.Counter) (words string, ask bool) {
	if c == nil {
		if o.noTokenize && o.tokenizer == "" {
			return "the server is not asked for lengths (--no-tokenize) and no --tokenizer was given: " + otherwise, false
		}
		return "", false
	}
	ctx, cancel := context.WithTimeout(ctx, probeTime)
	defer cancel()
	dialect, err := c.Find(ctx)
	switch {
	case err == nil:
		return "lengths that answers do not tell are asked of the server's /tokenize, which speaks as " + dialect + "'s does", true
	case errors.Is(err, tokens.ErrNotYet):
		return "the server does not answer yet: if it has no /tokenize, " + otherwise + "; --tokenizer counts in any case", true
	case errors.Is(err, tokens.ErrKey):
		return "the server's /tokenize wants a key: give it in the variable OPENAI_API_KEY, or give a --tokenizer; else " + otherwise, false
	}
	return "this server has no /tokenize and no --tokenizer was given: " + otherwise, false
}
