package client

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/client/elicit"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

const discoverSent = `server/discover {"_meta":` + modernMeta + `}`

func initializeSent(rev string) string {
	return `initialize {"protocolVersion":"` + rev + `","capabilities":{},"clientInfo":{"name":"c","version":"1"}}`
}

// REQ VER-08 VER-09 VER-10 VER-11 VER-17 VER-03 LIFE-01 LIFE-03 LIFE-06 LIFE-08 LIFE-09 LIFE-14
// REQ LIFE-04 LIFE-15 STATE-07 STATE-08 AMB-10 SEED-01
func TestConnect(t *testing.T) {
	t.Parallel()
	discover := func(versions string) func(*received) (string, error) {
		return always(`{"resultType":"complete","supportedVersions":[` + versions + `],"capabilities":{},"ttlMs":0,"cacheScope":"public"}`)
	}
	initialize := func(version string) func(*received) (string, error) {
		return always(`{"protocolVersion":"` + version + `","capabilities":{},"serverInfo":{"name":"s","version":"1"}}`)
	}
	unsupported := func(versions string) func(*received) (string, error) {
		return fails(mcp.CodeUnsupportedProtocolVersion, `{"supported":[`+versions+`],"requested":"2026-07-28"}`)
	}
	legacy := []wire.Revision{mcp.V2024_11_05, mcp.V2025_03_26, mcp.V2025_06_18, mcp.V2025_11_25}
	modern := []wire.Revision{mcp.V2026_07_28}
	newest := Revisions()[len(Revisions())-1].String()
	for name, test := range map[string]struct {
		server script
		revs   []wire.Revision
		want   wire.Revision
		err    string
		sent   []string
	}{
		"modern server": {
			server: script{"server/discover": discover(`"2026-07-28"`)},
			want:   mcp.V2026_07_28,
			sent:   []string{discoverSent},
		},
		"dual server, dual client": {
			server: script{"server/discover": discover(`"2025-11-25","2026-07-28"`), "initialize": initialize("2025-11-25")},
			want:   mcp.V2026_07_28,
			sent:   []string{discoverSent},
		},
		"dual server, legacy client": {
			server: script{"server/discover": discover(`"2025-11-25","2026-07-28"`), "initialize": initialize("2025-11-25")},
			revs:   legacy,
			want:   mcp.V2025_11_25,
			sent:   []string{initializeSent("2025-11-25"), "notifications/initialized"},
		},
		"legacy server that does not find the method": {
			server: script{"initialize": initialize("2025-11-25")},
			want:   mcp.V2025_11_25,
			sent:   []string{discoverSent, initializeSent("2025-11-25"), "notifications/initialized"},
		},
		"legacy server that finds the params invalid": {
			server: script{"server/discover": fails(mcp.CodeInvalidParams, ""), "initialize": initialize("2025-06-18")},
			want:   mcp.V2025_06_18,
			sent:   []string{discoverSent, initializeSent("2025-11-25"), "notifications/initialized"},
		},
		"legacy server that says that it is not initialized": {
			server: script{"server/discover": fails(-32002, ""), "initialize": initialize("2024-11-05")},
			want:   mcp.V2024_11_05,
			sent:   []string{discoverSent, initializeSent("2025-11-25"), "notifications/initialized"},
		},
		"a code of the draft proves nothing": {
			server: script{"server/discover": fails(-32001, ""), "initialize": initialize("2025-03-26")},
			want:   mcp.V2025_03_26,
			sent:   []string{discoverSent, initializeSent("2025-11-25"), "notifications/initialized"},
		},
		"legacy server that answers nonsense": {
			server: script{"server/discover": always(`{"tools":[]}`), "initialize": initialize("2025-03-26")},
			want:   mcp.V2025_03_26,
			sent:   []string{discoverSent, initializeSent("2025-11-25"), "notifications/initialized"},
		},
		"modern server that leaves out what is not needed": {
			server: script{"server/discover": always(`{"supportedVersions":["2026-07-28"],"capabilities":{"nonsense":3}}`)},
			want:   mcp.V2026_07_28,
			sent:   []string{discoverSent},
		},
		"modern error with a legacy version listed": {
			server: script{"server/discover": unsupported(`"2027-01-01","2025-11-25"`), "initialize": initialize("2025-11-25")},
			want:   mcp.V2025_11_25,
			sent:   []string{discoverSent, initializeSent("2025-11-25"), "notifications/initialized"},
		},
		"modern error with no common version": {
			server: script{"server/discover": unsupported(`"2027-01-01"`), "initialize": initialize("2025-11-25")},
			err: `no common revision of the protocol: the client speaks 2026-07-28, 2025-11-25, 2025-06-18, 2025-03-26, 2024-11-05, ` +
				`the server ["2027-01-01"]: error (-32022)`,
			sent: []string{discoverSent},
		},
		"modern error that lists what was asked for": {
			server: script{"server/discover": unsupported(`"2026-07-28"`)},
			err: `no common revision of the protocol: the client speaks 2026-07-28, 2025-11-25, 2025-06-18, 2025-03-26, 2024-11-05, ` +
				`the server ["2026-07-28"]: error (-32022)`,
			sent: []string{discoverSent, discoverSent},
		},
		"modern server of legacy versions alone": {
			server: script{"server/discover": discover(`"2025-06-18"`), "initialize": initialize("2025-06-18")},
			want:   mcp.V2025_06_18,
			sent:   []string{discoverSent, initializeSent("2025-06-18"), "notifications/initialized"},
		},
		"modern server without a common version": {
			server: script{"server/discover": discover(`"2027-01-01"`), "initialize": initialize("2025-11-25")},
			err: `no common revision of the protocol: the client speaks 2026-07-28, 2025-11-25, 2025-06-18, 2025-03-26, 2024-11-05, ` +
				`the server ["2027-01-01"]`,
			sent: []string{discoverSent},
		},
		"missing capability": {
			server: script{"server/discover": fails(mcp.CodeMissingRequiredClientCapability, `{"requiredCapabilities":{"roots":{}}}`),
				"initialize": initialize("2025-11-25")},
			err:  "server/discover: error (-32021)",
			sent: []string{discoverSent},
		},
		"header mismatch": {
			server: script{"server/discover": fails(mcp.CodeHeaderMismatch, ""), "initialize": initialize("2025-11-25")},
			err:    "server/discover: error (-32020)",
			sent:   []string{discoverSent},
		},
		"modern client, legacy server": {
			server: script{"initialize": initialize("2025-11-25")},
			revs:   modern,
			err:    "no common revision of the protocol: the client speaks 2026-07-28: server/discover: method not found (-32601)",
			sent:   []string{discoverSent},
		},
		"legacy client, modern server": {
			server: script{"initialize": unsupported(`"2026-07-28"`)},
			revs:   []wire.Revision{mcp.V2025_06_18},
			err:    `no common revision of the protocol: the client speaks 2025-06-18, the server ["2026-07-28"]: error (-32022)`,
			sent:   []string{initializeSent("2025-06-18")},
		},
		"server that offers a version that the client does not speak": {
			server: script{"initialize": initialize("2025-06-18")},
			revs:   []wire.Revision{mcp.V2024_11_05, mcp.V2025_11_25},
			err:    `no common revision of the protocol: the client speaks 2025-11-25, 2024-11-05, the server ["2025-06-18"]`,
			sent:   []string{initializeSent("2025-11-25")},
		},
		"server that opens a session of a modern version": {
			server: script{"initialize": initialize("2026-07-28")},
			err: `no common revision of the protocol: the client speaks 2025-11-25, 2025-06-18, 2025-03-26, 2024-11-05, ` +
				`the server ["2026-07-28"] (before that, server/discover: method not found (-32601))`,
			sent: []string{discoverSent, initializeSent("2025-11-25")},
		},
		"server that refuses a version and names others": {
			server: script{"initialize": func(r *received) (string, error) {
				if r.params.StringAt("protocolVersion") != "2024-11-05" {
					return fails(mcp.CodeInvalidParams, `{"supported":["2024-11-05"],"requested":"2025-11-25"}`)(r)
				}
				return initialize("2024-11-05")(r)
			}},
			revs: legacy,
			want: mcp.V2024_11_05,
			sent: []string{initializeSent("2025-11-25"), initializeSent("2024-11-05"), "notifications/initialized"},
		},
		"server that fails": {
			server: script{"server/discover": fails(mcp.CodeInternalError, ""), "initialize": fails(mcp.CodeInternalError, "")},
			err:    "initialize: error (-32603)",
			sent:   []string{discoverSent, initializeSent("2025-11-25")},
		},
		"handshake with nonsense": {
			server: script{"initialize": always(`{"protocolVersion":7}`)},
			revs:   legacy,
			err:    "initialize: InitializeResult: protocolVersion: want string, got number",
			sent:   []string{initializeSent("2025-11-25")},
		},
		"an empty list of revisions means all, as with a server": {
			server: script{"server/discover": discover(`"2026-07-28"`)},
			revs:   []wire.Revision{},
			want:   mcp.V2026_07_28,
			sent:   []string{strings.ReplaceAll(discoverSent, "2026-07-28", newest)},
		},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				c, f, err := connectTo(t, test.server, &Options{Info: testInfo, Revisions: test.revs})
				if got := errorText(err); got != test.err {
					t.Errorf("error %q, want %q", got, test.err)
				}
				if diff := cmp.Diff(test.sent, f.sent()); diff != "" {
					t.Errorf("sent (-want +got):\n%s", diff)
				}
				if c != nil && c.Revision() != test.want {
					t.Errorf("got %v, want %v", c.Revision(), test.want)
				}
			})
		})
	}
}

