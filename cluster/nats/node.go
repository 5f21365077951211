package nats

import (
	"context"
	"crypto/rand"
	"errors"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	natsio "github.com/nats-io/nats.go"

	"github.com/mcpgen/mcpgen/cluster/store"
	"github.com/mcpgen/mcpgen/runtime/transport/streamable"
)

// A node is how other processes reach this one: at the subject PREFIX.node.LEASE.EXCHANGE. In both directions, the
// subjects of an exchange's frames end with its name, so that when a NATS server reports that nobody listens, the
// report reaches the right exchange.
type node struct {
	cluster *Cluster
	prefix  string // of subjects, with a dot

	ctx  context.Context
	quit context.CancelFunc
	done sync.WaitGroup

	mu        sync.Mutex
	handler   *streamable.Handler // nil until there is one
	lease     *store.Lease        // under which others reach this process, nil if they do not
	exchanges map[string]*exchange
	peers     map[string]int // how many exchanges there are with the process that has a lease
	served    []string       // where the last responses that ended were sent, at most keptServed
	passing   int            // requests that this process passes on
	stopped   bool

	drained sync.Once
	leaving chan struct{} // closed when the process is about to leave
}

// keptServed is how many recently ended responses are remembered, since they may have been lost with the
// connection.
const keptServed = 1024

var (
	errDisconnected = errors.New("the connection to the other processes was lost")
	errStopped      = errors.New("the process is shutting down")
)

func newNode(c *Cluster) *node {
	n := &node{cluster: c, prefix: c.opts.Prefix + ".node.", exchanges: make(map[string]*exchange), peers: make(map[string]int), leaving: make(chan struct{})}
	n.ctx, n.quit = context.WithCancel(context.Background())
	return n
}

// start makes the node pass requests to a handler.
func (n *node) start(h *streamable.Handler) {
	n.mu.Lock()
	first := n.handler == nil
	n.handler = h
	n.mu.Unlock()
	if !first {
		return
	}
	n.done.Go(n.watch)
	lost := n.cluster.conn.StatusChanged(natsio.RECONNECTING, natsio.DISCONNECTED, natsio.CLOSED)
	lease, sub := n.listen()
	n.done.Go(func() {
		defer n.cluster.conn.RemoveStatusListener(lost)
		n.run(lease, sub, lost)
	})
}

