package bus

import (
	"fmt"
	"strings"

	"github.com/nats-io/nats.go"

	"github.com/inferometer/inferometer/internal/outside"
)

// Only leaders may publish to an agent's subject. But the server itself publishes wherever somebody
// lets it: the messages of a store to whom a consumer names, its receipts, and the answers of others
// to the subject that a question names. Such a message has the words of someone who may not ask.

// strays counts what came to a subject and was not for who listens there.
type strays struct {
	count   int64
	trouble func(error) // told of the first; may be nil
}

// StrayError says that a message was dropped.
type StrayError struct{ Subject, Why string }

func (e *StrayError) Error() string {
	return fmt.Sprintf("a message to %s is dropped: %s; more of them are dropped and counted", e.Subject, e.Why)
}

// Strays is how many messages were dropped because they were not for this side.
func (b *Bus) Strays() int64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.strays.count
}

func (b *Bus) drop(subject, why string) {
	b.mu.Lock()
	b.strays.count++
	first := b.strays.count == 1
	b.mu.Unlock()
	if first && b.strays.trouble != nil {
		b.strays.trouble(&StrayError{outside.Word(subject), why})
	}
}

// asked says whether somebody waits for the answer to a message, who has an inbox of his own: what
// the server delivers has none, or one of the server's, and the answer of another has none.
func asked(m *nats.Msg) bool {
	return m.Reply != "" && !strings.HasPrefix(m.Reply, "$") && !strings.HasPrefix(m.Reply, Prefix+".")
}
