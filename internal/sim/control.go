package sim

import (
	"net/http"
	"strconv"
	"strings"

	"github.com/inferometer/inferometer/internal/clock"
)

// ReplicaHeader names the replica that answered.
const ReplicaHeader = "X-Inferometer-Replica"

// isHeaderText says whether a text can stand in a header as it is.
func isHeaderText(s string) bool {
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' {
			return false
		}
	}
	return len(s) <= maxName
}

const maxName = 256

// counted counts a request, until its record ends.
func (s *Server) counted(rec *Record, r *http.Request) {
	rec.handler = strings.TrimPrefix(r.Pattern, "POST ")
	s.life.begins()
}

// control answers a request that changes the server and generates nothing. It has a line in the truth, by which it is
// known when that happened. do gives the status of what it answered.
func (s *Server) control(do func(http.ResponseWriter, *http.Request) int) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		rec := &Record{ID: r.Header.Get("X-Request-Id"), Path: r.URL.Path, Received: clock.Now().UnixNano()}
		s.counted(rec, r)
		if rec.ID == "" {
			rec.ID = "control-" + strconv.FormatUint(s.controls.Add(1), 10)
		}
		rec.Status = do(w, r)
		s.endRecord(rec, nil)
	}
}
