package journal

import (
	"encoding/json"
	"strconv"
)

// requestLine is how the line of a request begins. No other line holds it: in a text
// its quotes are escaped.
const requestLine = `{"request":`

// AppendRequest appends the line of r to dst, newline included. It writes what
// encoding/json would, without reflection: this runs once a request, and the
// event columns are most of a line. A line that would be longer than MaxLine, which a
// hostile server can bring about, is written without its texts, and if need be without
// its events: then it is no answer that can be measured.
func AppendRequest(dst []byte, r *Request) []byte {
	before := len(dst)
	if dst = appendRequest(dst, r); len(dst)-before <= MaxLine {
		return dst
	}
	short := *r
	short.Prompt, short.Text = nil, nil
	short.Error = joined(short.Error, "its texts are too long to be kept")
	if dst = appendRequest(dst[:before], &short); len(dst)-before <= MaxLine {
		return dst
	}
	short.Events, short.Outcome = Events{}, Protocol
	short.Error = joined(r.Error, "it has more events than a line of the journal holds")
	return appendRequest(dst[:before], &short)
}

func joined(a, b string) string {
	if a == "" {
		return b
	}
	return a + "; " + b
}

func appendRequest(dst []byte, r *Request) []byte {
	dst = append(dst, `{"request":{"i":`...)
	dst = strconv.AppendInt(dst, int64(r.Index), 10)
	dst = appendText(dst, `,"id":`, r.ID)
	if r.Warmup {
		dst = append(dst, `,"warmup":true`...)
	}
	if r.Sample {
		dst = append(dst, `,"sample":true`...)
	}
	if r.Probe {
		dst = append(dst, `,"probe":true`...)
	}
	dst = appendNonZero(dst, `,"target":`, int64(r.Target))
	dst = appendNonZero(dst, `,"agent":`, int64(r.Agent))
	dst = appendNonZero(dst, `,"conversation":`, int64(r.Conversation))
	dst = appendNonZero(dst, `,"turn":`, int64(r.Turn))
	dst = appendText(dst, `,"model":`, r.Model)
	dst = appendColumn(dst, `,"after":[`, r.After)
	dst = appendNonZero(dst, `,"delay":`, r.Delay)
	dst = appendInt(dst, `,"due":`, r.Due)
	dst = appendNonZero(dst, `,"released":`, r.Released)
	dst = appendInt(dst, `,"sent":`, r.Sent)
	dst = appendNonZero(dst, `,"connect":`, r.Connect)
	dst = appendNonZero(dst, `,"written":`, r.Written)
	dst = appendNonZero(dst, `,"headers":`, r.Headers)
	dst = appendInt(dst, `,"end":`, r.End)
	dst = appendText(dst, `,"outcome":`, string(r.Outcome))
	dst = appendNonZero(dst, `,"status":`, int64(r.Status))
	dst = appendText(dst, `,"error":`, r.Error)
	if r.Cut {
		dst = append(dst, `,"cut":true`...)
	}
	dst = appendText(dst, `,"server_id":`, r.ServerID)
	if r.NewConn {
		dst = append(dst, `,"new_conn":true`...)
	}
	dst = appendNonZero(dst, `,"reconnects":`, int64(r.Reconnects))
	dst = appendNonZero(dst, `,"retransmits":`, int64(r.Retransmits))
	dst = appendNonZero(dst, `,"reordered":`, int64(r.Reordered))
	dst = appendNonZero(dst, `,"rtt":`, r.RTT)
	dst = appendNonZero(dst, `,"inputs":`, int64(r.Inputs))
	dst = appendNonZero(dst, `,"sound_ns":`, r.SoundNs)
	dst = appendNonZero(dst, `,"media":`, int64(r.Media))
	dst = appendInt(dst, `,"prompt_tokens":`, int64(r.PromptTokens))
	dst = appendInt(dst, `,"output_tokens":`, int64(r.OutputTokens))
	dst = appendNonZero(dst, `,"usage_prompt":`, int64(r.UsagePrompt))
	dst = appendNonZero(dst, `,"usage_output":`, int64(r.UsageOutput))
	dst = appendNonZero(dst, `,"usage_cached":`, int64(r.UsageCached))
	if r.CachedKnown {
		dst = append(dst, `,"cached_known":true`...)
	}
	dst = appendNonZero(dst, `,"usage_reasoning":`, int64(r.UsageReasoning))
	if r.ReasoningKnown {
		dst = append(dst, `,"reasoning_known":true`...)
	}
	dst = appendNonZero(dst, `,"planned_ppm":`, int64(r.PlannedPPM))
	if r.PlannedKnown {
		dst = append(dst, `,"planned_known":true`...)
	}
	dst = appendNonZero(dst, `,"server_prompt_ns":`, r.ServerPromptNs)
	dst = appendNonZero(dst, `,"server_output_ns":`, r.ServerOutputNs)
	dst = appendNonZero(dst, `,"text_tokens":`, int64(r.TextTokens))
	dst = appendText(dst, `,"finish_reason":`, r.FinishReason)
	dst = appendNonZero(dst, `,"shared_reads":`, int64(r.SharedReads))
	dst = appendNonZero(dst, `,"unstamped_read":`, int64(r.UnstampedRead))
	dst = append(dst, `,"events":{`...)
	dst = appendEvents(dst, &r.Events)
	dst = append(dst, '}')
	dst = appendText(dst, `,"prompt_hash":`, r.PromptHash)
	dst = appendText(dst, `,"text_hash":`, r.TextHash)
	if r.Prompt != nil {
		dst = appendString(append(dst, `,"prompt":`...), *r.Prompt)
	}
	if r.Text != nil {
		dst = appendString(append(dst, `,"text":`...), *r.Text)
	}
	return append(dst, "}}\n"...)
}

