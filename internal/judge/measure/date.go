package measure

import "time"

// Date is the local time at which the run ended, as vLLM writes it.
func (r *Result) Date() string {
	ended := time.Unix(0, r.Run.StartUnixNs+int64(r.Duration*1e9))
	return ended.In(r.Zone()).Format("20060102-150405")
}

// Zone is the place of the run, not of the reader. UTC where the journal does not say.
func (r *Result) Zone() *time.Location {
	t, err := time.Parse("-07:00", r.Run.Zone)
	if err != nil {
		return time.UTC
	}
	_, offset := t.Zone()
	return time.FixedZone(r.Run.Zone, offset)
}
