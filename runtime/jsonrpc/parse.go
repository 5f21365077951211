package jsonrpc

import (
	"bytes"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Parse parses one message. The message shares the memory of data, which must not change while the message is in use.
//
// The error is an *[Error] that can be sent as the response. Its code is [CodeParseError] for what is not JSON in UTF-8
// or nests too deeply, [CodeInvalidParams] for params that are an array or have an invalid _meta, and
// [CodeInvalidRequest] otherwise. With an error, the message has what could be read, and its kind says what to do:
//
//   - for a Response or ErrorResponse, nothing is sent, and the call that waits for its id fails;
//   - for a Notification, nothing is sent;
//   - otherwise the error is sent, with the id of the message if one could be read, but without an id if the code is
//     CodeParseError.
//
// An array is an error, with the kind Batch, by which callers that take batches know it.
func Parse(data []byte) (Message, error) {
	if IsBatch(data) {
		return Message{Kind: Batch}, invalid("an array: batches of messages exist only in revision 2025-03-26")
	}
	s := scan{d: wire.NewDecoder(data), data: data}
	s.message()
	err := s.d.Finish()
	s.m.Kind = s.kind(err == nil)
	switch {
	case err != nil:
		return s.m, explain(data, err)
	case s.fault != nil:
		return s.m, s.fault
	}
	if err := s.check(); err != nil {
		return s.m, err
	}
	return s.m, nil
}

// invalid returns an error of the code for invalid requests.
func invalid(msg string) *Error {
	return &Error{Code: CodeInvalidRequest, Message: "invalid request: " + msg}
}

// explain turns an error of decoding data into one for its sender.
//
// REQ JRPC-17
func explain(data []byte, err error) *Error {
	if err := wire.Raw(data).Check(); err != nil {
		return &Error{Code: CodeParseError, Message: "parse error: " + reason(err)}
	}
	return invalid(reason(err))
}

// reason returns what a wire error says, without the name of a type.
func reason(err error) string {
	e, ok := err.(*wire.DecodeError)
	switch {
	case !ok:
		return err.Error()
	case e.Path != "":
		return e.Path + ": " + e.Msg
	}
	return e.Msg
}

// The members that an envelope has.
const (
	hasVersion = 1 << iota
	hasID      // even if it is null
	hasMethod
	hasName // the method is a string
	hasResult
	hasNullResult
	hasError
	hasNullError
)

const responseMembers = hasResult | hasError

// A scan parses a message. The errors of the decoder are syntax errors and duplicate members, and end the scan. A fault
// in a value is recorded, and the scan continues, to find out what else there is to know about the message.
type scan struct {
	d     wire.Decoder
	data  []byte
	m     Message
	has   int
	fault *Error // the first
}

// blame records a fault, if it is the first.
func (s *scan) blame(e *Error) {
	if s.fault == nil {
		s.fault = e
	}
}

var typeMessage = wire.Type{Members: []string{"jsonrpc", "id", "method", "params", "result", "error"}}

// message reads the whole message. The methods after it read one member each.
//
// REQ JRPC-01
func (s *scan) message() {
	d := &s.d
	unknown := 0
	o := d.Object(&typeMessage)
	for o.Next() {
		switch o.Name {
		case "jsonrpc":
			o.Once(0)
			if d.Null() {
				break
			}
			s.has |= hasVersion
			if v := d.Raw(); string(v) != `"2.0"` && !isVersion(v) {
				s.blame(invalid(`jsonrpc: want "2.0", got ` + show(v)))
			}
		case "id":
			o.Once(1)
			s.id()
		case "method":
			o.Once(2)
			s.method()
		case "params":
			o.Once(3)
			s.params()
		case "result":
			o.Once(4)
			s.result()
		case "error":
			o.Once(5)
			s.error()
		default:
			unknown++
			d.Skip()
		}
	}
	if unknown > 1 {
		s.names()
	}
}

// isVersion reports whether v is "2.0" written with escapes.
func isVersion(v wire.Raw) bool {
	d := wire.NewDecoder(v)
	return d.String() == "2.0" && d.Finish() == nil
}

// names finds duplicates among the unknown members. It reads the message a second time, which real messages do not
// need.
func (s *scan) names() {
	if _, err := membersOf(s.data); err != nil {
		s.blame(explain(s.data, err))
	}
}

func (s *scan) method() {
	d := &s.d
	if d.Null() {
		return
	}
	s.has |= hasMethod
	if kind := d.Kind(); kind != wire.KindString {
		s.blame(invalid("method: want string, got " + kind.String()))
		d.Skip()
		return
	}
	s.has |= hasName
	s.m.Method = d.String()
}

// REQ JRPC-02
func (s *scan) id() {
	d := &s.d
	s.has |= hasID
	switch d.Kind() {
	case wire.KindString, wire.KindNumber:
		raw := d.Raw()
		one := wire.NewDecoder(raw)
		id := one.ID()
		if len(raw) == 0 {
			return // a syntax error
		}
		if err := one.Finish(); err != nil {
			s.blame(invalid("id: " + reason(err)))
		} else if str, ok := id.Str(); ok && lossy(raw, str) {
			s.blame(invalid("id: the string contains U+FFFD as an escape, or half a surrogate pair, and cannot be sent back unchanged"))
		} else {
			s.m.ID = id
		}
	case wire.KindNull:
		d.Skip() // an error about a request with an id that could not be read has it
	default:
		s.blame(invalid("id: want string or integer, got " + d.Kind().String()))
		d.Skip()
	}
}

// lossy reports whether str, whose JSON text is raw, may change when it is written again: half a surrogate pair is
// read as U+FFFD.
func lossy(raw wire.Raw, str string) bool {
	return strings.ContainsRune(str, utf8.RuneError) && bytes.Contains(raw, []byte(`\u`))
}

var typeParams = wire.Type{Members: []string{"_meta"}}

// REQ JRPC-20
func (s *scan) params() {
	d := &s.d
	switch kind := d.Kind(); kind {
	case wire.KindObject:
	case wire.KindNull:
		d.Skip()
		return
	case wire.KindArray:
		s.blame(&Error{Code: CodeInvalidParams, Message: "invalid params: want object, got array"})
		d.Skip()
		return
	default:
		s.blame(invalid("params: want object, got " + kind.String()))
		d.Skip()
		return
	}
	from, duplicate := d.Offset(), false
	o := d.Object(&typeParams)
	for o.Next() {
		if o.Name != "_meta" {
			d.Skip()
			continue
		}
		if duplicate {
			s.blame(&Error{Code: CodeInvalidParams, Message: `invalid params: duplicate member "_meta"`})
		}
		duplicate = true
		switch kind := d.Kind(); kind {
		case wire.KindObject:
			s.m.Meta = d.Raw()
		case wire.KindNull:
			d.Skip()
		default:
			s.blame(&Error{Code: CodeInvalidParams, Message: "invalid params: _meta: want object, got " + kind.String()})
			d.Skip()
		}
	}
	if to := d.Offset(); to > from {
		s.m.Params = wire.Raw(s.data[from:to:to])
	}
}

// REQ JRPC-09
func (s *scan) result() {
	d := &s.d
	if d.Null() {
		s.has |= hasNullResult
		return
	}
	s.has |= hasResult
	if kind := d.Kind(); kind != wire.KindObject {
		s.blame(invalid("result: want object, got " + kind.String()))
	}
	s.m.Result = d.Raw()
}

func (s *scan) error() {
	d := &s.d
	if d.Null() {
		s.has |= hasNullError
		return
	}
	s.has |= hasError
	raw := d.Raw()
	if raw == nil {
		return // a syntax error
	}
	e := new(Error)
	if err := wire.DecodeAlias(raw, e); err != nil {
		s.blame(invalid("error: " + reason(err)))
		return
	}
	s.m.Error = e
}

// kind returns the kind of the message, which follows from its members. If the message was not read to its end, it
// may not be a notification: an id may follow.
func (s *scan) kind(complete bool) Kind {
	switch has := s.has; {
	case has&hasMethod != 0 && has&hasID != 0:
		return Request
	case has&hasMethod != 0:
		if complete && has&hasName != 0 && has&responseMembers == 0 {
			return Notification
		}
		return Invalid
	case has&hasError != 0:
		return ErrorResponse
	case has&(hasResult|hasNullResult) != 0:
		return Response
	case has&hasNullError != 0:
		return ErrorResponse
	}
	return Invalid
}

// check returns what is wrong with the members as a whole.
//
// REQ JRPC-18, JRPC-01, JRPC-08, JRPC-02
func (s *scan) check() error {
	switch has := s.has; {
	case has&hasVersion == 0:
		return invalid(`jsonrpc: missing, want "2.0"`)
	case has&hasMethod != 0 && has&responseMembers != 0:
		return invalid("a message has either a method, or a result, or an error")
	case has&responseMembers == responseMembers:
		return invalid("a response has either a result or an error, not both")
	case s.m.Kind == Request && s.m.ID.IsZero():
		return invalid("id: want string or integer, got null")
	case s.m.Kind == Response && s.m.ID.IsZero():
		return invalid("id: missing, want the id of the request")
	case s.m.Kind == Response && has&hasResult == 0:
		return invalid("result: want object, got null")
	case s.m.Kind == ErrorResponse && has&hasError == 0:
		return invalid("error: want object, got null")
	case s.m.Kind == Invalid:
		return invalid("want one of method, result and error, got none")
	}
	return nil
}

// show returns a value for an error message, cut if it is long.
func show(v wire.Raw) string {
	const most = 40
	if len(v) > most {
		return strconv.Quote(string(v[:most])) + "…"
	}
	return string(v)
}
