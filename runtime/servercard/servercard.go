// Package servercard serves a server card: a document by which clients learn of a server over HTTP before they connect to it.
// 'mcpgen publish' writes it. It is served at the path of the server followed by /server-card:
//
//	handler, err := servercard.New(card) // embedded from server-card.json
//	mux.Handle(streamable.Endpoint+servercard.Path, handler)
//
// See https://github.com/modelcontextprotocol/experimental-ext-server-card, SEP-2127; it is an experiment, and may change.
package servercard

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Path is what follows the path of the server.
const Path = "/server-card"

// MIMEType is the media type of a card.
const MIMEType = "application/mcp-server-card+json"

// maxBytes is how large a card may be.
const maxBytes = 256 << 10

// New returns a handler of GET and HEAD that serves a card to everybody, pages of other origins included. It is an error if the
// card is no JSON object with the members that every card has: name, description and version.
func New(card []byte) (http.Handler, error) {
	if len(card) > maxBytes {
		return nil, fmt.Errorf("servercard: want at most %d bytes, got %d", maxBytes, len(card))
	}
	var raw wire.Raw
	if err := wire.Decode(card, &raw); err != nil {
		return nil, fmt.Errorf("servercard: %w", err)
	}
	for _, member := range []string{"name", "description", "version"} {
		if raw.StringAt(member) == "" {
			return nil, errors.New("servercard: want a string " + member + ", as in what mcpgen publish writes")
		}
	}
	text, sum := bytes.Clone(card), sha256.Sum256(card)
	tag := `"` + hex.EncodeToString(sum[:]) + `"`
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Access-Control-Allow-Origin", "*")
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			h.Set("Allow", "GET, HEAD")
			http.Error(w, "want GET or HEAD", http.StatusMethodNotAllowed)
			return
		}
		h.Set("Content-Type", MIMEType)
		h.Set("Cache-Control", "public, max-age=3600")
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("ETag", tag)
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(text))
	}), nil
}
