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
	"time"

	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

var checks = []check{
	{name: "messages arrive whole and in order", run: inOrder},
	{name: "both ends send at once", run: bothSend},
	{name: "many goroutines send at once", run: manySend},
	{name: "requests get their responses", requests: true, run: requestsAndResponses},
	{name: "the sender may reuse its buffer", run: reusesBuffer},
	{name: "the receiver may change what it got", run: changesReceived},
	{name: "Send returns when its context ends", connection: true, run: sendObservesContext},
	{name: "a message outlives the context of Send", run: outlivesContext},
	{name: "Receive returns when its context ends", brief: true, run: receiveObservesContext},
	{name: "Close wakes Receive", brief: true, run: closeWakesReceive},
	{name: "Close wakes Send", connection: true, run: closeWakesSend},
	{name: "Close can be called again", brief: true, run: closesAgain},
	{name: "the other end receives what was sent, then io.EOF", connection: true, run: endsInOrder},
	{name: "a message that is too long fails alone", limit: true, run: tooLong},
}

// all runs functions at the same time and returns the first error.
func all(functions ...func() error) error {
	errs := make(chan error, len(functions))
	for _, f := range functions {
		go func() { errs <- f() }()
	}
	for range functions {
		if err := <-errs; err != nil {
			return err
		}
	}
	return nil
}

func inOrder(ctx context.Context, e *ends) error {
	messages := first(300)
	for _, text := range []string{"ä 𝄞 \u2028 \\ \" \n \r\n \x00", "data: event: \n\n"} {
		messages = append(messages, notification(params{Text: text}))
	}
	for _, size := range []int{4 << 10, 64 << 10, 1 << 20} {
		if size += 1; e.limit == 0 || size < e.limit-100 {
			messages = append(messages, notification(params{Text: strings.Repeat("x", size)}), numbered(size))
		}
	}
	return all(
		func() error { return send(ctx, e.from, messages...) },
		func() error { return expect(ctx, e.to, messages...) },
	)
}

func bothSend(ctx context.Context, e *ends) error {
	var messages []transport.Message
	for i := range 200 {
		messages = append(messages, notification(params{Number: i, Text: strings.Repeat("x", i*8)}))
	}
	return all(
		func() error { return send(ctx, e.from, messages...) },
		func() error { return send(ctx, e.to, messages...) },
		func() error { return expect(ctx, e.from, messages...) },
		func() error { return expect(ctx, e.to, messages...) },
	)
}

func manySend(ctx context.Context, e *ends) error {
	const senders, each = 8, 50
	functions := []func() error{func() error {
		var next [senders]int
		for range senders * each {
			m, err := e.to.Receive(ctx)
			if err != nil {
				return fmt.Errorf("Receive: %w", err)
			}
			p, err := paramsOf(m)
			if err != nil {
				return err
			}
			if want := textOf(p.Sender); p.Number != next[p.Sender] || p.Text != want {
				return fmt.Errorf("of sender %d, received message %d with %d bytes of text, want message %d with %d", p.Sender, p.Number, len(p.Text), next[p.Sender], len(want))
			}
			next[p.Sender]++
		}
		return nil
	}}
	for s := range senders {
		functions = append(functions, func() error {
			for i := range each {
				if err := send(ctx, e.from, notification(params{Sender: s, Number: i, Text: textOf(s)})); err != nil {
					return err
				}
			}
			return nil
		})
	}
	return all(functions...)
}

// textOf returns the text of a sender's messages: some are short, some long.
func textOf(sender int) string { return strings.Repeat("x", 4*sender*sender*sender) }

// requestsAndResponses sends several requests. The other end sends a notification and then the response for each,
// beginning with the last request.
func requestsAndResponses(ctx context.Context, e *ends) error {
	const n = 8
	requests := make([]transport.Message, n)
	for i := range requests {
		requests[i] = request(i + 1)
	}
	return all(
		func() error {
			if err := sendApart(ctx, e.from, requests...); err != nil {
				return err
			}
			return expectResponses(ctx, e.from, n)
		},
		func() error {
			received := make([]transport.Message, n)
			for i := range received {
				m, err := e.to.Receive(ctx)
				if err != nil {
					return fmt.Errorf("Receive: %w", err)
				}
				received[n-1-i] = m
			}
			for _, m := range received {
				msg, err := jsonrpc.Parse(m.Data)
				if err != nil {
					return fmt.Errorf("a request arrived damaged: %.200q: %w", m.Data, err)
				}
				id, _ := msg.ID.Int()
				before := numbered(int(id))
				before.Stream = m.Stream
				answer := response(msg.ID, id%2 == 0)
				answer.Stream = m.Stream
				if err := send(ctx, e.to, before, answer); err != nil {
					return err
				}
			}
			return nil
		},
	)
}

