package sim

import "testing"

// A record that is written at once is there before anything else happens; else it waits for the others.
func TestTruthAtOnce(t *testing.T) {
	for _, atOnce := range []bool{true, false} {
		buf := &syncBuffer{}
		log := newTruthLog(buf, atOnce)
		log.add(&Record{ID: "one"})
		buf.mu.Lock()
		written := buf.b.Len() > 0
		buf.mu.Unlock()
		if atOnce && !written {
			t.Error("the record is not written yet")
		}
		log.add(&Record{ID: "two"})
		if err := log.close(); err != nil {
			t.Fatal(err)
		}
		if got := parseTruth(t, buf); len(got) != 2 {
			t.Errorf("at once %v: %d records", atOnce, len(got))
		}
	}
}