// drain ends the streams that this process passes on, and waits for its other requests.
func (n *node) drain(ctx context.Context) {
	n.drained.Do(func() { close(n.leaving) })
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for {
		n.mu.Lock()
		idle := n.passing == 0
		n.mu.Unlock()
		if idle {
			return
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

// count adds more to the number of requests that are passed on.
func (n *node) count(more int) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.passing += more
}

// stop ends all exchanges.
func (n *node) stop() {
	n.mu.Lock()
	n.stopped = true
	n.mu.Unlock()
	n.quit()
	n.abort(errStopped)
	n.done.Wait()
}

// listen makes others reach this process under the name of its lease. It returns nil if there is no lease.
func (n *node) listen() (*store.Lease, *natsio.Subscription) {
	lease := n.cluster.member.Lease()
	if lease == nil {
		return nil, nil
	}
	sub, err := n.cluster.conn.Subscribe(n.prefix+lease.ID()+".*", func(m *natsio.Msg) { n.receive(lease, m) })
	if err != nil {
		n.cluster.opts.Logger.Warn("nats: nobody can pass requests on to this process", "error", err)
		return nil, nil
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.lease = lease
	return lease, sub
}

// run listens under the name of the lease as long as there is one. It ends all exchanges when the lease or the
// connection ends, because messages may have been lost.
func (n *node) run(lease *store.Lease, sub *natsio.Subscription, lost <-chan natsio.Status) {
	for {
		ended := n.wait(lease, lost)
		n.mu.Lock()
		n.lease = nil
		n.mu.Unlock()
		if sub != nil {
			sub.Drain() // the senders of pending frames must learn that these are not handled
		}
		n.abort(errDisconnected)
		if ended {
			return
		}
		lease, sub = n.listen()
	}
}

// wait waits until the lease has ended, or for a while if there is none, and reports whether the node has ended.
func (n *node) wait(lease *store.Lease, lost <-chan natsio.Status) (ended bool) {
	if lease == nil {
		select {
		case <-time.After(n.cluster.opts.TTL / 20):
			return false
		case <-n.ctx.Done():
			return true
		}
	}
	for {
		select {
		case <-lease.Done():
			return false
		case <-n.ctx.Done():
			return true
		case <-lost: // the subscription is renewed by the connection
			n.abort(errDisconnected)
		}
	}
}

// abort ends all exchanges, and tells the other sides as soon as there is a connection. It also tells those to
// which responses have just ended; a side that has received its whole response no longer listens.
func (n *node) abort(why error) {
	n.mu.Lock()
	all := slices.Collect(maps.Values(n.exchanges))
	served := n.served
	n.served = nil
	n.mu.Unlock()
	for _, x := range all {
		if x.giveUp(why) != nil { // it is ending, and the other side may not have heard how
			served = append(served, x.to)
		}
	}
	for _, to := range served {
		n.cluster.conn.Publish(to, frame{kind: frameReset}.append(nil))
	}
}

// keepServed remembers to which subject a response that has ended was sent.
func (n *node) keepServed(to string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if len(n.served) == keptServed {
		n.served = append(n.served[:0], n.served[keptServed/2:]...)
	}
	n.served = append(n.served, to)
}

// receive is called with what arrives, in order.
func (n *node) receive(lease *store.Lease, m *natsio.Msg) {
	name := m.Subject[strings.LastIndexByte(m.Subject, '.')+1:]
	n.mu.Lock()
	x := n.exchanges[name]
	h := n.handler
	n.mu.Unlock()
	if x != nil && len(m.Data) == 0 && m.Header.Get("Status") == "503" {
		x.end(errNobody)
		return
	}
	f, err := parseFrame(m.Data)
	if err != nil {
		return
	}
	switch {
	case x != nil:
		x.receive(f)
	case f.kind == frameOpen && f.number == 1 && strings.HasPrefix(m.Reply, n.prefix):
		n.accept(h, lease, name, m.Reply, f)
	case f.kind != frameReset && f.kind != frameEnd && m.Reply != "":
		n.cluster.conn.Publish(m.Reply, frame{kind: frameReset}.append(nil))
	}
}

// open begins an exchange with the process that has a lease.
func (n *node) open(lease string) (*exchange, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.lease == nil {
		return nil, errDisconnected
	}
	name := rand.Text()
	x := newExchange(n, name, n.prefix+lease+"."+name, n.prefix+n.lease.ID()+"."+name, lease)
	return x, n.enter(x)
}

// enter registers an exchange. The caller must call leave in the end. It is called with mu held.
func (n *node) enter(x *exchange) error {
	if n.stopped || n.exchanges[x.name] != nil {
		return errStopped
	}
	n.exchanges[x.name] = x
	n.peers[x.peer]++
	return nil
}

func (n *node) leave(x *exchange) {
	n.mu.Lock()
	defer n.mu.Unlock()
	delete(n.exchanges, x.name)
	if n.peers[x.peer]--; n.peers[x.peer] == 0 {
		delete(n.peers, x.peer)
	}
}

// watch ends the exchanges with processes that are no longer alive.
func (n *node) watch() {
	every := n.cluster.opts.TTL / 4
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-n.ctx.Done():
			return
		case <-tick.C:
		}
		n.mu.Lock()
		peers := slices.Collect(maps.Keys(n.peers))
		n.mu.Unlock()
		ctx, cancel := context.WithTimeout(n.ctx, every)
		for _, lease := range peers {
			if alive, err := n.cluster.member.Alive(ctx, lease); err == nil && !alive {
				n.bury(lease)
			}
		}
		cancel()
	}
}

// bury ends the exchanges with a process whose lease has ended.
func (n *node) bury(lease string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, x := range n.exchanges {
		if x.peer == lease {
			x.end(errDead)
		}
	}
}