// Every revision that the client is pinned to is the one that is spoken.
func TestConnectPinned(t *testing.T) {
	bubble(t, func(t *testing.T) {
		server := modernServer(legacyServer(nil))
		for _, rev := range scripted() {
			c, f, err := connectTo(t, server, &Options{Revisions: []wire.Revision{rev}})
			if err != nil || c.Revision() != rev {
				t.Errorf("%v: got %v, %v", rev, c.Revision(), err)
			}
			if first := strings.Fields(f.sent()[0])[0]; (first == "initialize") != (rev < mcp.V2026_07_28) {
				t.Errorf("%v: the first request is %s", rev, first)
			}
		}
	})
}

// REQ VER-09 TIME-01 PING-01
func TestProbeTimeout(t *testing.T) {
	bubble(t, func(t *testing.T) {
		server := legacyServer(script{"server/discover": func(r *received) (string, error) {
			if got, err := r.server.request("ping", ""); got != "{}" || err != nil {
				t.Errorf("ping before the handshake: %s, %v", got, err)
			}
			if got, err := r.server.request("roots/list", ""); err == nil {
				t.Errorf("another request before the handshake is answered: %s", got)
			}
			return silence(r)
		}})
		start := time.Now()
		c, _ := dial(t, server, &Options{ProbeTimeout: 3 * time.Second})
		if took := time.Since(start); c.Revision() != mcp.V2025_11_25 || took != 3*time.Second {
			t.Errorf("%v after %v", c.Revision(), took)
		}
	})
}

