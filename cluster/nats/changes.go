package nats

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strconv"
	"sync"
	"time"

	natsio "github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/mcpgen/mcpgen/runtime/server"
)

// changes tells the other processes which changes the clients of this one are notified of, and notifies the clients
// of this one of changes in other processes. A change goes into a set, so that no caller waits; a goroutine
// publishes what has gathered.
//
// JetStream numbers a message when it stores it, and then republishes it with its number under another subject, for all
// processes. So a process that has missed a message notices, by the next message or by looking up the last number. It
// then notifies its clients of everything.
type changes struct {
	conn    *natsio.Conn
	js      jetstream.JetStream
	stream  jetstream.Stream
	opts    *Options
	subject string
	name    string // of this process

	sub *natsio.Subscription
	in  chan *natsio.Msg

	gathered chan struct{} // has an element if there is something in the set

	mu  sync.Mutex
	set gathering

	once sync.Once // start
	quit context.CancelFunc
	ctx  context.Context
	done sync.WaitGroup
	stop func() // of OnChange; nil before start

	// Used by the goroutine that receives.
	last   uint64 // the last number received
	stored uint64 // the number last looked up, if its message should arrive before the next look-up; or 0
}

const (
	maxUpdated      = 10_000    // URIs that wait to be published
	maxUpdatedBytes = 256 << 10 // of these URIs

	maxChangesQueued = 256         // received messages
	changesPause     = time.Second // between attempts
	changesTimeout   = 2 * time.Second
	headerFrom       = "Mcp-From"
)

func openChanges(ctx context.Context, conn *natsio.Conn, js jetstream.JetStream, o *Options) (*changes, error) {
	c := &changes{
		conn: conn, js: js, opts: o, subject: o.Prefix + ".changes", name: rand.Text(),
		in: make(chan *natsio.Msg, maxChangesQueued), gathered: make(chan struct{}, 1),
	}
	arrive := c.subject + ".stored"
	var err error
	c.stream, err = js.CreateOrUpdateStream(ctx, jetstream.StreamConfig{
		Name:        o.Prefix + "_changes",
		Description: "the last change of what clients are notified of",
		Subjects:    []string{c.subject},
		MaxMsgs:     1,
		RePublish:   &jetstream.RePublish{Source: c.subject, Destination: arrive},
		Storage:     o.Storage,
		Replicas:    o.Replicas,
	})
	if err != nil {
		return nil, err
	}
	if c.sub, err = conn.ChanSubscribe(arrive, c.in); err != nil { // messages that do not fit into the queue are dropped, and count as missed
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, appendTimeout)
	defer cancel()
	if err = conn.FlushWithContext(ctx); errors.Is(err, natsio.ErrConnectionClosed) && !conn.IsClosed() {
		err = natsio.ErrDisconnected // while it reconnects, a flush is told that the connection is closed
	}
	if err == nil {
		c.last, _, err = c.lookUp(ctx)
	}
	if err != nil {
		c.sub.Unsubscribe()
		return nil, err
	}
	c.ctx, c.quit = context.WithCancel(context.Background())
	return c, nil
}

// start connects the changes with a server.
func (c *changes) start(s *server.Server) {
	c.once.Do(func() {
		c.stop = server.NewEndpoint(s).OnChange(c.add)
		c.done.Go(c.send)
		c.done.Go(func() { c.receive(s) })
	})
}

// close publishes the changes that were not published yet, in a single attempt.
func (c *changes) close() {
	c.once.Do(func() {})
	if c.stop != nil {
		c.stop()
	}
	c.quit()
	c.done.Wait()
	c.sub.Unsubscribe()
}

// A gathering is a set of changes.
type gathering struct {
	lists   server.Change // without Updated
	updated map[string]struct{}
	bytes   int // of updated
}

func (g *gathering) add(c server.Change) {
	l := &g.lists
	l.Tools, l.Prompts, l.Resources, l.Any = l.Tools || c.Tools, l.Prompts || c.Prompts, l.Resources || c.Resources, l.Any || c.Any
	for _, uri := range c.Updated {
		if _, again := g.updated[uri]; again || l.Any {
			continue
		}
		if len(g.updated) == maxUpdated || g.bytes+len(uri) > maxUpdatedBytes {
			l.Any = true
			break
		}
		if g.updated == nil {
			g.updated = make(map[string]struct{})
		}
		g.updated[uri] = struct{}{}
		g.bytes += len(uri)
	}
	if l.Any {
		g.updated, g.bytes = nil, 0
	}
}

func (g *gathering) isEmpty() bool {
	l := &g.lists
	return !l.Tools && !l.Prompts && !l.Resources && !l.Any && len(g.updated) == 0
}

