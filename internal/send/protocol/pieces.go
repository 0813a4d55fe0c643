package protocol

import "bytes"

// Fields calls do for each field of a JSON object, with its value as it stands in data: whatever stands
// in there, nothing is built of it. What it passes over is checked as an event is, not more.
func Fields(data []byte, do func(name, value []byte)) error {
	s := scanner{data: data}
	s.object(func(name []byte) {
		if bytes.IndexByte(name, '\\') >= 0 {
			name = appendUnescaped(nil, name)
		}
		if v := s.value(); s.err == nil {
			do(name, v)
		}
	})
	s.end()
	return s.err
}

// Items calls do for each item of a JSON list, as [Fields] does for fields, until do says false.
func Items(data []byte, do func(value []byte) bool) error {
	s, ended := scanner{data: data}, false
	s.array(func(int) {
		if v := s.value(); s.err == nil && !do(v) {
			ended = true
			s.fail() // the rest is passed over
		}
	})
	if ended {
		return nil
	}
	s.end()
	return s.err
}