func appendEvents(dst []byte, e *Events) []byte {
	start := len(dst)
	dst = appendColumn(dst, `,"at":[`, e.At)
	dst = appendColumn(dst, `,"lag":[`, e.Lag)
	dst = appendColumn(dst, `,"tokens":[`, e.Tokens)
	dst = appendText(dst, `,"tokens_by":`, e.TokensBy)
	dst = appendColumn(dst, `,"kind":[`, e.Kind)
	dst = appendColumn(dst, `,"size":[`, e.Size)
	dst = appendColumn(dst, `,"open":[`, e.Open)
	dst = appendColumn(dst, `,"held":[`, e.Held)
	dst = appendColumn(dst, `,"held_ns":[`, e.HeldNs)
	if len(dst) > start { // the first column's comma
		copy(dst[start:], dst[start+1:])
		dst = dst[:len(dst)-1]
	}
	return dst
}

func appendColumn[T int | int64 | EventKind](dst []byte, key string, column []T) []byte {
	if len(column) == 0 {
		return dst
	}
	dst = append(dst, key...)
	for i, v := range column {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = strconv.AppendInt(dst, int64(v), 10)
	}
	return append(dst, ']')
}

func appendInt(dst []byte, key string, v int64) []byte {
	return strconv.AppendInt(append(dst, key...), v, 10)
}

// appendNonZero leaves zero out, as omitempty does; negative values are kept.
func appendNonZero(dst []byte, key string, v int64) []byte {
	if v == 0 {
		return dst
	}
	return appendInt(dst, key, v)
}

func appendText(dst []byte, key, v string) []byte {
	if v == "" {
		return dst
	}
	return appendString(append(dst, key...), v)
}

func appendString(dst []byte, s string) []byte {
	for i := 0; i < len(s); i++ {
		if c := s[i]; c < ' ' || c > '~' || c == '"' || c == '\\' {
			b, _ := json.Marshal(s) // a string always marshals
			return append(dst, b...)
		}
	}
	dst = append(dst, '"')
	dst = append(dst, s...)
	return append(dst, '"')
}