// expectResponses receives what requestsAndResponses sends for n requests. What belongs to different
// requests may arrive in any order.
func expectResponses(ctx context.Context, from transport.Receiver, n int) error {
	notified := make(map[int]bool)
	answered := make(map[wire.ID]bool)
	for range 2 * n {
		m, err := from.Receive(ctx)
		if err != nil {
			return fmt.Errorf("Receive: %w", err)
		}
		msg, err := jsonrpc.Parse(m.Data)
		if err != nil {
			return fmt.Errorf("a message arrived damaged: %.200q: %w", m.Data, err)
		}
		if msg.Kind == jsonrpc.Notification {
			p, err := paramsOf(m)
			if err != nil {
				return err
			}
			notified[p.Number] = true
			continue
		}
		id, _ := msg.ID.Int()
		want := response(msg.ID, id%2 == 0)
		switch {
		case !bytes.Equal(m.Data, want.Data):
			return fmt.Errorf("received %.200q, want the response %.200q", m.Data, want.Data)
		case !notified[int(id)]:
			return fmt.Errorf("the response to request %d arrived before the notification that was sent before it", id)
		case answered[msg.ID]:
			return fmt.Errorf("the response to request %d arrived again", id)
		}
		answered[msg.ID] = true
	}
	return nil
}

func reusesBuffer(ctx context.Context, e *ends) error {
	const n = 20
	buffer := make([]byte, 0, 1<<10)
	return all(
		func() error {
			for i := range n {
				m := numbered(i)
				m.Data = append(buffer, m.Data...)
				if err := send(ctx, e.from, m); err != nil {
					return err
				}
				for j := range m.Data {
					m.Data[j] = 'x'
				}
			}
			return nil
		},
		func() error {
			if err := expect(ctx, e.to, first(n)...); err != nil {
				return fmt.Errorf("the buffer of the message was changed after Send: %w", err)
			}
			return nil
		},
	)
}

func changesReceived(ctx context.Context, e *ends) error {
	const n = 20
	return all(
		func() error { return send(ctx, e.from, first(n)...) },
		func() error {
			for i := range n {
				m, err := e.to.Receive(ctx)
				if err != nil {
					return fmt.Errorf("Receive: %w", err)
				}
				if want := numbered(i).Data; !bytes.Equal(m.Data, want) {
					return fmt.Errorf("another message was changed after Receive: received %.200q, want %.200q", m.Data, want)
				}
				m.Data = append(m.Data, " and more"...)
				for j := range m.Data {
					m.Data[j] = 'x'
				}
			}
			return nil
		},
	)
}

// errWhy is the cause of the contexts that the checks end.
var errWhy = errors.New("transporttest: the context has ended")

const (
	// fillSize is the length of the messages that fill the buffers between the ends, and fillMost their number: a
	// transport that accepts more while nobody reads is assumed to accept any number.
	fillSize = 64 << 10
	fillMost = 4 << 10
)

// fillText returns the text of a message of about fillSize bytes.
func (e *ends) fillText() string {
	size := fillSize
	if e.limit > 0 {
		size = min(size, max(e.limit-200, 0))
	}
	return strings.Repeat("x", size)
}

func sendObservesContext(ctx context.Context, e *ends) error {
	limited, cancel := context.WithTimeoutCause(ctx, 100*time.Millisecond, errWhy)
	defer cancel()
	text := e.fillText()
	var err error
	sent := 0
	for ; err == nil; sent++ {
		if sent == fillMost {
			return fmt.Errorf("Send does not wait, though nobody has received %d messages of %d bytes", sent, len(text))
		}
		err = e.from.Send(limited, notification(params{Number: sent, Text: text}))
	}
	sent-- // the last one was not
	if !errors.Is(err, errWhy) {
		return fmt.Errorf("Send: got error %q, want context.Cause of its context, %q", err, errWhy)
	}
	for i := range sent {
		if err := expect(ctx, e.to, notification(params{Number: i, Text: text})); err != nil {
			return fmt.Errorf("of %d messages that were sent, number %d: %w", sent, i, err)
		}
	}
	return nil
}

func outlivesContext(ctx context.Context, e *ends) error {
	messages := first(20)
	return all(
		func() error { return sendApart(ctx, e.from, messages...) },
		func() error { return expect(ctx, e.to, messages...) },
	)
}

func receiveObservesContext(ctx context.Context, e *ends) error {
	limited, cancel := context.WithCancelCause(ctx)
	stop := time.AfterFunc(waiting, func() { cancel(errWhy) })
	defer stop.Stop()
	if err := expectError(limited, e.to, errWhy); err != nil {
		return fmt.Errorf("the context has ended, want its context.Cause: %w", err)
	}
	return nil
}

