package sim

import (
	"slices"
	"testing"
)

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
		if err := log.shut(); err != nil {
			t.Fatal(err)
		}
		if got := parseTruth(t, buf); len(got) != 2 {
			t.Errorf("at once %v: %d records", atOnce, len(got))
		}
	}
}

// TestSlowWrites: a write that took long is in the record with its event's number, one that did not is not.
func TestSlowWrites(t *testing.T) {
	want := [][2]int64{{1, int64(2 * slowWrite)}, {3, int64(slowWrite) + 1}}
	buf := &syncBuffer{}
	log := newTruthLog(buf, true)
	log.add(&Record{ID: "slow", Events: []int64{1, 2, 3, 4}, SlowWrites: want})
	log.add(&Record{ID: "quick", Events: []int64{1, 2}})
	if err := log.shut(); err != nil {
		t.Fatal(err)
	}
	got := parseTruth(t, buf)
	if !slices.Equal(got["slow"].SlowWrites, want) || len(got["slow"].Events) != 4 || got["quick"].SlowWrites != nil {
		t.Errorf("%+v", got)
	}
}
