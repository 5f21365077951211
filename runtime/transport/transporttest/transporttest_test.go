package transporttest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/transport/inmem"
)

// A faulty transport does some things in its own way, and the rest like the one in it.
type faulty struct {
	transport.Transport
	send    func(ctx context.Context, m transport.Message) error
	receive func(ctx context.Context) (transport.Message, error)
	close   func() error
}

func (f *faulty) Send(ctx context.Context, m transport.Message) error {
	if f.send != nil {
		return f.send(ctx, m)
	}
	return f.Transport.Send(ctx, m)
}

func (f *faulty) Receive(ctx context.Context) (transport.Message, error) {
	if f.receive != nil {
		return f.receive(ctx)
	}
	return f.Transport.Receive(ctx)
}

func (f *faulty) Close() error {
	if f.close != nil {
		return f.close()
	}
	return f.Transport.Close()
}

// Each check finds the fault that it is there for.
func TestFaults(t *testing.T) {
	const stuck = "a method of the transport does not return"
	for _, c := range []struct {
		fault, check string
		from, to     func(f *faulty)
		want         string // how the error begins
		or           string // another error that may come, empty if none
	}{
		{
			fault: "two messages change places", check: "messages arrive whole and in order",
			to: func(f *faulty) {
				swapped := false
				var held []transport.Message
				f.receive = func(ctx context.Context) (transport.Message, error) {
					if !swapped {
						swapped = true
						a, _ := f.Transport.Receive(ctx)
						held = append(held, a)
						return f.Transport.Receive(ctx)
					}
					if len(held) > 0 {
						m := held[0]
						held = nil
						return m, nil
					}
					return f.Transport.Receive(ctx)
				}
			},
			want: "received a message of 77 bytes",
		},
		{
			fault: "long messages are cut", check: "messages arrive whole and in order",
			from: func(f *faulty) {
				f.send = func(ctx context.Context, m transport.Message) error {
					m.Data = m.Data[:min(len(m.Data), 1<<20)]
					return f.Transport.Send(ctx, m)
				}
			},
			want: "received a message of 1048576 bytes",
		},
		{
			fault: "Send waits for an answer", check: "both ends send at once",
			from: func(f *faulty) { f.send = f.sendAndWait },
			to:   func(f *faulty) { f.send = f.sendAndWait },
			want: stuck, or: "received a message of", // Send may take what the other end has sent
		},
		{
			fault: "messages are written in pieces", check: "many goroutines send at once",
			from: func(f *faulty) {
				f.send = func(ctx context.Context, m transport.Message) error {
					half := len(m.Data) / 2
					if err := f.Transport.Send(ctx, transport.Message{Data: m.Data[:half]}); err != nil {
						return err
					}
					return f.Transport.Send(ctx, transport.Message{Data: m.Data[half:]})
				}
			},
			want: "a message arrived damaged",
		},
		{
			fault: "notifications are sent in the background", check: "requests get their responses",
			to: func(f *faulty) {
				f.send = func(ctx context.Context, m transport.Message) error {
					if m.Kind == jsonrpc.Notification {
						go func() {
							time.Sleep(waiting)
							f.Transport.Send(ctx, m)
						}()
						return nil
					}
					return f.Transport.Send(ctx, m)
				}
			},
			want: "the response to request",
		},
		{
			fault: "Send keeps the data", check: "the sender may reuse its buffer",
			from: func(f *faulty) {
				var kept []transport.Message
				f.send = func(ctx context.Context, m transport.Message) error {
					if kept = append(kept, m); len(kept) < 20 {
						return nil
					}
					return send(ctx, f.Transport, kept...)
				}
			},
			want: "the buffer of the message was changed after Send: received",
		},
		{
			fault: "Receive returns parts of one buffer", check: "the receiver may change what it got",
			to: func(f *faulty) {
				var all []byte
				f.receive = func(ctx context.Context) (transport.Message, error) {
					if all == nil {
						for range 20 {
							m, _ := f.Transport.Receive(ctx)
							all = append(append(all, m.Data...), '\n')
						}
					}
					line, rest, _ := bytes.Cut(all, []byte("\n"))
					all = rest
					return transport.Message{Data: line}, nil
				}
			},
			want: "another message was changed after Receive",
		},
		{
			fault: "Send ignores its context", check: "Send returns when its context ends",
			from: func(f *faulty) {
				f.send = func(_ context.Context, m transport.Message) error {
					return f.Transport.Send(context.Background(), m)
				}
			},
			want: stuck,
		},
		{
			fault: "Send hides the cause", check: "Send returns when its context ends",
			from: func(f *faulty) {
				f.send = func(ctx context.Context, m transport.Message) error {
					if f.Transport.Send(ctx, m) != nil {
						return ctx.Err()
					}
					return nil
				}
			},
			want: `Send: got error "context deadline exceeded", want context.Cause of its context, "transporttest: the context has ended"`,
		},
		{
			fault: "Send never waits", check: "Send returns when its context ends",
			from: func(f *faulty) { f.send = func(context.Context, transport.Message) error { return nil } },
			want: "Send does not wait, though nobody has received 4096 messages",
		},
		{
			fault: "what Send has taken ends with the context", check: "a message outlives the context of Send",
			from: func(f *faulty) {
				f.send = func(ctx context.Context, m transport.Message) error {
					m.Data = bytes.Clone(m.Data)
					go func() {
						time.Sleep(waiting)
						if ctx.Err() == nil {
							f.Transport.Send(ctx, m)
						}
					}()
					return nil
				}
			},
			want: stuck,
		},
		{
			fault: "Receive ignores its context", check: "Receive returns when its context ends",
			to:   func(f *faulty) { f.receive = f.receiveForEver },
			want: stuck,
		},
		{
			fault: "Close only closes later calls", check: "Close wakes Receive",
			to:   func(f *faulty) { f.close = func() error { return nil } },
			want: stuck,
		},
		{
			fault: "Close leaves Send waiting", check: "Close wakes Send",
			from: func(f *faulty) { f.close = func() error { return nil } },
			want: stuck,
		},
		{
			fault: "Close is an error the second time", check: "Close can be called again",
			from: func(f *faulty) {
				var mu sync.Mutex
				closed := false
				f.close = func() error {
					mu.Lock()
					defer mu.Unlock()
					if closed {
						return transport.ErrClosed
					}
					closed = true
					return f.Transport.Close()
				}
			},
			want: "Close: transport: closed",
		},
		{
			fault: "Receive returns io.EOF after Close", check: "Close can be called again",
			from: func(f *faulty) {
				f.receive = func(context.Context) (transport.Message, error) { return transport.Message{}, io.EOF }
			},
			want: `Receive: got error "EOF", want "transport: closed"`,
		},
		{
			fault: "the end looks like a fault", check: "the other end receives what was sent, then io.EOF",
			to: func(f *faulty) {
				f.receive = func(ctx context.Context) (transport.Message, error) {
					m, err := f.Transport.Receive(ctx)
					if err == io.EOF {
						err = io.ErrUnexpectedEOF
					}
					return m, err
				}
			},
			want: `Receive: got error "unexpected EOF", want "EOF"`,
		},
		{
			fault: "the end overtakes messages", check: "the other end receives what was sent, then io.EOF",
			from: func(f *faulty) {
				f.send = func(context.Context, transport.Message) error { return nil }
			},
			want: "Receive: EOF, want the message",
		},
		{
			fault: "there is no limit", check: "a message that is too long fails alone",
			want: "Receive: got error <nil> for a message that is too long",
		},
		{
			fault: "a long message ends everything", check: "a message that is too long fails alone",
			to: func(f *faulty) {
				var broken error
				f.receive = func(ctx context.Context) (transport.Message, error) {
					m, err := f.Transport.Receive(ctx)
					switch {
					case broken != nil:
						return transport.Message{}, broken
					case len(m.Data) > faultLimit:
						broken = io.ErrUnexpectedEOF
						return transport.Message{}, &transport.MessageError{Limit: faultLimit, Head: m.Data[:10]}
					}
					return m, err
				}
			},
			want: "after a message that is too long: Receive: unexpected EOF",
		},
		{
			fault: "letters are replaced", check: "messages arrive whole and in order",
			to: func(f *faulty) {
				f.receive = f.receiveChanged(func(_ int, m, _ []byte) []byte { return bytes.ReplaceAll(m, []byte("ä"), []byte("a")) })
			},
			want: "received a message of ",
		},
		{
			fault: "text is lost on the way back", check: "both ends send at once",
			from: func(f *faulty) {
				f.receive = f.receiveChanged(func(_ int, m, _ []byte) []byte { return bytes.Replace(m, []byte("xxx"), nil, 1) })
			},
			want: "received a message of ",
		},
		{
			fault: "the last response is damaged", check: "requests get their responses",
			from: func(f *faulty) {
				f.receive = f.receiveChanged(func(n int, m, _ []byte) []byte { return pick(n == 15, []byte("x"), m) })
			},
			want: "a message arrived damaged",
		},
		{
			fault: "a message arrives twice", check: "many goroutines send at once",
			to: func(f *faulty) {
				f.receive = f.receiveChanged(func(n int, m, last []byte) []byte { return pick(n == 5, last, m) })
			},
			want: "of sender ",
		},
		{
			fault: "text is lost", check: "many goroutines send at once",
			to: func(f *faulty) {
				f.receive = f.receiveChanged(func(_ int, m, _ []byte) []byte { return bytes.Replace(m, []byte("xxx"), nil, 1) })
			},
			want: "of sender ",
		},
		{
			fault: "requests are damaged", check: "requests get their responses",
			to:   func(f *faulty) { f.receive = f.receiveChanged(func(int, []byte, []byte) []byte { return []byte("x") }) },
			want: "a request arrived damaged",
		},
		{
			fault: "responses are damaged", check: "requests get their responses",
			from: func(f *faulty) { f.receive = f.receiveChanged(func(int, []byte, []byte) []byte { return []byte("x") }) },
			want: "a message arrived damaged",
		},
		{
			fault: "notifications are damaged", check: "requests get their responses",
			from: func(f *faulty) {
				f.receive = f.receiveChanged(func(_ int, m, _ []byte) []byte {
					return bytes.Replace(m, []byte(`"params":{`), []byte(`"params":{"text":7,`), 1)
				})
			},
			want: "a message arrived damaged",
		},
		{
			fault: "results are others", check: "requests get their responses",
			from: func(f *faulty) {
				f.receive = f.receiveChanged(func(_ int, m, _ []byte) []byte {
					return bytes.Replace(m, []byte(`"result":{`), []byte(`"result":{"x":1,`), 1)
				})
			},
			want: "received ",
		},
		{
			fault: "a response arrives twice", check: "requests get their responses",
			from: func(f *faulty) {
				f.receive = f.receiveChanged(func(n int, m, last []byte) []byte { return pick(n == 2, last, m) })
			},
			want: "the response to request 8 arrived again",
		},
		{
			fault: "a message is lost", check: "Send returns when its context ends",
			to:   func(f *faulty) { f.receive = f.receiveLater(1) },
			want: "of ", // so many messages that were sent, number 0
		},
		{
			fault: "Receive hides the cause", check: "Receive returns when its context ends",
			to: func(f *faulty) {
				f.receive = func(ctx context.Context) (transport.Message, error) {
					<-ctx.Done()
					return transport.Message{}, ctx.Err()
				}
			},
			want: `the context has ended, want its context.Cause: Receive: got error "context canceled"`,
		},
		{
			fault: "Send returns io.EOF after Close", check: "Close wakes Send",
			from: func(f *faulty) {
				f.send = func(ctx context.Context, m transport.Message) error {
					if f.Transport.Send(ctx, m) != nil {
						return io.EOF
					}
					return nil
				}
			},
			want: `Send: got error EOF after Close, want "transport: closed"`,
		},
		{
			fault: "Send never waits, not even for Close", check: "Close wakes Send",
			from: func(f *faulty) { f.send = func(context.Context, transport.Message) error { return nil } },
			want: "Send: got error <nil> after Close",
		},
		{
			fault: "Send succeeds after Close", check: "Close can be called again",
			from: func(f *faulty) { f.send = func(context.Context, transport.Message) error { return nil } },
			want: "Send: got error <nil> after Close",
		},
		{
			fault: "Receive succeeds after Close", check: "Close can be called again",
			from: func(f *faulty) {
				f.receive = func(context.Context) (transport.Message, error) { return numbered(1), nil }
			},
			want: "received the message",
		},
		{
			fault: "after the end comes another one", check: "the other end receives what was sent, then io.EOF",
			to: func(f *faulty) {
				ended := false
				f.receive = func(ctx context.Context) (transport.Message, error) {
					m, err := f.Transport.Receive(ctx)
					if err == io.EOF && ended {
						err = io.ErrUnexpectedEOF
					}
					ended = err != nil
					return m, err
				}
			},
			want: `Receive: got error "unexpected EOF", want "EOF"`,
		},
		{
			fault: "the limit is too low", check: "a message that is too long fails alone",
			to: func(f *faulty) {
				f.receive = f.receiveLimited(faultLimit-1, &transport.MessageError{Limit: faultLimit})
			},
			want: "of a message that has just the limit: ",
		},
		{
			fault: "the limit in the error is another one", check: "a message that is too long fails alone",
			to: func(f *faulty) {
				f.receive = f.receiveLimited(faultLimit, &transport.MessageError{Limit: faultLimit + 1, Head: []byte(`{"jsonrpc"`)})
			},
			want: "Receive: the error for a message that is too long has the limit 2097153, want 2097152",
		},
		{
			fault: "there is no head in the error", check: "a message that is too long fails alone",
			to:   func(f *faulty) { f.receive = f.receiveLimited(faultLimit, &transport.MessageError{Limit: faultLimit}) },
			want: `Receive: the error for a message that is too long has the head ""`,
		},
		{
			fault: "the head in the error is of another message", check: "a message that is too long fails alone",
			to: func(f *faulty) {
				f.receive = f.receiveLimited(faultLimit, &transport.MessageError{Limit: faultLimit, Head: []byte("x")})
			},
			want: `Receive: the error for a message that is too long has the head "x"`,
		},
	} {
		t.Run(c.fault, func(t *testing.T) {
			a, b := inmem.Pair(0)
			from, to := &faulty{Transport: a}, &faulty{Transport: b}
			t.Cleanup(func() {
				a.Close()
				b.Close()
			})
			if c.from != nil {
				c.from(from)
			}
			if c.to != nil {
				c.to(to)
			}
			limit := timeLimit
			if c.want == stuck {
				limit = time.Second / 2
			}
			err := checkNamed(t, c.check).within(t.Context(), limit, &ends{from, to, faultLimit})
			if err == nil || !strings.HasPrefix(err.Error(), c.want) && (c.or == "" || !strings.HasPrefix(err.Error(), c.or)) {
				t.Errorf("got %v\nwant %s", err, c.want)
			}
		})
	}
}

