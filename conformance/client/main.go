// Client is the client that the official conformance suite drives. The suite starts it for each
// scenario, with the URL of a server that the scenario plays:
//
//	MCP_CONFORMANCE_SCENARIO=NAME MCP_CONFORMANCE_PROTOCOL_VERSION=REVISION client URL
//
// It does what the scenario wants of a client and exits: with status 0 when that is done, with 1
// and a message if the server does not let it, with 2 if it is called in another way.
package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/client"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// limit is less than what the suite allows, so that a client which hangs can still say where.
const limit = 25 * time.Second

func main() {
	log.SetPrefix("client: ")
	log.SetFlags(0)
	run, err := newRun(os.Args[1:], os.Getenv)
	if err != nil {
		log.Print(err)
		os.Exit(2)
	}
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	if err := run.carryOut(ctx); err != nil {
		log.Fatalf("%s: %v", run.scenario, err)
	}
}

// A run is what the suite says about one run of the program.
type run struct {
	scenario string
	do       scenario
	url      string
	revision wire.Revision // the one that the scenario is about
	told     wire.Raw      // what else the suite says
}

func newRun(args []string, getenv func(string) string) (*run, error) {
	if len(args) != 1 {
		return nil, fmt.Errorf("want one argument, the URL of the server; got %q", args)
	}
	r := &run{
		scenario: getenv("MCP_CONFORMANCE_SCENARIO"),
		url:      args[0],
		told:     wire.Raw(getenv("MCP_CONFORMANCE_CONTEXT")),
	}
	if r.do = scenarios[r.scenario]; isAuth(r.scenario) {
		r.do = callEach(`{}`) // behind the login, all are alike
	}
	if r.do == nil {
		return nil, fmt.Errorf("MCP_CONFORMANCE_SCENARIO is %q; want one of %s, or one that begins with %s",
			r.scenario, strings.Join(slices.Sorted(maps.Keys(scenarios)), ", "), authPrefix)
	}
	var err error
	if r.revision, err = wire.ParseRevision(getenv("MCP_CONFORMANCE_PROTOCOL_VERSION")); err != nil {
		return nil, fmt.Errorf("MCP_CONFORMANCE_PROTOCOL_VERSION: %w", err)
	}
	return r, nil
}

// carryOut connects, does what the scenario wants, and closes the connection.
func (r *run) carryOut(ctx context.Context) error {
	c, err := r.connect(ctx)
	if err != nil {
		return err
	}
	return errors.Join(r.do(ctx, c, r.told), c.Close())
}

// revisions are what the client may speak: the era of the scenario's revision, up to that.
func (r *run) revisions() []wire.Revision {
	return slices.DeleteFunc(client.Revisions(), func(other wire.Revision) bool {
		return other > r.revision || other.Since(mcp.V2026_07_28) != r.revision.Since(mcp.V2026_07_28)
	})
}