// A caller who gives up during the probe does not start a handshake.
//
// REQ VER-09
func TestProbeGivenUp(t *testing.T) {
	bubble(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		server := legacyServer(script{"server/discover": func(r *received) (string, error) {
			cancel()
			return silence(r)
		}})
		_, f, err := connectWith(ctx, t, server, nil)
		if got := errorText(err); got != "server/discover: context canceled" || !errors.Is(err, context.Canceled) {
			t.Errorf("error %q", got)
		}
		if sent := f.methods(); !slices.Equal(sent, []string{"server/discover"}) {
			t.Errorf("sent %q", sent)
		}
	})
}

// A modern server that is slow to start is not lost.
func TestProbeSlowServer(t *testing.T) {
	bubble(t, func(t *testing.T) {
		server := modernServer(script{"initialize": fails(mcp.CodeMethodNotFound, "")})
		answer := server["server/discover"]
		server["server/discover"] = func(r *received) (string, error) {
			if r.server.count("server/discover") == 1 {
				return silence(r)
			}
			return answer(r)
		}
		if c, _ := dial(t, server, nil); c.Revision() != mcp.V2026_07_28 {
			t.Errorf("got %v", c.Revision())
		}
	})
}

// A server that never answers anything does not hang the client.
func TestConnectSilentServer(t *testing.T) {
	bubble(t, func(t *testing.T) {
		start := time.Now()
		_, f, err := connectTo(t, script{"server/discover": silence, "initialize": silence}, nil)
		want := "initialize: no response within 1m0s (before that, server/discover: context deadline exceeded)"
		if took := time.Since(start); errorText(err) != want || took != 70*time.Second {
			t.Errorf("%v after %v", err, took)
		}
		// REQ LIFE-12
		if n := f.count("notifications/cancelled"); n != 0 {
			t.Errorf("%d cancellations", n)
		}
	})
}