// A limited transport receives messages of at most faultLimit bytes, as it should.
type limited struct{ transport.Transport }

func (l limited) Receive(ctx context.Context) (transport.Message, error) {
	m, err := l.Transport.Receive(ctx)
	if err == nil && len(m.Data) > faultLimit {
		return transport.Message{}, &transport.MessageError{Limit: faultLimit, Head: m.Data[:100]}
	}
	return m, err
}

// A transport without faults passes all checks, in both directions, also one that is a transport.PerRequest only by its
// methods. Only the client sends requests, and only with a limit messages are too long.
func TestNoFaults(t *testing.T) {
	for limit, want := range map[int]int{faultLimit: 2*len(checks) - 1, 0: 2*len(checks) - 3} {
		t.Run(fmt.Sprint(limit), func(t *testing.T) {
			var used []*atomic.Bool
			Run(t, func(t *testing.T) (client, server transport.Transport) {
				a, b := inmem.Pair(0)
				used = append(used, new(atomic.Bool))
				return connected{limited{a}, used[len(used)-1]}, connected{limited{b}, used[len(used)-1]}
			}, &Options{MessageLimit: limit})
			n := 0
			for _, u := range used {
				if u.Load() {
					n++
				}
			}
			if n != want {
				t.Errorf("%d checks, want %d", n, want)
			}
		})
	}
}

