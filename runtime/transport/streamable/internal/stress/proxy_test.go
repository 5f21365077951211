package stress

import (
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// A fault is what a proxy does to a connection.
type fault int

const (
	cut      fault = iota // both directions end at once, by a reset or gracefully
	halve                 // one direction ends, the other goes on
	pause                 // a direction stands still
	overtake              // a direction waits until another connection has passed something on
	throttle              // a direction gets slow for the rest of its time
	faults
)

func (f fault) String() string {
	return [...]string{"cut", "half-closed", "delayed", "reordered", "throttled"}[f]
}

const (
	maxPause    = 200 * time.Millisecond
	maxOvertake = 200 * time.Millisecond
	slowChunk   = 512 // bytes, between pauses of slowPause
	slowPause   = 2 * time.Millisecond
)

// A proxy passes connections on to a server and does to them what networks do. What happens to the
// nth connection, and after how many bytes of it, follows from the seed alone.
type proxy struct {
	listener net.Listener
	target   string
	seed     uint64
	every    int         // bytes that pass in one direction between two faults, on average
	calm     atomic.Bool // no faults, also not to the connections that are open
	passed   atomic.Int64
	opened   atomic.Int64
	done     [faults]atomic.Int64 // how often

	wait  sync.WaitGroup
	mu    sync.Mutex
	open  map[*link]bool
	ended bool
}

// newProxy returns a proxy in front of the server at an address. It is calm at first.
func newProxy(t testing.TB, target string, seed uint64, every int) *proxy {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &proxy{listener: l, target: target, seed: seed, every: every, open: map[*link]bool{}}
	p.calm.Store(true)
	p.wait.Go(p.accept)
	t.Cleanup(p.close)
	return p
}

// url returns the URL of an endpoint behind the proxy.
func (p *proxy) url() string { return "http://" + p.listener.Addr().String() + "/mcp" }

// storm does what the proxy is for, for a time, and until each fault was there, some calls of the
// users were answered and some failed.
func (p *proxy) storm(t testing.TB, d time.Duration, users []*user) {
	t.Helper()
	p.calm.Store(false)
	time.Sleep(d)
	for f := range faults {
		settle(t, "some connections are "+f.String(), func() bool { return p.done[f].Load() > 0 })
	}
	settleOutcomes(t, users)
}

// report returns what the proxy did.
func (p *proxy) report() string {
	s := fmt.Sprintf("%d connections", p.opened.Load())
	for f := range faults {
		s += fmt.Sprintf(", %d %s", p.done[f].Load(), f)
	}
	return s
}

func (p *proxy) accept() {
	for {
		conn, err := p.listener.Accept()
		if err != nil {
			return
		}
		n := uint64(p.opened.Add(1))
		p.wait.Go(func() { p.pass(conn.(*net.TCPConn), n) })
	}
}

// pass connects the nth connection with the server.
func (p *proxy) pass(client *net.TCPConn, n uint64) {
	conn, err := net.Dial("tcp", p.target)
	if err != nil {
		client.Close()
		return
	}
	l := &link{proxy: p, client: client, server: conn.(*net.TCPConn)}
	p.mu.Lock()
	p.open[l] = true
	ended := p.ended
	p.mu.Unlock()
	if ended {
		l.close()
	}
	var up sync.WaitGroup
	up.Go(func() { l.pump(l.server, client, rand.New(rand.NewPCG(p.seed, 2*n))) })
	l.pump(client, l.server, rand.New(rand.NewPCG(p.seed, 2*n+1)))
	up.Wait()
	l.close()
	p.mu.Lock()
	delete(p.open, l)
	p.mu.Unlock()
}

// connections returns how many connections are open.
func (p *proxy) connections() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.open)
}

// close ends all connections.
func (p *proxy) close() {
	p.listener.Close()
	p.mu.Lock()
	p.ended = true
	for l := range p.open {
		l.close()
	}
	p.mu.Unlock()
	p.wait.Wait()
}

// A link is a connection of a client and the one to the server that belongs to it.
type link struct {
	proxy          *proxy
	client, server *net.TCPConn
}

func (l *link) close() {
	l.client.Close()
	l.server.Close()
}

// pump passes on what comes from src, until it ends or is ended.
func (l *link) pump(dst, src *net.TCPConn, random *rand.Rand) {
	p := l.proxy
	buf := make([]byte, 16<<10)
	slow := false
	next := p.distance(random)
	for {
		n, err := src.Read(buf)
		for rest := buf[:n]; len(rest) > 0; {
			if p.calm.Load() {
				slow, next = false, max(next, len(rest)+1)
			}
			k := min(len(rest), next)
			if !l.write(dst, rest[:k], slow) {
				l.close()
				return
			}
			rest = rest[k:]
			if next -= k; next > 0 {
				continue
			}
			next = p.distance(random)
			switch f := pick(random); f {
			case cut:
				p.done[f].Add(1)
				if random.IntN(2) == 0 {
					l.client.SetLinger(0)
					l.server.SetLinger(0)
				}
				l.close()
				return
			case halve:
				p.done[f].Add(1)
				dst.CloseWrite()
				io.Copy(io.Discard, src) // what is sent after that gets lost
				return
			case pause:
				p.done[f].Add(1)
				time.Sleep(time.Duration(random.Int64N(int64(maxPause))))
			case overtake:
				if p.overtaken() {
					p.done[f].Add(1)
				}
			case throttle:
				p.done[f].Add(1)
				slow = true
			}
		}
		if err != nil {
			dst.CloseWrite()
			return
		}
	}
}

// write passes data on, slowly if it is told so.
func (l *link) write(dst io.Writer, data []byte, slow bool) bool {
	for len(data) > 0 {
		k := len(data)
		if slow {
			k = min(k, slowChunk)
			time.Sleep(slowPause)
		}
		if _, err := dst.Write(data[:k]); err != nil {
			return false
		}
		l.proxy.passed.Add(1)
		data = data[k:]
	}
	return true
}

// distance returns how many bytes pass until the next fault, at least 1.
func (p *proxy) distance(random *rand.Rand) int {
	return 1 + int(random.ExpFloat64()*float64(p.every))
}

// pick returns the next fault: more of those that a connection survives.
func pick(random *rand.Rand) fault {
	switch n := random.IntN(10); {
	case n < 3:
		return cut
	case n < 4:
		return halve
	case n < 6:
		return pause
	case n < 9:
		return overtake
	}
	return throttle
}

// overtaken waits until something has passed on another connection, and reports whether it has.
func (p *proxy) overtaken() bool {
	before := p.passed.Load()
	for end := time.Now().Add(maxOvertake); time.Now().Before(end); time.Sleep(time.Millisecond) {
		if p.passed.Load() != before {
			return true
		}
	}
	return false
}
