package args

import (
	"encoding"
	"encoding/base64"
	"math/big"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Bool reads a boolean.
func (d *Decoder) Bool() bool {
	kind := d.begin()
	quoted := d.quoted
	d.quoted = false
	if kind == wire.KindBool && (!quoted || d.coerce) {
		b := d.w.Bool()
		d.end = d.w.Offset()
		return b
	}
	if kind == wire.KindString && (quoted || d.coerce) {
		s := d.w.String()
		d.end = d.w.Offset()
		if s == "true" || s == "false" {
			return s == "true"
		}
	} else {
		d.skip()
	}
	if quoted {
		d.want("a boolean in a string")
	} else {
		d.want("a boolean")
	}
	return false
}

// String reads a string.
func (d *Decoder) String() string { return d.text("a string") }

func (d *Decoder) text(what string) string {
	if !d.is(wire.KindString, what) {
		return ""
	}
	s := d.w.String()
	d.end = d.w.Offset()
	return s
}

// parsed reads a string and parses it. The value is zero after a problem.
func parsed[T any](d *Decoder, what string, parse func(string) (T, bool)) (v T) {
	s := d.text(what)
	if !d.good {
		return v
	}
	v, ok := parse(s)
	if !ok {
		d.want(what)
		return *new(T)
	}
	return v
}

// Bytes reads a string in Base64, the standard encoding of RFC 4648 with padding.
func (d *Decoder) Bytes() []byte {
	return parsed(d, "a string in base64", func(s string) ([]byte, bool) {
		b, err := base64.StdEncoding.DecodeString(s)
		return b, err == nil && !strings.ContainsAny(s, "\r\n") // RFC 4648 has no line breaks
	})
}

// Time reads a string that is a date and a time, in the format of RFC 3339.
func (d *Decoder) Time() time.Time {
	return parsed(d, "a date and time such as 2006-01-02T15:04:05Z", parseTime)
}

// Date reads a string that is a date. The time is the beginning of that day in UTC.
func (d *Decoder) Date() time.Time {
	return parsed(d, "a date such as 2006-01-02", func(s string) (time.Time, bool) {
		t, err := time.Parse(time.DateOnly, s)
		return t, err == nil
	})
}

// Duration reads a string that is a duration in Go's syntax.
func (d *Decoder) Duration() time.Duration {
	return parsed(d, "a duration such as 1h30m", func(s string) (time.Duration, bool) {
		t, err := time.ParseDuration(s)
		return t, err == nil
	})
}

// DurationBounds checks the duration that was read last.
func (d *Decoder) DurationBounds(t, min, max time.Duration) {
	if what := outOfTime(t, min, max); d.good && what != "" {
		d.want(what)
	}
}

// outOfTime returns what t should be, or the empty string if it is within its bounds.
func outOfTime(t, min, max time.Duration) string {
	switch {
	case t < min:
		return "a duration of at least " + min.String()
	case t > max:
		return "a duration of at most " + max.String()
	}
	return ""
}

// URL reads a string that is a URI with a scheme. It is nil after a problem.
func (d *Decoder) URL() *url.URL {
	return parsed(d, "a URL such as https://example.com/path", func(s string) (*url.URL, bool) {
		u := parseURL(s)
		return u, u != nil && u.IsAbs()
	})
}

// Text reads a string into v. An error of v becomes a problem.
func (d *Decoder) Text(v encoding.TextUnmarshaler) {
	s := d.text("a string")
	if !d.good {
		return
	}
	switch v.(type) {
	case *big.Rat, *big.Float:
		if !isModest(s) {
			d.want("a number of at most " + strconv.Itoa(maxDigits) + " digits and an exponent within ±" + strconv.Itoa(maxExponent))
			return
		}
	}
	if err := v.UnmarshalText([]byte(s)); err != nil {
		d.refuse(err)
	}
}

// JSON reads a value of any kind into v. An error of v becomes a problem.
func (d *Decoder) JSON(v interface{ UnmarshalJSON([]byte) error }) {
	raw := d.Raw()
	if d.w.Failed() {
		return
	}
	if err := v.UnmarshalJSON(raw); err != nil {
		d.refuse(err)
	}
}

// Raw reads a value of any kind and returns its text.
func (d *Decoder) Raw() wire.Raw {
	d.begin()
	raw := d.w.Raw()
	d.end = d.w.Offset()
	return raw
}
