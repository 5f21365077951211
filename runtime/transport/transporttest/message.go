package transporttest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// The methods of the messages.
const (
	requestMethod      = "transporttest/request"
	notificationMethod = "transporttest/notification"
)

// params is the type of the params of all messages, and of their results.
type params struct {
	Sender int    `json:"sender,omitempty"`
	Number int    `json:"number"`
	Text   string `json:"text,omitempty"`
}

func (p params) encode() wire.Raw {
	data, err := json.Marshal(p)
	if err != nil {
		panic(err) // it has only numbers and text
	}
	return data
}

// notification returns a notification.
func notification(p params) transport.Message {
	data := `{"jsonrpc":"2.0","method":"` + notificationMethod + `","params":` + string(p.encode()) + `}`
	return transport.Message{Data: []byte(data), Kind: jsonrpc.Notification}
}

// numbered returns a short notification.
func numbered(n int) transport.Message { return notification(params{Number: n}) }

// first returns n short notifications.
func first(n int) []transport.Message {
	messages := make([]transport.Message, n)
	for i := range messages {
		messages[i] = numbered(i)
	}
	return messages
}

// request returns a request whose id is that of its params.
func request(n int) transport.Message {
	id := wire.IntID(int64(n))
	data := fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":"%s","params":%s}`, id, requestMethod, params{Number: n}.encode())
	return transport.Message{Data: []byte(data), Kind: jsonrpc.Request, ID: id}
}

// response returns the response to a request: a result, or an error.
func response(id wire.ID, failed bool) transport.Message {
	n, _ := id.Int()
	if failed {
		e := &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "no"}
		return transport.Message{Data: jsonrpc.AppendError(nil, id, e), Kind: jsonrpc.ErrorResponse, ID: id}
	}
	data := fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, id, params{Number: int(n)}.encode())
	return transport.Message{Data: []byte(data), Kind: jsonrpc.Response, ID: id}
}

// paramsOf returns the params of a notification that was received.
func paramsOf(m transport.Message) (params, error) {
	var p params
	msg, err := jsonrpc.Parse(m.Data)
	if err == nil {
		err = json.Unmarshal(msg.Params, &p)
	}
	if err != nil {
		return p, fmt.Errorf("a message arrived damaged: %.200q: %w", m.Data, err)
	}
	return p, nil
}

// send sends messages, one after the other.
func send(ctx context.Context, to transport.Sender, messages ...transport.Message) error {
	for _, m := range messages {
		if err := to.Send(ctx, m); err != nil {
			return fmt.Errorf("Send: %w", err)
		}
	}
	return nil
}

// sendApart is send with a context for each message, which ends as soon as it is sent.
func sendApart(ctx context.Context, to transport.Sender, messages ...transport.Message) error {
	for _, m := range messages {
		once, cancel := context.WithCancel(ctx)
		err := send(once, to, m)
		cancel()
		if err != nil {
			return err
		}
	}
	return nil
}

// expect receives messages and compares them with those that were sent.
func expect(ctx context.Context, from transport.Receiver, want ...transport.Message) error {
	for _, w := range want {
		m, err := from.Receive(ctx)
		if err != nil {
			return fmt.Errorf("Receive: %w, want the message %.200q", err, w.Data)
		}
		if !bytes.Equal(m.Data, w.Data) {
			return fmt.Errorf("received a message of %d bytes, %.200q, want one of %d bytes, %.200q", len(m.Data), m.Data, len(w.Data), w.Data)
		}
	}
	return nil
}

// expectError calls Receive and compares its error.
func expectError(ctx context.Context, from transport.Receiver, want error) error {
	m, err := from.Receive(ctx)
	switch {
	case err == nil:
		return fmt.Errorf("received the message %.200q, want the error %q", m.Data, want)
	case !errors.Is(err, want):
		return fmt.Errorf("Receive: got error %q, want %q", err, want)
	}
	return nil
}
