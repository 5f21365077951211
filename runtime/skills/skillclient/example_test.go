package skillclient_test

import (
	"context"
	"fmt"
	"log"
	"testing/fstest"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/client"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/skills/skillclient"
	"github.com/mcpgen/mcpgen/runtime/skills/skillserver"
	"github.com/mcpgen/mcpgen/runtime/transport/inmem"
)

// A server serves a skill, and a client loads it.
func Example() {
	files := fstest.MapFS{ // or an embed.FS
		"refunds/SKILL.md":          {Data: []byte("---\nname: refunds\ndescription: How money goes back.\n---\n\nWrite as in examples/email.md.\n")},
		"refunds/examples/email.md": {Data: []byte("Dear customer,")},
	}
	s := server.New(mcp.Implementation{Name: "billing", Version: "1.0.0"}, &server.Options{
		Setup: []server.Setup{skillserver.Enable(files, &skillserver.Options{Prefix: "acme"})},
	})
	near, far := inmem.Pair(0)
	ctx := context.Background()
	go s.Serve(ctx, far)
	c, err := client.Connect(ctx, near, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer c.Close()

	source := skillclient.Of(c, nil)
	for skill, err := range source.List(ctx) {
		if err != nil {
			log.Print(err) // an entry that is not valid; the others follow
			continue
		}
		fmt.Println(skill.Frontmatter.Name, "-", skill.Frontmatter.Description)
	}

	skill, err := source.Get(ctx, "skill://acme/refunds/SKILL.md")
	if err != nil {
		log.Fatal(err)
	}
	text, err := skill.Load(ctx) // the SKILL.md
	if err != nil {
		log.Fatal(err)
	}
	email, err := skill.Read(ctx, "examples/email.md") // as the text refers to it
	fmt.Printf("%d bytes\n%s %v\n", len(text), email, err)
	// Output:
	// refunds - How money goes back.
	// 88 bytes
	// Dear customer, <nil>
}
