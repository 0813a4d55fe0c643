package observe

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"sync"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/outside"
	"github.com/inferometer/inferometer/internal/prepare"
	"github.com/inferometer/inferometer/internal/send/load"
	"github.com/inferometer/inferometer/internal/send/workload/talk"
)

// savedConversations writes conversations that are complete, with the server's answers, as a JSON
// array: the input of a next run.
type savedConversations struct {
	Base
	path    string
	secrets *outside.Secrets

	mu   sync.Mutex
	file *os.File // nil: it is not open
	out  *bufio.Writer
	n    int
	err  error
}

// NewSaved saves conversations, if --save-conversations asks for it.
func NewSaved(_ context.Context, r *prepare.Ready, _ *prepare.Host) (Observer, error) {
	if r.SaveConversations == "" {
		return nil, nil
	}
	return &savedConversations{path: r.SaveConversations, secrets: r.Values.Secrets}, nil
}

// Open makes the file. It is for the user alone, since it holds texts.
func (s *savedConversations) Open(context.Context, *Run) error {
	f, err := os.OpenFile(s.path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return fmt.Errorf("save conversations: %w", err)
	}
	s.file, s.out = f, bufio.NewWriter(f)
	_, s.err = s.out.WriteString("[")
	return nil
}

// Configure has it told of each conversation that is over.
func (s *savedConversations) Configure(cfg *load.Config) {
	if cfg.Conversations != nil {
		cfg.Conversations.Finished = s.finished
	}
}

func (s *savedConversations) finished(c *talk.Conversation, end *journal.Conversation, messages []byte) {
	if end.Outcome != journal.ConversationComplete {
		return
	}
	id := c.ID
	if id == "" {
		id = fmt.Sprintf("conversation-%d", c.Number)
	}
	name, _ := json.Marshal(id) // a text always marshals
	text := s.secrets.Scrub(string(messages))
	s.mu.Lock()
	defer s.mu.Unlock()
	separator := ",\n"
	if s.n++; s.n == 1 {
		separator = "\n"
	}
	if _, err := fmt.Fprintf(s.out, "%s{\"id\": %s, \"messages\": %s}", separator, name, text); s.err == nil {
		s.err = err
	}
}

// Stop ends the file.
func (s *savedConversations) Stop(context.Context, *journal.End) error {
	if s.file == nil {
		return nil
	}
	_, err := s.out.WriteString("\n]\n")
	for _, e := range []error{err, s.out.Flush(), s.file.Close()} {
		if s.err == nil {
			s.err = e
		}
	}
	if s.err != nil {
		return fmt.Errorf("save conversations: %w", s.err)
	}
	return nil
}
