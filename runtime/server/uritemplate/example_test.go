package uritemplate_test

import (
	"context"
	"fmt"
	"log"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/client"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/server/uritemplate"
	"github.com/mcpgen/mcpgen/runtime/transport/inmem"
)

// One handler reads all resources whose URIs match a template.
func ExampleAdd() {
	s := server.New(mcp.Implementation{Name: "library", Version: "1.0.0"}, nil)
	books := mcp.ResourceTemplate{Name: "books", URITemplate: "book://{author}/{title}{?page}", MIMEType: "text/plain"}
	err := uritemplate.Add(s, books, func(_ context.Context, _ *server.Call, uri string, vars map[string]string) (*mcp.ReadResourceResult, error) {
		return server.TextResource("text/plain", fmt.Sprintf("%s by %s, page %s", vars["title"], vars["author"], vars["page"])), nil
	})
	if err != nil {
		log.Fatal(err)
	}

	ctx := context.Background()
	near, far := inmem.Pair(0)
	go s.Serve(ctx, far)
	c, err := client.Connect(ctx, near, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer c.Close()
	r, err := c.ReadResource(ctx, &mcp.ReadResourceRequestParams{URI: "book://Hamsun/Hunger?page=7"})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(r.Contents[0].(*mcp.TextResourceContents).Text)
	// Output: Hunger by Hamsun, page 7
}
