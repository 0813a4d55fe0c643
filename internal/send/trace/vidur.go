package trace

const (
	vidurTime   = "arrived_at"
	vidurInput  = "num_prefill_tokens"
	vidurOutput = "num_decode_tokens"
)

var vidur = &Format{
	Name: "vidur", Doc: "Vidur's traces (CSV); times are seconds, where there are any.", Timed: true,
	looks: func(head []byte) bool { return isTable(head, vidurInput, vidurOutput) },
	open: func(in *input) (rows, error) {
		return newTable(in, vidurRow, vidurInput, vidurOutput)
	},
}

func vidurRow(t *table, r *Row) error {
	if t.has(vidurTime) {
		s, err := t.float(vidurTime)
		if err != nil {
			return err
		}
		if r.At, err = seconds(s); err != nil {
			return err
		}
	}
	return t.lengths(r, vidurInput, vidurOutput)
}
