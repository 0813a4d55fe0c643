package live

import "testing"

func TestFeed(t *testing.T) {
	var nobody *Feed
	nobody.Tell(&State{})
	if nobody.Last() != nil {
		t.Error("a nil feed has a state")
	}
	var f Feed
	seen := 0
	stop := f.Listen(func(s *State) { seen += int(s.Sent) })
	f.Tell(&State{Sent: 1})
	f.Tell(&State{Sent: 2})
	stop()
	f.Tell(&State{Sent: 4})
	if seen != 3 || f.Last().Sent != 4 {
		t.Errorf("seen %d, last %+v", seen, f.Last())
	}
}
