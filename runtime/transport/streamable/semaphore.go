package streamable

import "context"

// A semaphore has a number of places; a nil one has as many as are wanted.
type semaphore chan struct{}

// mostPlaces is how many places are counted; more are no limit.
const mostPlaces = 1 << 20

func newSemaphore(places int) semaphore {
	if places > mostPlaces {
		return nil
	}
	return make(semaphore, places)
}

// take takes a place, if there is one before ctx ends.
func (s semaphore) take(ctx context.Context) error {
	if s == nil {
		return ctx.Err()
	}
	select {
	case s <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// give gives a place back.
func (s semaphore) give() {
	if s != nil {
		<-s
	}
}
