package front

import (
	"net/http"
	"strings"

	"github.com/mcpgen/mcpgen/runtime/transport/internal/eventstream"
)

// Accepted returns which kinds of responses the client accepts: a JSON object, a stream of events. Without a header
// it accepts both.
func Accepted(r *http.Request) (json, events bool) {
	values := r.Header["Accept"]
	if len(values) == 0 || values[0] == "application/json, text/event-stream" { // from most clients
		return true, true
	}
	for _, value := range values {
		for part := range strings.SplitSeq(value, ",") {
			kind, params, _ := strings.Cut(part, ";")
			if isZeroQuality(params) {
				continue
			}
			switch kind = strings.TrimSpace(kind); {
			case kind == "*/*":
				return true, true
			case strings.EqualFold(kind, headerJSON[0]), strings.EqualFold(kind, "application/*"):
				json = true
			case strings.EqualFold(kind, eventstream.ContentType), strings.EqualFold(kind, "text/*"):
				events = true
			}
		}
	}
	return json, events
}

func isZeroQuality(params string) bool {
	if params == "" {
		return false
	}
	for param := range strings.SplitSeq(params, ";") {
		if name, value, _ := strings.Cut(strings.TrimSpace(param), "="); strings.EqualFold(name, "q") {
			return value != "" && strings.Trim(value, "0.") == ""
		}
	}
	return false
}
