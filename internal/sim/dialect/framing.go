package dialect

import (
	"fmt"
	"math/bits"
	"strings"
)

// Framing is a set of the ways in which servers differ in how they send a
// stream. The zero value sends as vLLM does.
type Framing uint32

const (
	FrameNoSpace     Framing = 1 << iota // "data:" without a space
	FrameCRLF                            // lines end with \r\n
	FrameEventLines                      // an "event:" line before each data line
	FramePings                           // comment lines between events
	FrameSplit                           // an event in several writes, cut at awkward places
	FrameMerge                           // several events in a write
	FrameUsageLast                       // usage in the last token's event, asked for or not
	FrameNoUsage                         // no usage, though asked for
	FrameNoRole                          // chat without the role-only first event
	FrameRoleFirst                       // the role-only event at once, long before the first token
	FrameFinish                          // finish_reason in an event of its own after the last token
	FrameNoDone                          // no [DONE]
	FrameReasoning                       // chat: the first half of the tokens as "reasoning" deltas
	FrameReasoningC                      // the same as "reasoning_content"
	FrameTools                           // chat: the content as the arguments of a tool call
	FrameIncremental                     // SGLang: the text of an event is its own, not all so far
	frameEnd
)

var framingNames = []string{
	"nospace", "crlf", "event-lines", "pings", "split", "merge", "usage-last", "no-usage",
	"no-role", "role-first", "finish-event", "no-done", "reasoning", "reasoning-content", "tools",
	"incremental",
}

// FramingNames lists the names that ParseFraming knows.
func FramingNames() []string { return append([]string(nil), framingNames...) }

// ParseFraming reads a list of names such as "nospace,crlf,pings".
func ParseFraming(s string) (Framing, error) {
	var f Framing
next:
	for part := range strings.SplitSeq(s, ",") {
		part = strings.ReplaceAll(strings.TrimSpace(part), "_", "-")
		if part == "" {
			continue
		}
		for i, name := range framingNames {
			if name == part {
				f |= 1 << i
				continue next
			}
		}
		return 0, fmt.Errorf("framing %q is unknown; known are %s", part, strings.Join(framingNames, ", "))
	}
	return f, f.Validate()
}

// String is the form that ParseFraming reads.
func (f Framing) String() string {
	var parts []string
	for i, name := range framingNames {
		if f.Has(1 << i) {
			parts = append(parts, name)
		}
	}
	return strings.Join(parts, ",")
}

func (f Framing) Has(g Framing) bool { return f&g != 0 }

// Validate refuses pairs that contradict each other.
func (f Framing) Validate() error {
	if f >= frameEnd {
		return fmt.Errorf("framing %#x has unknown bits; use the Frame constants", uint32(f))
	}
	for _, pair := range []Framing{
		FrameSplit | FrameMerge, FrameUsageLast | FrameNoUsage,
		FrameNoRole | FrameRoleFirst, FrameReasoning | FrameReasoningC,
	} {
		if bits.OnesCount32(uint32(f&pair)) == 2 {
			return fmt.Errorf("framing %s: these exclude each other; give one of them", f&pair)
		}
	}
	return nil
}
