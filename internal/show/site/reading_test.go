package site

import (
	"context"
	"net"
	"testing"
	"time"
)

// What the first look had no time for is read by the server itself. Meanwhile whoever asks gets what there is.
func TestTheServerReadsOn(t *testing.T) {
	s := newSite(folder())
	s.tree.Patience = time.Nanosecond
	first, _, err := s.Count(time.Now())
	if err != nil || s.Unread() == 0 {
		t.Fatalf("%d runs, %d unread, %v", first, s.Unread(), err)
	}
	s.mu.Lock()
	s.goesOn = true // as if it had long to do: a look at the folder would show all
	s.mu.Unlock()
	s.tree.Patience = time.Hour
	if again, _, err := s.Count(time.Now().Add(time.Hour)); again != first || err != nil {
		t.Errorf("%d runs after %d, %v: somebody waited for a look", again, first, err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	served := make(chan error, 1)
	go func() { served <- s.Serve(ctx, l) }()
	for s.Unread() > 0 && ctx.Err() == nil {
		time.Sleep(time.Millisecond) // nobody asks for a page
	}
	if left := s.Unread(); left > 0 {
		t.Errorf("%d files are still unread", left)
	}
	cancel()
	if err := <-served; err != nil {
		t.Error(err)
	}
}