// A connected transport has a connection, and notes that it is used.
type connected struct {
	transport.Transport
	used *atomic.Bool
}

func (connected) PerRequest() bool { return false }

func (c connected) Send(ctx context.Context, m transport.Message) error {
	c.used.Store(true)
	return c.Transport.Send(ctx, m)
}

func (c connected) Receive(ctx context.Context) (transport.Message, error) {
	c.used.Store(true)
	return c.Transport.Receive(ctx)
}

// What is sent for a request has its stream.
func TestStreams(t *testing.T) {
	a, b := inmem.Pair(0)
	t.Cleanup(func() {
		a.Close()
		b.Close()
	})
	to := &faulty{Transport: b}
	to.receive = func(ctx context.Context) (transport.Message, error) {
		m, err := b.Receive(ctx)
		m.Stream = "a stream"
		return m, err
	}
	to.send = func(ctx context.Context, m transport.Message) error {
		if m.Stream != "a stream" {
			t.Errorf("%s has the stream %v", m.Data, m.Stream)
		}
		return b.Send(ctx, m)
	}
	if err := checkNamed(t, "requests get their responses").within(t.Context(), timeLimit, &ends{a, to, 0}); err != nil {
		t.Error(err)
	}
}

var errBroken = errors.New("broken")

// uses says how often checks call the methods of both ends at least; 2 is as good as more.
var uses = map[string]map[string]int{
	"messages arrive whole and in order":                {sends: 2, receives: 2},
	"both ends send at once":                            {sends: 2, receives: 2, sendsBack: 2, receivesBack: 2},
	"many goroutines send at once":                      {sends: 2, receives: 2},
	"requests get their responses":                      {sends: 2, receives: 2, sendsBack: 2, receivesBack: 2},
	"the sender may reuse its buffer":                   {sends: 2, receives: 2},
	"the receiver may change what it got":               {sends: 2, receives: 2},
	"Send returns when its context ends":                {sends: 2, receives: 2},
	"a message outlives the context of Send":            {sends: 2, receives: 2},
	"Receive returns when its context ends":             {receives: 1},
	"Close wakes Receive":                               {receives: 1, closes: 1},
	"Close wakes Send":                                  {sends: 2},
	"Close can be called again":                         {sends: 2, receivesBack: 2, closes: 2},
	"the other end receives what was sent, then io.EOF": {sends: 2, receives: 2, closes: 1},
	"a message that is too long fails alone":            {sends: 2, receives: 2},
}

