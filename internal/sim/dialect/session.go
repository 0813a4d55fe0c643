package dialect

import "net/http"

// sessionHeaders name the conversation of a request, or a branch of it, in the words of clients and routers.
var sessionHeaders = []string{"X-Session-Id", "X-Correlation-Id", "X-Session-Affinity", "X-Smg-Routing-Key", "X-Dynamo-Session-Id"}

// maxSession bounds what is kept of such a name.
const maxSession = 256

// Session is the conversation that the headers name; empty: none.
func Session(h http.Header) string {
	for _, name := range sessionHeaders {
		if v := h.Get(name); v != "" {
			return v[:min(len(v), maxSession)]
		}
	}
	return ""
}
