package trace

const (
	burstTime    = "Timestamp"
	burstModel   = "Model"
	burstInput   = "Request tokens"
	burstOutput  = "Response tokens"
	burstSession = "Session ID"
	burstElapsed = "Elapsed time"
)

var burstGPT = &Format{
	Name: "burstgpt", Doc: "BurstGPT, versions 1.1 and 2.0 (CSV, columns by name); times are seconds; no response tokens mean a failure.",
	Timed: true, History: true, Sessions: true,
	looks: func(head []byte) bool { return isTable(head, burstTime, burstModel, burstInput, burstOutput) },
	open: func(in *input) (rows, error) {
		turns := map[uint64]int{}
		return newTable(in, func(t *table, r *Row) error { return burstRow(t, r, turns) }, burstTime, burstInput, burstOutput)
	},
}

// burstRow reads by name: version 2.0 has two more columns before the lengths.
func burstRow(t *table, r *Row, turns map[uint64]int) error {
	s, err := t.float(burstTime)
	if err != nil {
		return err
	}
	if r.At, err = seconds(s); err != nil {
		return err
	}
	if took, err := t.float(burstElapsed); err == nil { // in version 2.0
		if r.Took, err = seconds(max(took, 0)); err != nil {
			return err
		}
	}
	if err := t.lengths(r, burstInput, burstOutput); err != nil {
		return err
	}
	r.Failed, r.Model = r.Output == 0, t.text(burstModel)
	if id := t.text(burstSession); id != "" { // requests of the API have none
		r.Session = sessionOf(id)
		turns[r.Session]++
		r.Turn = turns[r.Session]
	}
	return nil
}
