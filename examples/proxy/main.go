// Proxy stands between a client and a server. Its client starts it in place of the server, and it
// starts the server:
//
//	go run ./examples/proxy [-v] COMMAND [ARGUMENT...]
//
// It reads every message that the protocol knows into its Go type, where it can be looked at or
// changed, and writes it again. What the protocol does not know goes through as it is: other
// methods, members that no revision declares, arms of unions that are yet to be invented. With -v
// it tells on standard error what goes by.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"log/slog"
	"os"

	"github.com/mcpgen/mcpgen/runtime/transport/stdio"
)

func main() {
	log.SetPrefix("proxy: ")
	log.SetFlags(0)
	verbose := flag.Bool("v", false, "tell what goes by")
	flag.Usage = func() {
		fmt.Fprintln(flag.CommandLine.Output(), "usage: proxy [-v] COMMAND [ARGUMENT...]")
		flag.PrintDefaults()
	}
	flag.Parse()
	if flag.NArg() == 0 {
		flag.Usage()
		os.Exit(2)
	}
	if *verbose {
		slog.SetLogLoggerLevel(slog.LevelDebug)
	}
	if err := run(context.Background(), flag.Arg(0), flag.Args()[1:]...); err != nil {
		log.Fatal(err)
	}
}

// run is the proxy between the client that started this program and a server.
func run(ctx context.Context, command string, args ...string) error {
	client, err := stdio.Server(nil)
	if err != nil {
		return err
	}
	server, err := (&stdio.Command{
		Path:   command,
		Args:   args,
		Stderr: os.Stderr,
	}).Start(ctx)
	if err != nil {
		return err
	}
	return pass(ctx, client, server, slog.Default())
}