const (
	sends        = "Send of the sender"
	receives     = "Receive of the receiver"
	sendsBack    = "Send of the receiver"
	receivesBack = "Receive of the sender"
	closes       = "Close"
)

// A check fails if a method does, whatever it is there for.
func TestMethodsFail(t *testing.T) {
	fails := func(after int) func() bool {
		var mu sync.Mutex
		n := 0
		return func() bool {
			mu.Lock()
			defer mu.Unlock()
			n++
			return n > after
		}
	}
	for _, c := range checks {
		for _, after := range []int{0, 1} {
			for method, faults := range map[string]func(from, to *faulty){
				sends: func(from, _ *faulty) {
					now := fails(after)
					from.send = func(ctx context.Context, m transport.Message) error {
						if now() {
							return errBroken
						}
						return from.Transport.Send(ctx, m)
					}
				},
				sendsBack: func(_, to *faulty) {
					now := fails(after)
					to.send = func(ctx context.Context, m transport.Message) error {
						if now() {
							return errBroken
						}
						return to.Transport.Send(ctx, m)
					}
				},
				receives: func(_, to *faulty) {
					now := fails(after)
					to.receive = func(ctx context.Context) (transport.Message, error) {
						if now() {
							return transport.Message{}, errBroken
						}
						return to.Transport.Receive(ctx)
					}
				},
				receivesBack: func(from, _ *faulty) {
					now := fails(after)
					from.receive = func(ctx context.Context) (transport.Message, error) {
						if now() {
							return transport.Message{}, errBroken
						}
						return from.Transport.Receive(ctx)
					}
				},
				closes: func(from, to *faulty) {
					now := fails(after)
					for _, f := range []*faulty{from, to} {
						f.close = func() error {
							err := f.Transport.Close()
							if now() {
								err = errBroken
							}
							return err
						}
					}
				},
			} {
				want := uses[c.name][method] > after
				t.Run(c.name+"/"+method, func(t *testing.T) {
					a, b := inmem.Pair(0)
					from, to := &faulty{Transport: limited{a}}, &faulty{Transport: limited{b}}
					t.Cleanup(func() {
						a.Close()
						b.Close()
					})
					faults(from, to)
					err := c.within(t.Context(), timeLimit, &ends{from, to, faultLimit})
					if (err != nil) != want || err != nil && !strings.Contains(err.Error(), "broken") {
						t.Errorf("after %d calls: got %v, want an error: %v", after, err, want)
					}
				})
			}
		}
	}
}

