package treefile

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// Seconds is a time that is written as a number of seconds, without losing a nanosecond.
type Seconds time.Duration

// MarshalJSON implements json.Marshaler.
func (s Seconds) MarshalJSON() ([]byte, error) {
	whole, rest := s/Seconds(time.Second), s%Seconds(time.Second)
	if s < 0 {
		return json.Marshal(time.Duration(s).Seconds()) // a recording's clock may begin before its zero
	}
	text := strconv.FormatInt(int64(whole), 10)
	if rest > 0 {
		text += "." + strings.TrimRight(fmt.Sprintf("%09d", int64(rest)), "0")
	}
	return []byte(text), nil
}

// UnmarshalJSON implements json.Unmarshaler.
func (s *Seconds) UnmarshalJSON(raw []byte) error {
	whole, rest, _ := strings.Cut(string(raw), ".")
	w, errWhole := strconv.ParseUint(whole, 10, 32)
	r, errRest := strconv.ParseUint((rest + "000000000")[:9], 10, 32)
	if errWhole == nil && errRest == nil && len(rest) <= 9 && w <= maxSeconds {
		*s = Seconds(time.Duration(w)*time.Second + time.Duration(r))
		return nil
	}
	var f float64
	if err := json.Unmarshal(raw, &f); err != nil {
		return err
	}
	d, err := seconds(f)
	*s = Seconds(d)
	return err
}

// seconds makes a time of a number of seconds.
func seconds(s float64) (time.Duration, error) {
	if !(s >= -maxSeconds && s <= maxSeconds) { // so that nan fails too
		return 0, fmt.Errorf("a time of %g s is not within 31 years", s)
	}
	return time.Duration(math.Round(s * 1e9)), nil
}

// pause is seconds that can't be negative.
func pause(s float64) (time.Duration, error) {
	d, err := seconds(s)
	if err == nil && d < 0 {
		return 0, fmt.Errorf("a pause of %g s is less than none", s)
	}
	return d, err
}
