package journal

import "reflect"

// Fault is something that was done to the servers on purpose while they were under load.
type Fault struct {
	At      int64  `json:"at"`                // when it began
	Done    int64  `json:"done,omitempty"`    // when the one who did it said that it was done; 0: never
	Planned int64  `json:"planned,omitempty"` // when it was wanted; 0: by a load and not by a time
	Do      string `json:"do"`                // kill, stop, continue, drain, start, scale, slow, cut, mend, reset_cache, load_adapter, unload_adapter, command
	On      string `json:"on,omitempty"`      // whom: a replica's name; empty: the system
	URL     string `json:"url,omitempty"`     // its address, as Run.Replicas has it; empty: not one server
	Detail  string `json:"detail,omitempty"`  // what else there is to say: how many, how slow, which adapter
	Error   string `json:"error,omitempty"`   // why it was not done
}

// Fault writes what was done.
func (w *Writer) Fault(f *Fault) error { return w.line(Line{Fault: f}) }

func (f *Fault) clean() { cleanValue(reflect.ValueOf(f)) }