// encode returns the set as JSON. If that has more than most bytes, it says instead that anything may have changed.
func (g *gathering) encode(most int64) []byte {
	change := g.lists
	change.Updated = slices.Collect(maps.Keys(g.updated))
	data, err := json.Marshal(change)
	if err != nil || int64(len(data)) > most {
		return []byte(`{"any":true}`)
	}
	return data
}

// add puts a change into the set, unless it was published already.
func (c *changes) add(change server.Change) {
	if change.Relayed {
		return
	}
	c.mu.Lock()
	c.set.add(change)
	c.mu.Unlock()
	select {
	case c.gathered <- struct{}{}:
	default:
	}
}

// take empties the set and returns it as a message, nil if it was empty.
func (c *changes) take() *natsio.Msg {
	c.mu.Lock()
	set := c.set
	c.set = gathering{}
	c.mu.Unlock()
	if set.isEmpty() {
		return nil
	}
	return &natsio.Msg{Subject: c.subject, Data: set.encode(c.conn.MaxPayload() / 2), Header: natsio.Header{
		headerFrom:            {c.name},
		jetstream.MsgIDHeader: {rand.Text()}, // so that it is stored once, even if its acknowledgement is lost
	}}
}

// send publishes changes as they gather.
func (c *changes) send() {
	for {
		select {
		case <-c.gathered:
		case <-c.ctx.Done():
		}
		m := c.take()
		if m == nil && c.ctx.Err() != nil {
			return
		}
		for logged := false; m != nil; logged = true {
			err := c.publish(m)
			if err == nil {
				break
			}
			if !logged {
				c.opts.Logger.Warn("nats: cannot tell the other processes yet what has changed", "error", err)
			}
			select {
			case <-time.After(changesPause):
			case <-c.ctx.Done():
				c.publish(m)
				return
			}
		}
	}
}

// publish stores a message. It does not try without a connection to NATS, since the client would keep a copy of each
// attempt.
func (c *changes) publish(m *natsio.Msg) error {
	if !c.conn.IsConnected() {
		return natsio.ErrDisconnected
	}
	ctx, cancel := context.WithTimeout(context.Background(), changesTimeout)
	defer cancel()
	_, err := c.js.PublishMsg(ctx, m)
	return err
}

// receive notifies the clients of s of the changes that arrive.
func (c *changes) receive(s *server.Server) {
	back := c.conn.StatusChanged(natsio.CONNECTED)
	defer c.conn.RemoveStatusListener(back)
	pause := time.NewTimer(c.opts.TTL)
	defer pause.Stop()
	for {
		select {
		case m := <-c.in:
			change := c.hear(m)
			change.Relayed = true
			s.Changed(change)
			continue
		case <-back:
		case <-pause.C:
		case <-c.ctx.Done():
			return
		}
		ctx, cancel := context.WithTimeout(c.ctx, changesTimeout)
		last, from, err := c.lookUp(ctx)
		cancel()
		if err != nil {
			pause.Reset(changesPause)
			continue
		}
		change, sure := c.compare(last, from)
		change.Relayed = true
		s.Changed(change)
		if sure {
			pause.Reset(c.opts.TTL)
		} else {
			pause.Reset(changesPause)
		}
	}
}

// hear handles a message that was stored, and returns the changes to notify the clients of.
func (c *changes) hear(m *natsio.Msg) (change server.Change) {
	number, err := strconv.ParseUint(m.Header.Get(jetstream.SequenceHeader), 10, 64)
	if err != nil || number <= c.last {
		return change
	}
	missed := number != c.last+1
	c.last = number
	switch {
	case missed:
		return server.Change{Any: true}
	case m.Header.Get(headerFrom) == c.name: // our clients know
	case json.Unmarshal(m.Data, &change) != nil:
		return server.Change{Any: true}
	}
	return change
}

// compare compares the number of the last stored message with that of the last one received, and returns the
// changes to notify the clients of. Sure is false if a missing message may still arrive.
func (c *changes) compare(last uint64, from string) (change server.Change, sure bool) {
	missed := c.stored
	c.stored = 0
	switch {
	case last == c.last:
		return change, true
	case last > c.last && missed <= c.last: // it was not stored yet at the previous comparison, so it may still arrive
		c.stored = last
		return change, false
	case last == c.last+1 && from == c.name: // our clients know
	default: // it was missed, or the stream was created anew
		change.Any = true
	}
	c.last = last
	return change, true
}

// lookUp returns the number of the last message, and the name of the process that sent it.
func (c *changes) lookUp(ctx context.Context) (number uint64, from string, err error) {
	m, err := lastMessage(ctx, c.stream, c.subject)
	if m == nil || err != nil {
		return 0, "", err
	}
	return m.Sequence, m.Header.Get(headerFrom), nil
}
