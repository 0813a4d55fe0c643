package record

import "github.com/inferometer/inferometer/internal/jsonscan"

// toolResults counts the results of tools among what a request adds to what was said before: those behind the last
// message of the assistant. The protocols have three forms of them.
func toolResults(fields object) (n int) {
	count := func(raw []byte) bool {
		m := readPiece(raw)
		role, kind := text(m.role), text(m.kind)
		switch {
		case role == "assistant" || kind == "function_call":
			n = 0
		case role == "tool" || kind == "function_call_output":
			n++
		case len(m.content) > 0 && m.content[0] == '[':
			_ = jsonscan.Items(m.content, func(part []byte) bool { // it was found to be valid
				if text(readPiece(part).kind) == "tool_result" {
					n++
				}
				return true
			})
		}
		return true
	}
	for _, name := range []string{"messages", "input"} {
		_ = jsonscan.Items(fields[name], count) // what is no list has none
	}
	return n
}