// waiting is about how long a goroutine takes to call a method and block in it. The checks do not depend on it;
// without it, they would rarely test a blocked call.
const waiting = 10 * time.Millisecond

func closeWakesReceive(ctx context.Context, e *ends) error {
	return all(
		func() error { return expectError(ctx, e.to, transport.ErrClosed) },
		func() error {
			time.Sleep(waiting)
			return closeEnd(e.to)
		},
	)
}

func closeEnd(t transport.Transport) error {
	if err := t.Close(); err != nil {
		return fmt.Errorf("Close: %w", err)
	}
	return nil
}

func closeWakesSend(ctx context.Context, e *ends) error {
	var sent atomic.Int64
	woken := make(chan struct{})
	text := e.fillText()
	return all(
		func() error {
			defer close(woken)
			var err error
			for ; err == nil && sent.Load() < fillMost; sent.Add(1) {
				err = e.from.Send(ctx, notification(params{Text: text}))
			}
			if !errors.Is(err, transport.ErrClosed) {
				return fmt.Errorf("Send: got error %v after Close, want %q", err, transport.ErrClosed)
			}
			return nil
		},
		func() error {
			for before := int64(-1); sent.Load() > before; time.Sleep(waiting) {
				before = sent.Load()
			}
			e.from.Close() // which may report that the rest could not be delivered
			return nil
		},
		func() error {
			<-woken
			for { // what was sent, so that the other end can close, too
				if _, err := e.to.Receive(ctx); err != nil {
					return nil
				}
			}
		},
	)
}

func closesAgain(ctx context.Context, e *ends) error {
	var wg sync.WaitGroup
	errs := make(chan error, 3)
	for range cap(errs) {
		wg.Go(func() { errs <- closeEnd(e.from) })
	}
	wg.Wait()
	for range cap(errs) {
		if err := <-errs; err != nil {
			return err
		}
	}
	for range 2 {
		if err := closeEnd(e.from); err != nil {
			return fmt.Errorf("again: %w", err)
		}
		if err := e.from.Send(ctx, numbered(1)); !errors.Is(err, transport.ErrClosed) {
			return fmt.Errorf("Send: got error %v after Close, want %q", err, transport.ErrClosed)
		}
		if err := expectError(ctx, e.from, transport.ErrClosed); err != nil {
			return err
		}
	}
	return nil
}

func endsInOrder(ctx context.Context, e *ends) error {
	messages := []transport.Message{numbered(1), notification(params{Text: strings.Repeat("x", 1<<10)}), numbered(3)}
	return all(
		func() error {
			if err := send(ctx, e.from, messages...); err != nil {
				return err
			}
			return closeEnd(e.from)
		},
		func() error {
			if err := expect(ctx, e.to, messages...); err != nil {
				return err
			}
			for range 2 {
				if err := expectError(ctx, e.to, io.EOF); err != nil {
					return err
				}
			}
			return nil
		},
	)
}

func tooLong(ctx context.Context, e *ends) error {
	empty := len(notification(params{Text: "x"}).Data) - 1
	fits := notification(params{Text: strings.Repeat("x", e.limit-empty)})
	longer := []transport.Message{
		notification(params{Text: strings.Repeat("x", e.limit-empty+1)}),
		notification(params{Text: strings.Repeat("x", 3*e.limit)}),
	}
	return all(
		func() error {
			return send(ctx, e.from, fits, longer[0], numbered(1), longer[1], longer[0], numbered(2))
		},
		func() error {
			if err := expect(ctx, e.to, fits); err != nil {
				return fmt.Errorf("of a message that has just the limit: %w", err)
			}
			for _, step := range []struct {
				long []transport.Message
				next int
			}{{longer[:1], 1}, {[]transport.Message{longer[1], longer[0]}, 2}} {
				for _, m := range step.long {
					if err := e.expectTooLong(ctx, m); err != nil {
						return err
					}
				}
				if err := expect(ctx, e.to, numbered(step.next)); err != nil {
					return fmt.Errorf("after a message that is too long: %w", err)
				}
			}
			return nil
		},
	)
}

// expectTooLong calls Receive for a message that is too long.
func (e *ends) expectTooLong(ctx context.Context, m transport.Message) error {
	_, err := e.to.Receive(ctx)
	long, ok := errors.AsType[*transport.MessageError](err)
	switch {
	case !ok:
		return fmt.Errorf("Receive: got error %v for a message that is too long, want a *transport.MessageError", err)
	case long.Limit != int64(e.limit):
		return fmt.Errorf("Receive: the error for a message that is too long has the limit %d, want %d", long.Limit, e.limit)
	case len(long.Head) == 0 || !bytes.HasPrefix(m.Data, long.Head):
		return fmt.Errorf("Receive: the error for a message that is too long has the head %.200q, want the beginning of %.200q", long.Head, m.Data)
	}
	return nil
}
