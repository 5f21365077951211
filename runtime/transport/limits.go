package transport

import "time"

// Limits configures how much time and room one connection may take. 0 means the default, and a negative value no
// limit.
type Limits struct {
	// Timeout is how long a call waits for its response if neither its options nor the deadline of its
	// context say: 1 minute if 0.
	Timeout time.Duration

	// MaxTimeout is how long a call may take at most, even if it reports progress: 1 hour if 0. Of a call that needs
	// input since 2026-07-28, it is how long each of its requests may take.
	MaxTimeout time.Duration

	// SendTimeout is how long a message may wait for the other side to read: 30 seconds if 0. After
	// that the connection is closed.
	SendTimeout time.Duration

	// DrainTime is how long handlers may continue after the other side has ended the connection, before their
	// contexts end, and then how long they have to return: 2 seconds if 0.
	DrainTime time.Duration

	// MaxRequests is how many requests of the other side may be handled at once, 1024 if 0. MaxBytes is how many
	// bytes these requests and the notifications that wait may have together, 64 MiB if 0. A request beyond that
	// gets an internal error at once: if it were kept, or if nothing more were read, both sides could wait for each
	// other. A single message may always exceed MaxBytes.
	MaxRequests, MaxBytes int

	// MaxRefusals is how many error responses to what was refused may wait to be sent, 16,384 if 0; they may have 4
	// MiB together. While that many wait, nothing is read; if the other side does not read either, it is
	// disconnected after SendTimeout.
	MaxRefusals int

	// MaxNotifications is how many notifications may wait for those before them to be handled, 1024 if 0. Further
	// ones are dropped.
	MaxNotifications int

	// MaxBatch is how many messages a batch may have, 100 if 0. Only revision 2025-03-26 has batches.
	MaxBatch int

	// MaxBatchBytes is how many bytes the responses to a batch may have together, 4 MiB if 0. Further responses are
	// replaced by internal errors, and requests that have not begun by then are not handled. A single response may
	// always exceed it.
	MaxBatchBytes int
}
