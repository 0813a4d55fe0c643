package measure

// totals are sums over requests, for which their order does not matter.
type totals struct {
	targets []target

	requests, completed int
	good                int // successes that met every target
	input, output       int64
	firstSent           int64 // of the successes; 0 if there are none
	lastEnd             int64
}

// target is a limit of --goodput.
type target struct {
	value func(*Row) (float64, bool)
	limit float64 // seconds
}

func targetsOf(goodput map[string]float64) []target {
	var list []target
	for _, m := range Metrics() {
		if ms, ok := goodput[m.Name]; ok {
			list = append(list, target{m.Value, ms / 1000})
		}
	}
	return list
}

func (t *totals) add(row *Row) {
	t.requests++
	t.lastEnd = max(t.lastEnd, row.End)
	if !row.OK {
		return
	}
	if t.completed == 0 || row.Sent < t.firstSent {
		t.firstSent = row.Sent
	}
	t.completed++
	t.input += int64(row.Prompt)
	t.output += int64(row.Output)
	if t.met(row) {
		t.good++
	}
}

// met says whether a success met every target. A metric that it has no value of is met.
func (t *totals) met(row *Row) bool {
	for _, goal := range t.targets {
		if v, _ := goal.value(row); v > goal.limit {
			return false
		}
	}
	return true
}

// result fills in what follows from the totals alone.
func (t *totals) result(r *Result) {
	last := t.lastEnd
	if t.requests == 0 && r.End != nil {
		last = r.End.At
	}
	r.Requests, r.Completed, r.Failed = t.requests, t.completed, t.requests-t.completed
	r.InputTokens, r.OutputTokens = t.input, t.output
	r.Duration = seconds(last)
	r.RequestThroughput = perSecond(r.Completed, r.Duration)
	r.OutputThroughput = perSecond(r.OutputTokens, r.Duration)
	r.TotalTokenThroughput = perSecond(r.InputTokens+r.OutputTokens, r.Duration)
	if len(t.targets) > 0 {
		g := perSecond(t.good, r.Duration)
		r.Goodput = &g
	}
}

// perSecond is n/s, and 0 where no time passed.
func perSecond[N int | int64](n N, s float64) float64 {
	if s <= 0 {
		return 0
	}
	return float64(n) / s
}
