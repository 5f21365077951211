package httpclient

import "context"

// A semaphore has a number of places. A nil semaphore has no limit.
type semaphore chan struct{}

// mostPlaces is how many places a semaphore can have; more means no limit.
const mostPlaces = 1 << 20

func newSemaphore(places int) semaphore {
	if places > mostPlaces {
		return nil
	}
	return make(semaphore, places)
}

// take takes a place. It fails if none becomes free before ctx ends.
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
