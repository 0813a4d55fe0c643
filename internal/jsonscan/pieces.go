package jsonscan

// Fields calls do for each field of a JSON object, with its value as it stands in data: whatever stands
// in there, nothing is built of it. What it passes over is checked as an event is, not more.
func Fields(data []byte, do func(name, value []byte)) error {
	s := Scanner{data: data}
	if s.Next() != '{' {
		return ErrNotJSON
	}
	s.Fields(func(name []byte) {
		name = s.Unescape(name)
		if v := s.Value(); s.Err == nil {
			do(name, v)
		}
	})
	s.End()
	return s.Err
}

// Items calls do for each item of a JSON list, as [Fields] does for fields, until do says false.
func Items(data []byte, do func(value []byte) bool) error {
	s, ended := Scanner{data: data}, false
	if s.Next() != '[' {
		return ErrNotJSON
	}
	s.Elements(func(int) {
		if v := s.Value(); s.Err == nil && !do(v) {
			ended = true
			s.fail() // the rest is passed over
		}
	})
	if ended {
		return nil
	}
	s.End()
	return s.Err
}
