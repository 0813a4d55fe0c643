// Package assistant is a small loop of an LLM agent, to be recorded: it plans, uses a tool, sends two sub-agents off and
// one that knows all that it knows, waits for them, and ends. What the model says decides nothing; it is only kept as the
// history of the turns that follow, as in any such loop.
package assistant

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"
)

// Assistant does jobs.
type Assistant struct {
	Base, Model string
	Client      *http.Client
	Session     string        // of the header x-session-id; empty: none is sent
	Tool        time.Duration // how long a tool takes
	Tokens      int           // of each answer at most
}

// Message is one of a chat.
type Message struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

// Call is a request that was made.
type Call struct {
	Branch       string // root, first, second, or fork
	Turn         int    // on its branch, from 0
	Begun, Ended time.Time
}

// job is one that is being done.
type job struct {
	*Assistant
	mu    sync.Mutex
	calls []Call
}

// Do does one job, and tells its calls in the order in which they ended.
func (a *Assistant) Do(ctx context.Context, task string) ([]Call, error) {
	j := &job{Assistant: a}
	root := []Message{{"system", "You are the head of a small team. Make a plan, and be brief."}, {"user", task}}
	root, err := j.turns(ctx, "root", 0, root, 2)
	if err != nil {
		return nil, err
	}
	errs := make([]error, 3)
	found := make([]string, 3)
	var all sync.WaitGroup
	for i, branch := range []string{"first", "second", "fork"} {
		all.Go(func() {
			history := []Message{{"system", "You look things up for others: you are the " + branch + " of them."}, {"user", "What is known of this? " + task}}
			if branch == "fork" {
				history = append(root[:len(root):len(root)], Message{"user", "Say the same from another side."})
			}
			history, errs[i] = j.turns(ctx, branch, 0, history, 2)
			found[i] = history[len(history)-1].Content
		})
	}
	all.Wait()
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	root = append(root, Message{"user", "Your team has found: " + strings.Join(found, " / ")})
	_, err = j.turns(ctx, "root", 2, root, 2)
	return j.calls, err
}

// turns asks, uses a tool and asks again, so many times. The history that it gives ends with an answer.
func (j *job) turns(ctx context.Context, branch string, turn int, history []Message, n int) ([]Message, error) {
	for i := range n {
		if i > 0 {
			select {
			case <-time.After(j.Tool):
			case <-ctx.Done():
				return history, ctx.Err()
			}
			history = append(history, Message{"user", fmt.Sprintf("The tool says: %d files were found.", turn+i)})
		}
		begun := time.Now()
		answer, err := j.ask(ctx, history)
		if err != nil {
			return history, fmt.Errorf("%s, turn %d: %w", branch, turn+i, err)
		}
		j.mu.Lock()
		j.calls = append(j.calls, Call{branch, turn + i, begun, time.Now()})
		j.mu.Unlock()
		history = append(history, Message{"assistant", answer})
	}
	return history, nil
}

// ask makes one request.
func (j *job) ask(ctx context.Context, messages []Message) (string, error) {
	body, err := json.Marshal(map[string]any{"model": j.Model, "messages": messages, "max_tokens": j.Tokens})
	if err != nil {
		return "", err
	}
	q, err := http.NewRequestWithContext(ctx, http.MethodPost, j.Base+"/v1/chat/completions", bytes.NewReader(body))
	if err != nil {
		return "", err
	}
	q.Header.Set("Content-Type", "application/json")
	if j.Session != "" {
		q.Header.Set("X-Session-Id", j.Session)
	}
	a, err := j.Client.Do(q)
	if err != nil {
		return "", err
	}
	defer a.Body.Close()
	var answer struct {
		Choices []struct {
			Message Message `json:"message"`
		} `json:"choices"`
	}
	if err := json.NewDecoder(a.Body).Decode(&answer); err != nil {
		return "", err
	}
	if a.StatusCode != http.StatusOK || len(answer.Choices) != 1 {
		return "", fmt.Errorf("the server answered with %s", a.Status)
	}
	return answer.Choices[0].Message.Content, nil
}
