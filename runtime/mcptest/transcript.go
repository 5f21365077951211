package mcptest

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aymanbagabas/go-udiff"
	"golang.org/x/tools/txtar"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Transcript returns the messages so far as a txtar archive: a file for each, with the message in
// indented JSON, whose name says who sends it and what it is.
//
// Messages are in the order in which the client sent and received them. That order is the same in every run if
// calls are made one after the other. For what the server sends by itself, run the test in a bubble of
// testing/synctest, and sleep there before the next call or Transcript.
func (c *Client) Transcript() []byte {
	return txtar.Format(&txtar.Archive{Files: c.recorder.transcript()})
}

// CompareTranscript fails the test if [Client.Transcript] is not what the file holds, and shows
// the difference. With update, it writes the file instead. A program that tests in this way has a
// flag for it:
//
//	var update = flag.Bool("update", false, "rewrite the transcripts")
//
// Text before the first message in the file is a comment: it has no meaning and is kept.
func (c *Client) CompareTranscript(file string, update bool) {
	c.t.Helper()
	data, err := os.ReadFile(file)
	missing := errors.Is(err, fs.ErrNotExist)
	if err != nil && !(missing && update) {
		if missing {
			err = fmt.Errorf("%w; write it by calling CompareTranscript with update", err)
		}
		c.t.Fatalf("mcptest: %v", err)
	}
	// On some systems version control changes the ends of lines.
	want := txtar.Parse(bytes.ReplaceAll(data, []byte("\r\n"), []byte("\n")))
	got := &txtar.Archive{Comment: want.Comment, Files: c.recorder.transcript()}
	if update {
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			c.t.Fatalf("mcptest: %v", err)
		}
		if err := os.WriteFile(file, txtar.Format(got), 0o666); err != nil {
			c.t.Fatalf("mcptest: %v", err)
		}
		return
	}
	if diff := udiff.Unified(file, "this run", string(txtar.Format(want)), string(txtar.Format(got))); diff != "" {
		c.t.Errorf("mcptest: the transcript differs:\n%s", diff)
	}
}

// A recorder is the client's end of a connection, and remembers the messages that pass.
type recorder struct {
	transport.Transport
	masked *regexp.Regexp // in indented JSON

	mu       sync.Mutex
	messages []txtar.File
	open     map[request]string // methods of the requests without a response
}

// A request is identified by its id and its sender.
type request struct {
	from string
	id   wire.ID
}

// The two sides.
const (
	fromClient = "client"
	fromServer = "server"
)

func newRecorder(t transport.Transport, mask []string) *recorder {
	names := []string{"requestState", "elicitationId"}
	for _, name := range mask {
		names = append(names, regexp.QuoteMeta(name))
	}
	return &recorder{
		Transport: t,
		masked:    regexp.MustCompile(`(?m)^( *"(?:` + strings.Join(names, "|") + `)": )".*"(,?)$`),
		open:      make(map[request]string),
	}
}

// Send implements [transport.Sender].
func (r *recorder) Send(ctx context.Context, m transport.Message) error {
	r.record(fromClient, m.Data) // before it is sent, and so before it is answered
	return r.Transport.Send(ctx, m)
}

// Receive implements [transport.Receiver].
func (r *recorder) Receive(ctx context.Context) (transport.Message, error) {
	m, err := r.Transport.Receive(ctx)
	if err == nil {
		r.record(fromServer, m.Data)
	}
	return m, err
}

// record records a message.
func (r *recorder) record(from string, data []byte) {
	r.mu.Lock()
	defer r.mu.Unlock()
	to := fromServer
	if from == fromServer {
		to = fromClient
	}
	what := "no valid message"
	m, err := jsonrpc.Parse(data)
	if err == nil {
		switch m.Kind {
		case jsonrpc.Request:
			what = m.Method
			r.open[request{from, m.ID}] = strings.Clone(m.Method)
		case jsonrpc.Notification:
			what = m.Method
			r.cancelled(from, m)
		case jsonrpc.Response, jsonrpc.ErrorResponse:
			what = fmt.Sprintf("%s to %s", m.Kind, cmp.Or(r.open[request{to, m.ID}], "no request"))
			delete(r.open, request{to, m.ID})
		}
	} else if jsonrpc.IsBatch(data) {
		what = "batch"
	}
	r.messages = append(r.messages, txtar.File{Name: from + ": " + what, Data: bytes.Clone(data)})
}

// cancelled records a cancellation.
func (r *recorder) cancelled(from string, m jsonrpc.Message) {
	if m.Method != mcp.MethodCancelledNotification.Name {
		return
	}
	var params mcp.CancelledNotificationParams
	if wire.Decode(m.Params, &params) == nil {
		delete(r.open, request{from, params.RequestID})
	}
}

// transcript returns the messages so far.
func (r *recorder) transcript() []txtar.File {
	r.mu.Lock()
	files := slices.Clone(r.messages)
	r.mu.Unlock()
	for i, f := range files {
		var text bytes.Buffer
		if json.Indent(&text, f.Data, "", "  ") != nil {
			text.Reset()
			text.Write(f.Data)
		}
		text.WriteByte('\n')
		files[i].Data = r.masked.ReplaceAll(text.Bytes(), []byte(`$1"..."$2`))
	}
	return files
}

// checkAnswered fails the test if requests are open. A cancellation that is on its way may arrive.
func (r *recorder) checkAnswered(t testing.TB) {
	t.Helper()
	begin := time.Now()
	open := r.unanswered()
	for ; len(open) > 0 && time.Since(begin) < leaveTime; open = r.unanswered() {
		time.Sleep(time.Millisecond)
	}
	for _, what := range open {
		t.Errorf("mcptest: at the end of the test, %s got no response and was not cancelled", what)
	}
}

// unanswered returns which requests are open, other than subscriptions.
func (r *recorder) unanswered() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	var open []string
	for q, method := range r.open {
		if method != mcp.MethodSubscriptionsListen.Name {
			open = append(open, fmt.Sprintf("%s of the %s, with the id %s,", method, q.from, q.id))
		}
	}
	slices.Sort(open)
	return open
}
