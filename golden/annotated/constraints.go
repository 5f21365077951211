package annotated

import (
	"encoding/json"
	"math/big"
	"time"
)

// Limits have bounds on everything that can have some.
type Limits struct {
	//mcp:param min=1 max=14
	Int int `json:"int"`
	//mcp:param min=10
	Uint uint64 `json:"uint"`
	//mcp:param min=-0.5 max=1e3
	Float float64 `json:"float"`
	//mcp:param min=-0.1 max=2.6
	Single float32 `json:"single"`
	//mcp:param min=-99999999999999999999 max=99999999999999999999
	Big *big.Int `json:"big"`
	//mcp:param min=0 max=1
	Number json.Number `json:"number"`
	//mcp:param minlen=2 maxlen=4
	Text string `json:"text"`
	//mcp:param maxlen=5
	Bytes []byte `json:"bytes"`
	//mcp:param minlen=1 maxlen=3
	List []int `json:"list"`
	//mcp:param minlen=1 maxlen=2
	Map map[string]bool `json:"map"`
	//mcp:param pattern=^[a-z]+[0-9]{1,3}$
	Code string `json:"code"`
	//mcp:param pattern=\d.\s? minlen=3
	Loose string `json:"loose"`
}

// EchoLimits gives back what is within the limits.
//
//mcp:tool strict
func EchoLimits(l Limits) Limits { return l }

// Items have limits on what is in a list, and on what a pointer points to.
type Items struct {
	//mcp:param maxlen=4 items.minlen=2 items.pattern=^[a-z]+$
	Words []string `json:"words"`
	//mcp:param items.min=0 items.max=10
	Scores []int `json:"scores"`
	//mcp:param items.enum=celsius,kelvin
	Units []Unit `json:"units"`
	//mcp:param items.format=ipv4
	Hosts []string `json:"addresses,omitempty"`
	//mcp:param required minlen=1
	Must *string `json:"must"`
}

// EchoItems gives back lists whose items are within limits.
//
//mcp:tool strict
func EchoItems(i Items) Items { return i }

// A Rest is a time to wait.
type Rest struct {
	//mcp:param min=1s max=5m
	Wait time.Duration `json:"wait"`
}

// Pause tells how long the rest is.
//
//mcp:tool task=optional
//mcp:param wait min=1s max=10m default=30s
func Pause(wait time.Duration) Rest { return Rest{wait} }

// EchoFormats gives back texts of all formats.
//
//mcp:tool strict
//mcp:param date format=date
//mcp:param clock format=time
//mcp:param datetime format=date-time
//mcp:param length format=duration
//mcp:param email format=email
//mcp:param host format=hostname
//mcp:param v4 format=ipv4
//mcp:param v6 format=ipv6
//mcp:param uuid format=uuid
//mcp:param uri format=uri
//mcp:param ref format=uri-reference
func EchoFormats(date, clock, datetime, length, email, host, v4, v6, uuid, uri, ref *string) []string {
	var all []string
	for _, s := range []*string{date, clock, datetime, length, email, host, v4, v6, uuid, uri, ref} {
		if s != nil {
			all = append(all, *s)
		}
	}
	return all
}

// EchoDefaults has an answer for everything that is left out.
//
//mcp:tool strict
//mcp:param b default=true
//mcp:param i default=-3
//mcp:param u default=18446744073709551615
//mcp:param f default=0.1
//mcp:param s "default=a \"b\" c"
//mcp:param unit default=kelvin
//mcp:param level default=10
//mcp:param wait default=1m30s
//mcp:param at default=2024-02-29T12:00:00Z
//mcp:param big default=123456789012345678901234567890
func EchoDefaults(b bool, i int, u uint64, f float32, s string, unit Unit, level Level, wait time.Duration, at time.Time, big big.Int) Defaults {
	return Defaults{b, i, u, f, s, unit, level, wait, at, big}
}

// Defaults are what the arguments are.
type Defaults struct {
	B     bool
	I     int
	U     uint64
	F     float32
	S     string
	Unit  Unit
	Level Level
	Wait  time.Duration
	At    time.Time
	Big   big.Int
}

// EchoNames has arguments of other names than its parameters, examples and headers.
//
//   - maxResults: how many
//   - region: where
//
//mcp:tool name=echo.names strict
//mcp:title Names and texts
//mcp:desc days Until when,
//mcp:desc An own description.
//mcp:param maxResults name=max_results examples=1,10
//mcp:param region header=Region "examples=Oslo,New York"
//mcp:param days name=$days optional
func EchoNames(maxResults uint8, region string, days int) (results uint8, where string) {
	return maxResults + uint8(days), region
}