// A connection that is gone is not asked again.
func TestConnectClosed(t *testing.T) {
	bubble(t, func(t *testing.T) {
		gone := func(r *received) (string, error) {
			r.server.conn.Close()
			return silence(r)
		}
		_, f, err := connectTo(t, script{"server/discover": gone, "initialize": gone}, &Options{Info: testInfo})
		want := "server/discover: the other side is gone: EOF"
		if errorText(err) != want || !slices.Equal(f.sent(), []string{discoverSent}) {
			t.Errorf("%v, %q", err, f.sent())
		}
	})
}

// REQ VER-15 VER-16
func TestLastRevision(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		last    string
		server  script
		methods []string
		want    string
	}{
		"unknown, legacy":          {"", legacyServer(nil), []string{"server/discover", "initialize", "notifications/initialized"}, "2025-11-25"},
		"legacy":                   {"2025-06-18", legacyServer(nil), []string{"initialize", "notifications/initialized"}, "2025-11-25"},
		"legacy, but it is modern": {"2025-06-18", modernServer(nil), []string{"initialize", "server/discover"}, "2026-07-28"},
		"modern":                   {"2026-07-28", modernServer(nil), []string{"server/discover"}, "2026-07-28"},
		"modern, but it is legacy": {"2026-07-28", legacyServer(nil), []string{"server/discover", "initialize", "notifications/initialized"}, "2025-11-25"},
		"a revision of the future": {"2031-01-01", modernServer(nil), []string{"server/discover"}, "2026-07-28"},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				var last wire.Revision
				if test.last != "" {
					last, _ = wire.ParseRevision(test.last) // fails for one of the future
				}
				c, f, err := connectTo(t, test.server, &Options{LastRevision: last})
				if err != nil {
					t.Fatal(err)
				}
				var methods []string
				for _, line := range f.sent() {
					methods = append(methods, strings.Fields(line)[0])
				}
				if diff := cmp.Diff(test.methods, methods); diff != "" {
					t.Error(diff)
				}
				if got := c.Revision().String(); got != test.want {
					t.Errorf("got %s, want %s", got, test.want)
				}
			})
		})
	}
}

