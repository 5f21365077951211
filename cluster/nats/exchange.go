package nats

import (
	"context"
	"encoding/binary"
	"errors"
	"sync"
	"time"

	natsio "github.com/nats-io/nats.go"
)

// A frame is a message between two processes: a kind, a number, counted from 1 in each direction so that a lost
// frame is noticed, and data.
type frame struct {
	kind   byte
	number uint64
	data   []byte
}

// The kinds of frames. The process that received a request sends open and the rest of the body; the one that has the
// session sends accept or moved, the head of the response with the first data, more data, and end.
const (
	frameOpen   = 'o' // a request, and the beginning of its body
	frameBody   = 'b' // more of it
	frameLast   = 'l' // its end
	frameAccept = 'a' // the request is being handled
	frameMoved  = 'm' // it is not, because another process has the session
	frameHead   = 'h' // the head of the response
	frameData   = 'd' // some of its body
	frameEnd    = 'e' // its end
	frameCancel = 'c' // this side has given the exchange up
	frameCredit = 'k' // how many more frames of a body may follow
	framePing   = 'p' // the response goes on
	frameReset  = 'r' // there is no such exchange, whatever its number
)

var errFrame = errors.New("nats: what another process sends is no frame")

func (f frame) append(dst []byte) []byte {
	dst = binary.AppendUvarint(append(dst, f.kind), f.number)
	return append(dst, f.data...)
}

func parseFrame(data []byte) (frame, error) {
	if len(data) < 2 {
		return frame{}, errFrame
	}
	number, n := binary.Uvarint(data[1:])
	if n <= 0 {
		return frame{}, errFrame
	}
	return frame{data[0], number, data[1+n:]}, nil
}

const (
	chunk  = 64 << 10 // how many bytes of a body a frame has
	window = 16       // how many frames of a body one side sends before the other has taken the first
	pings  = 20 * time.Second
	silent = 3 * pings // then the other side is lost
)

var (
	errNobody = errors.New("nobody listens for the process that has the session")
	errLost   = errors.New("messages between processes were lost")
	errReset  = errors.New("the other process knows nothing of the request")
	errGone   = errors.New("the other process has given the request up")
	errDead   = errors.New("the process that handled the request has stopped before it was done; what it did until then is not known")
)

// An exchange is an HTTP request that one process passes on to another. Each of them has one.
type exchange struct {
	node     *node
	name     string
	to, from string // subjects
	peer     string // the lease of the other process

	ctx context.Context // ends with the exchange; its cause says why
	cut context.CancelCauseFunc

	in      chan frame // what arrives, in order, but credits
	credits chan struct{}

	sending sync.Mutex
	sent    uint64 // frames

	// Of the goroutine that receives.
	received uint64

	taken int // frames of a body, of the goroutine that takes them
}

func newExchange(n *node, name, to, from, peer string) *exchange {
	x := &exchange{node: n, name: name, to: to, from: from, peer: peer, in: make(chan frame, window+8), credits: make(chan struct{}, window)}
	x.ctx, x.cut = context.WithCancelCause(context.Background())
	for range window {
		x.credits <- struct{}{}
	}
	return x
}

// end ends the exchange for the goroutines of this process that use it.
func (x *exchange) end(why error) { x.cut(why) }

// receive handles a frame. It does not block: an exchange whose other side sends more than its credits allow is
// ended.
func (x *exchange) receive(f frame) {
	if f.kind == frameReset {
		x.end(errReset)
		return
	}
	if x.received++; f.number != x.received {
		x.end(errLost)
		return
	}
	switch f.kind {
	case frameCredit:
		n, _ := binary.Uvarint(f.data)
		for range min(n, window) {
			select {
			case x.credits <- struct{}{}:
			default:
			}
		}
	case frameCancel:
		x.end(errGone)
	default:
		select {
		case x.in <- f:
		default:
			x.end(errLost)
		}
	}
}

// giveUp ends the exchange, and tells the other side with a last frame. It fails if the exchange has ended before.
func (x *exchange) giveUp(why error) error {
	x.sending.Lock()
	defer x.sending.Unlock()
	defer x.end(why)
	return x.sendNext(frameCancel, nil)
}

// send sends a frame.
func (x *exchange) send(kind byte, data []byte) error {
	x.sending.Lock()
	defer x.sending.Unlock()
	return x.sendNext(kind, data)
}

// sendNext is called with sending held.
func (x *exchange) sendNext(kind byte, data []byte) error {
	if x.ctx.Err() != nil {
		return context.Cause(x.ctx)
	}
	x.sent++
	m := &natsio.Msg{Subject: x.to, Reply: x.from, Data: frame{kind, x.sent, data}.append(make([]byte, 0, len(data)+11))}
	if err := x.node.cluster.conn.PublishMsg(m); err != nil {
		x.end(err)
		return err
	}
	return nil
}

// sendBody sends a part of a body once there is a credit. It waits for one until the given time, or for ever if
// that is zero.
func (x *exchange) sendBody(kind byte, data []byte, until time.Time) error {
	var late <-chan time.Time
	if !until.IsZero() {
		timer := time.NewTimer(time.Until(until))
		defer timer.Stop()
		late = timer.C
	}
	select {
	case <-x.credits:
		return x.send(kind, data)
	case <-x.ctx.Done():
		return context.Cause(x.ctx)
	case <-late:
		return context.DeadlineExceeded
	}
}

// take gives credits back for a part of a body that was received.
func (x *exchange) take() {
	if x.taken++; x.taken == window/2 {
		x.send(frameCredit, binary.AppendUvarint(nil, uint64(x.taken)))
		x.taken = 0
	}
}
