package check

import (
	"net/url"
	"time"
)

// The types here have the forms that generated code gives to types of the standard library, where
// encoding/json has others. A twin of a package has them in their place, so that encoding/json
// writes and reads what is promised.

// Duration is a time.Duration that is written as "1h30m".
type Duration time.Duration

// MarshalText writes the duration in Go's syntax.
func (d Duration) MarshalText() ([]byte, error) { return []byte(time.Duration(d).String()), nil }

// UnmarshalText reads a duration in Go's syntax.
func (d *Duration) UnmarshalText(text []byte) error {
	v, err := time.ParseDuration(string(text))
	*d = Duration(v)
	return err
}

// Date is a time.Time that is written as its date.
type Date time.Time

// MarshalText writes the date.
func (d Date) MarshalText() ([]byte, error) { return []byte(time.Time(d).Format(time.DateOnly)), nil }

// UnmarshalText reads a date, as the beginning of that day in UTC.
func (d *Date) UnmarshalText(text []byte) error {
	v, err := time.Parse(time.DateOnly, string(text))
	*d = Date(v)
	return err
}

// URL is an url.URL that is written as its text.
type URL url.URL

// MarshalText writes the URL.
func (u URL) MarshalText() ([]byte, error) { return []byte((*url.URL)(&u).String()), nil }

// UnmarshalText reads a URL.
func (u *URL) UnmarshalText(text []byte) error {
	v, err := url.Parse(string(text))
	if err == nil {
		*u = URL(*v)
	}
	return err
}