// faultLimit is the longest message that faulty transports receive, as far as they have a limit.
const faultLimit = 2 << 20

// sendAndWait sends a message, and returns when something has arrived.
func (f *faulty) sendAndWait(ctx context.Context, m transport.Message) error {
	if err := f.Transport.Send(ctx, m); err != nil {
		return err
	}
	_, err := f.Transport.Receive(ctx)
	return err
}

func (f *faulty) receiveForEver(context.Context) (transport.Message, error) {
	return f.Transport.Receive(context.Background())
}

// pick returns a if the condition holds, else b.
func pick(condition bool, a, b []byte) []byte {
	if condition {
		return a
	}
	return b
}

// receiveChanged returns a function that receives message n as what change makes of it and of the one before it.
func (f *faulty) receiveChanged(change func(n int, data, last []byte) []byte) func(context.Context) (transport.Message, error) {
	n, last := -1, []byte(nil)
	return func(ctx context.Context) (transport.Message, error) {
		m, err := f.Transport.Receive(ctx)
		n++
		m.Data = change(n, m.Data, last)
		last = m.Data
		return m, err
	}
}

// receiveLater returns a function that loses the first n messages.
func (f *faulty) receiveLater(n int) func(context.Context) (transport.Message, error) {
	return func(ctx context.Context) (transport.Message, error) {
		for ; n > 0; n-- {
			f.Transport.Receive(ctx)
		}
		return f.Transport.Receive(ctx)
	}
}

