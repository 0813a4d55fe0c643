package sim

import (
	"fmt"
	"net/http"

	"github.com/inferometer/inferometer/internal/sim/dialect"
)

// formMemory is how much of an upload is kept in memory.
const formMemory = 32 << 20

// transcribe answers an upload of a sound with a stream of text, in vLLM's shape.
func (s *Server) transcribe(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, maxBody)
	err := r.ParseMultipartForm(formMemory)
	rec, key := s.newRecord(w, r)
	if err != nil {
		s.refuse(w, rec, http.StatusBadRequest, fmt.Errorf("the form could not be read: %w", err))
		return
	}
	defer r.MultipartForm.RemoveAll() //nolint:errcheck // what is left is the system's to clean
	requestIsIn(w)
	c, size, err := dialect.ReadSound(r)
	rec.SoundBytes = size
	if err == nil {
		err = s.fit(c)
	}
	if err != nil {
		s.refuse(w, rec, dialect.StatusOf(err), err)
		return
	}
	s.generate(w, r, rec, key, c)
}
