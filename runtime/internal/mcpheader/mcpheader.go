// Package mcpheader has the HTTP headers of MCP: their names, the parts of a request that they repeat, and the
// encoding of values that a header cannot contain. Clients write them, and servers compare them with the body of
// the request.
//
// See SEP-2243.
package mcpheader

import (
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/tasks"
	"github.com/mcpgen/mcpgen/runtime/internal/excerpt"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// The names of the headers, in the canonical form of package net/http.
const (
	ProtocolVersion = mcp.HeaderProtocolVersion // the revision
	SessionID       = mcp.HeaderSessionID       // through 2025-11-25
	LastEventID     = "Last-Event-Id"           // likewise
	Method          = mcp.HeaderMethod          // the method of the request
	Name            = mcp.HeaderName            // of the tool, prompt, resource or task that it is about
	ParamPrefix     = mcp.HeaderParam           // and the name in an annotation of a tool's schema
)

// The sentinels around an encoded value.
const (
	prefix = "=?base64?"
	suffix = "?="
)

// Encode returns a value in the form used in [Name] and the headers with [ParamPrefix]: unchanged if a header can
// contain it and it does not look encoded, and otherwise in Base64 between sentinels.
//
// REQ HDR-09, HDR-10
func Encode(value string) string {
	if isPlain(value) && !isEncoded(value) {
		return value
	}
	return prefix + base64.StdEncoding.EncodeToString([]byte(value)) + suffix
}

// Decode is the reverse of Encode. A value without both sentinels is not encoded.
//
// REQ HDR-11, HDR-06
func Decode(header string) (string, error) {
	if !isEncoded(header) {
		for i := range len(header) {
			if c := header[i]; (c < ' ' && c != '\t') || c > '~' {
				return "", fmt.Errorf("the byte %#02x must be encoded in Base64", c)
			}
		}
		return header, nil
	}
	text := header[len(prefix) : len(header)-len(suffix)]
	value, err := base64.StdEncoding.Strict().DecodeString(text)
	if err != nil || strings.ContainsAny(text, "\r\n") {
		return "", errors.New("want standard Base64 with padding between the sentinels")
	}
	if !utf8.Valid(value) {
		return "", errors.New("the encoded value is not UTF-8")
	}
	return string(value), nil
}

// REQ HDR-10, HDR-11
func isEncoded(s string) bool {
	return len(s) >= len(prefix)+len(suffix) && strings.HasPrefix(s, prefix) && strings.HasSuffix(s, suffix)
}

// isPlain reports whether a header can contain s unchanged.
//
// REQ HDR-09
func isPlain(s string) bool {
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' {
			return false
		}
	}
	return s == "" || s[0] != ' ' && s[len(s)-1] != ' '
}

// NameMember returns which member of a request's params [Name] repeats, or "" if the request has no such header.
func NameMember(method string) string {
	if member := mcp.NameParam(method); member != "" {
		return member
	}
	return tasks.NameParam(method)
}

// Values are the headers of a request, such as an http.Header.
type Values interface {
	// Values returns all values of the header of that name, in canonical form.
	Values(name string) []string
}

// A Map is an http.Header, which looks up names as they are, since those of this package are canonical.
type Map map[string][]string

// Values implements [Values].
func (m Map) Values(name string) []string { return m[name] }

// Single returns the value of a header that may be given once, or nil if there is none.
func Single(h Values, name string) (*string, error) {
	values := h.Values(name)
	if len(values) > 1 {
		return nil, fmt.Errorf("the header %s is given %d times", name, len(values))
	}
	if len(values) == 0 {
		return nil, nil
	}
	return &values[0], nil
}

// Check compares the headers [Method] and [Name] with a request. They may be absent unless they are required; the
// name may also be absent if the request has none.
//
// REQ HDR-06, HDR-08
func Check(h Values, method string, params wire.Raw, required bool) error {
	got, err := Single(h, Method)
	switch {
	case err != nil:
		return err
	case got == nil && required:
		return fmt.Errorf("the header %s is missing, want %q", Method, excerpt.Of(method))
	case got != nil && *got != method:
		return fmt.Errorf("the header %s is %q, but the method of the request is %q", Method, excerpt.Of(*got), excerpt.Of(method))
	}
	member := NameMember(method)
	if member == "" {
		return nil
	}
	got, err = Single(h, Name)
	if err != nil {
		return err
	}
	name, found := peek(params, member)
	switch {
	case got == nil && found && required:
		return fmt.Errorf("the header %s is missing, want %q", Name, excerpt.Of(Encode(name)))
	case got == nil:
		return nil
	case !found:
		return fmt.Errorf("the header %s is %q, but the request has no params.%s", Name, excerpt.Of(*got), member)
	}
	value, err := Decode(*got)
	if err != nil {
		return fmt.Errorf("the header %s: %w", Name, err)
	}
	if value != name {
		return fmt.Errorf("the header %s is %q, but params.%s is %q", Name, excerpt.Of(*got), member, excerpt.Of(name))
	}
	return nil
}

// peek returns the value of a member of an object, if it is a string.
func peek(object wire.Raw, member string) (string, bool) {
	if len(object) == 0 {
		return "", false
	}
	d := wire.NewDecoder(object)
	return d.PeekString(member)
}
