package transporttest

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"sync"
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
