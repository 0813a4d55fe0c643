package programs

import "strings"

const fence = "```"

// codeOf is the program's part of an answer. A completion is taken as it is. In a chat,
// code stands in Markdown's fences, and two habits are told apart by the first fence: one
// that names a language, or has nothing before it, opens a block, which is taken; any other
// closes a block that the question had opened, and what is before it is taken, as
// lm-evaluation-harness does for humaneval_instruct. Without a fence all is code.
func codeOf(text string, chat bool) string {
	if !chat {
		return text
	}
	before, rest, fenced := strings.Cut(text, fence)
	if !fenced {
		return text
	}
	language, block, whole := strings.Cut(rest, "\n")
	opens := strings.TrimSpace(before) == "" || strings.TrimSpace(language) != "" && !strings.Contains(strings.TrimSpace(language), " ")
	if !opens {
		return before
	}
	if !whole {
		return ""
	}
	block, _, _ = strings.Cut(block, fence)
	return block
}
