package sim

import (
	"fmt"
	"net/http"
	"time"

	"github.com/inferometer/inferometer/internal/sim/engine"
)

// dialect is one protocol as servers speak it: which paths it has, how a request is read
// and how an answer is written. One file each; dialects lists them.
type dialect struct {
	paths []string
	// read understands a request.
	read func(s *Server, r *http.Request, raw []byte) (*call, error)
	// write begins a streamed answer.
	write func(c *call, a answer, id, model string, created time.Time) writer
	// whole is the answer to a request that asked for no stream.
	whole func(s *Server, c *call, p plan, j *engine.Job, rec *Record) any
	// failure is the body of an answer with another status than 200; nil: as OpenAI's.
	failure func(status int, err error) any
	// lines says that a stream is a JSON object a line, and no server-sent events.
	lines bool
	// usageWithFinish says that the finish reason comes with the usage, asked for or not.
	usageWithFinish bool
	// framing is how it is always laid out.
	framing Framing
	// endToken says that the last token of an answer that ends by itself has no text: it is
	// the one that says so.
	endToken bool
	// ownFinish says that the finish reason always has an event of its own.
	ownFinish bool
}

// emit sends one message of a stream: its name, where the protocol names them, and what
// the truth says of it.
type emit func(name, kind string, tokens int, data []byte)

// writer turns what happens in an answer into messages.
type writer interface {
	// event says what one event of the answer carries; it may take several messages.
	event(e event, out emit)
	// fail ends the answer with an error.
	fail(out emit)
	// done comes last, after an error too if the fault says so. f is for a message that is
	// no event, such as [DONE].
	done(f *framer, out emit)
}

// dialects are the protocols of this server.
var dialects = []*dialect{
	openAICompletions, openAIChat, sglang, tgi,
	openAIResponses, anthropicMessages,
}

// dialectOf finds the protocol of a path; nil: one without tokens.
func dialectOf(path string) *dialect {
	for _, d := range dialects {
		for _, p := range d.paths {
			if p == path {
				return d
			}
		}
	}
	return nil
}

var (
	openAICompletions = &dialect{paths: []string{pathCompletions}, read: readOpenAI, write: newChunks, whole: openAIWhole}
	openAIChat        = &dialect{paths: []string{pathChat}, read: readOpenAI, write: newChunks, whole: openAIWhole}
	// openAISound is what uploads of sounds are answered in.
	openAISound = &dialect{write: newChunks, whole: openAIWhole}
)

func readOpenAI(s *Server, r *http.Request, raw []byte) (*call, error) {
	return parseCall(raw, r.URL.Path == pathChat, s.tokenizer, s.cfg.Ignore...)
}

// openAIFailure is the body of an error in OpenAI's shape, with vLLM's names.
func openAIFailure(status int, err error) any {
	kind := errorTypes[status]
	if kind == "" {
		kind = "InternalServerError"
	}
	return map[string]any{"error": map[string]any{"message": err.Error(), "type": kind, "param": nil, "code": status}}
}

// told is what the sim says when it was told to fail in the middle of an answer.
var told = fmt.Errorf("the sim was told to fail here")
