package bench

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"sync"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/send/workload/talk"
)

// savedTalks writes conversations that are complete, with the server's answers, as a JSON
// array: the input of a next run.
type savedTalks struct {
	mu   sync.Mutex
	file *os.File
	out  *bufio.Writer
	n    int
	err  error
}

// openSaved makes the file; nil: none was asked for. It is for the user alone, since it
// holds texts.
func (r *Run) openSaved() (*savedTalks, error) {
	if r.SaveConversations == "" {
		return nil, nil
	}
	f, err := os.OpenFile(r.SaveConversations, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return nil, fmt.Errorf("save conversations: %w", err)
	}
	s := &savedTalks{file: f, out: bufio.NewWriter(f)}
	_, s.err = s.out.WriteString("[")
	return s, nil
}

// finished is load's word of a conversation that is over.
func (r *Run) finished(c *talk.Conversation, end *journal.Conversation, messages []byte) {
	if end.Outcome != journal.ConversationComplete {
		return
	}
	id := c.ID
	if id == "" {
		id = fmt.Sprintf("conversation-%d", c.Number)
	}
	name, _ := json.Marshal(id) // a text always marshals
	text := r.wire.Secrets.Scrub(string(messages))
	s := r.saved
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

func (s *savedTalks) close() error {
	if s == nil {
		return nil
	}
	_, err := s.out.WriteString("\n]\n")
	for _, e := range []error{s.out.Flush(), s.file.Close()} {
		if err == nil {
			err = e
		}
	}
	if s.err != nil {
		err = s.err
	}
	if err != nil {
		return fmt.Errorf("save conversations: %w", err)
	}
	return nil
}
