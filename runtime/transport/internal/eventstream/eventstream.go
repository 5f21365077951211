// Package eventstream is the wire format of server-sent events, text/event-stream, as the HTML
// standard of the WHATWG defines it: what a server writes. Package eventreader is what a client reads.
package eventstream

import (
	"bytes"
	"strconv"
	"strings"
	"time"
)

// ContentType is the media type of a stream.
const ContentType = "text/event-stream"

// KeepAlive is a comment, which readers ignore. It shows both ends, and everything between them, that the
// connection is alive.
const KeepAlive = ":\n\n"

// An Event is one event of a stream.
type Event struct {
	// ID is what a client sends back as Last-Event-ID to resume after this event. When read, it is the last ID that
	// the stream set, in this event or before; empty means none.
	ID string

	// Type is the event's name; empty means "message".
	Type string

	// Data is the event's content. An event with empty data is an event, too.
	Data []byte

	// Retry is how long a client should wait before it connects again, in whole milliseconds on the wire; 0 means
	// that the event does not say.
	Retry time.Duration
}

// AppendEvent appends an event as it goes over the wire. The contents of an event cannot end it or start another
// one: each line of the data becomes a field, whatever ends the line, and an ID or a type that has a line break or
// a NUL, which the format cannot express, is left out.
func AppendEvent(dst []byte, e Event) []byte {
	dst = appendField(dst, "event: ", e.Type)
	dst = appendField(dst, "id: ", e.ID)
	dst = appendRetry(dst, e.Retry)
	for data := e.Data; ; {
		dst = append(dst, "data: "...)
		end := LineEnd(data)
		if end < 0 {
			dst = append(dst, data...)
			break
		}
		dst = append(dst, data[:end]...)
		dst = append(dst, '\n')
		if data[end] == '\r' && end+1 < len(data) && data[end+1] == '\n' {
			end++
		}
		data = data[end+1:]
	}
	return append(dst, "\n\n"...)
}

// AppendRetry appends a field that says how long the client should wait before it connects again, without an event.
func AppendRetry(dst []byte, wait time.Duration) []byte {
	return append(appendRetry(dst, wait), '\n')
}

func appendRetry(dst []byte, wait time.Duration) []byte {
	if wait <= 0 {
		return dst
	}
	dst = append(dst, "retry: "...)
	dst = strconv.AppendInt(dst, wait.Milliseconds(), 10)
	return append(dst, '\n')
}

// appendField appends a field, unless its value is empty or does not fit on one line.
func appendField(dst []byte, name, value string) []byte {
	if value == "" || strings.ContainsAny(value, "\r\n\x00") {
		return dst
	}
	dst = append(dst, name...)
	dst = append(dst, value...)
	return append(dst, '\n')
}

// LineEnd returns the index of the first byte that ends a line, or -1.
func LineEnd(data []byte) int {
	lf := bytes.IndexByte(data, '\n')
	if lf >= 0 {
		data = data[:lf]
	}
	if cr := bytes.IndexByte(data, '\r'); cr >= 0 {
		return cr
	}
	return lf
}