// receiveLimited returns a function that receives messages of at most so many bytes, and returns an error for others.
func (f *faulty) receiveLimited(most int, tooLong error) func(context.Context) (transport.Message, error) {
	return func(ctx context.Context) (transport.Message, error) {
		m, err := f.Transport.Receive(ctx)
		if len(m.Data) > most {
			return transport.Message{}, tooLong
		}
		return m, err
	}
}

func checkNamed(t *testing.T, name string) *check {
	t.Helper()
	for i := range checks {
		if checks[i].name == name {
			return &checks[i]
		}
	}
	t.Fatalf("there is no check %q", name)
	return nil
}

// A transport without a connection has no end that its other side would notice.
func TestPerRequest(t *testing.T) {
	Run(t, func(t *testing.T) (client, server transport.Transport) {
		a, b := inmem.Pair(1000)
		endless := &faulty{Transport: b}
		endless.receive = func(ctx context.Context) (transport.Message, error) {
			m, err := b.Receive(ctx)
			if errors.Is(err, io.EOF) {
				<-ctx.Done()
				return m, context.Cause(ctx)
			}
			return m, err
		}
		return withoutConnection{a}, endless
	}, nil)
}

type withoutConnection struct{ transport.Transport }

func (withoutConnection) PerRequest() bool { return true }