// REQ CAP-01 CAP-03 CAP-05 CAP-07 ROOT-01 SAMP-01 ELIC-01 EXT-01 EXT-03 EXT-08 TASK-01 XTASK-01
func TestCapabilities(t *testing.T) {
	t.Parallel()
	everything := Options{
		Roots:  []mcp.Root{},
		Sample: noSample,
		Elicit: elicit.Handler{
			Form: noElicit,
			URL:  noElicitURL,
		},
		Capabilities: mcp.ClientCapabilities{
			Experimental: map[string]wire.Raw{"com.example/x": wire.Raw("{}")},
			Sampling:     &mcp.ClientCapabilitiesSampling{Tools: mcp.JSONObject{}},
		},
		Extensions: []Extension{{ID: "com.example/y"}, {ID: "com.example/z", Settings: wire.Raw(`{"a":1}`)}},
	}
	for name, test := range map[string]struct {
		opts Options
		rev  wire.Revision
		want string
	}{
		"nothing":               {Options{}, mcp.V2026_07_28, `{}`},
		"roots, legacy":         {Options{Roots: []mcp.Root{}}, mcp.V2025_11_25, `{"roots":{"listChanged":true}}`},
		"roots, modern":         {Options{Roots: []mcp.Root{}}, mcp.V2026_07_28, `{"roots":{}}`},
		"URLs, 2025-06":         {Options{Elicit: elicit.Handler{URL: noElicitURL}}, mcp.V2025_06_18, `{}`},
		"URLs, 2025-11":         {Options{Elicit: elicit.Handler{URL: noElicitURL}}, mcp.V2025_11_25, `{"elicitation":{"url":{}}}`},
		"forms, 2025-03":        {Options{Elicit: elicit.Handler{Form: noElicit}}, mcp.V2025_03_26, `{}`},
		"forms, 2025-06":        {Options{Elicit: elicit.Handler{Form: noElicit}}, mcp.V2025_06_18, `{"elicitation":{}}`},
		"forms, 2025-11":        {Options{Elicit: elicit.Handler{Form: noElicit}}, mcp.V2025_11_25, `{"elicitation":{"form":{}}}`},
		"an extension, 2025-11": {Options{Extensions: []Extension{{ID: "com.example/y"}}}, mcp.V2025_11_25, `{"extensions":{"com.example/y":{}}}`},
		"an extension, 2024-11": {Options{Extensions: []Extension{{ID: "com.example/y"}}}, mcp.V2024_11_05, `{"extensions":{"com.example/y":{}}}`},
		"one extension":         {Options{Extensions: []Extension{{ID: "com.example/y"}}}, mcp.V2026_07_28, `{"extensions":{"com.example/y":{}}}`},
		"context, modern":       {Options{Sample: noSample, Capabilities: mcp.ClientCapabilities{Sampling: &mcp.ClientCapabilitiesSampling{Context: mcp.JSONObject{}}}}, mcp.V2026_07_28, `{"sampling":{"context":{}}}`},
		"before an extension":   {Options{Extensions: []Extension{{ID: "com.example/y", Since: mcp.V2026_07_28}}}, mcp.V2025_11_25, `{}`},
		"since an extension":    {Options{Extensions: []Extension{{ID: "com.example/y", Since: mcp.V2026_07_28}}}, mcp.V2026_07_28, `{"extensions":{"com.example/y":{}}}`},
		"all, 2024-11": {everything, mcp.V2024_11_05,
			`{"experimental":{"com.example/x":{}},"roots":{"listChanged":true},"sampling":{},` +
				`"extensions":{"com.example/y":{},"com.example/z":{"a":1}}}`},
		"all, 2025-11": {everything, mcp.V2025_11_25,
			`{"experimental":{"com.example/x":{}},"roots":{"listChanged":true},"sampling":{"tools":{}},"elicitation":{"form":{},"url":{}},` +
				`"extensions":{"com.example/y":{},"com.example/z":{"a":1}}}`},
		"all, 2026-07": {everything, mcp.V2026_07_28,
			`{"experimental":{"com.example/x":{}},"roots":{},"sampling":{"tools":{}},"elicitation":{"form":{},"url":{}},` +
				`"extensions":{"com.example/y":{},"com.example/z":{"a":1}}}`},
	} {
		got, err := wire.Marshal(test.rev, new(test.opts.capabilities(test.rev)))
		if string(got) != test.want || err != nil {
			t.Errorf("%s: %s, %v, want %s", name, got, err, test.want)
		}
	}
}
