package main

import (
	"cmp"
	"context"
	"errors"
	"io"
	"log/slog"
	"time"

	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// answerTime is how long the server may take, after the end of the client's input, to answer what is
// open, and the client then to read it.
const answerTime = time.Second

// pass passes messages on between a client and a server until one of them ends the connection. It
// closes both. The error says what broke; it is nil if nothing did.
func pass(ctx context.Context, client, server transport.Transport, logger *slog.Logger) error {
	t := newTranslator(logger)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	requests, answers := make(chan error, 1), make(chan error, 1)
	go func() { requests <- pump(ctx, client, server, t, wire.Client) }()
	go func() { answers <- pump(ctx, server, client, t, wire.Server) }()

	select {
	case err := <-requests: // the client has gone, or the server does not take what it sends
		t.awaitAnswers(answerTime)
		closed := server.Close()
		time.AfterFunc(answerTime, cancel) // for a client that does not read the last answer
		<-answers
		return cmp.Or(err, closed, client.Close())
	case err := <-answers: // the server has gone, or the client does not take what it sends
		cancel()
		<-requests
		return cmp.Or(err, server.Close(), client.Close())
	}
}

// pump passes on what one side sends, until it ends the connection.
func pump(ctx context.Context, from, to transport.Transport, t *translator, side wire.Side) error {
	for {
		m, err := from.Receive(ctx)
		var one *transport.MessageError
		switch {
		case errors.As(err, &one):
			t.log.Error("a message was left out", "error", err)
			continue
		case errors.Is(err, io.EOF), errors.Is(err, transport.ErrClosed), ctx.Err() != nil:
			return nil
		case err != nil:
			return err
		}
		if err := to.Send(ctx, t.translate(side, m.Data)); err != nil {
			return err
		}
	}
}
