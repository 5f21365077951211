// Command typed calls three servers by the clients that TestTypedClients generates of them. Its arguments are the scripts of the
// servers, and a folder for files.
package main

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/mcpgen/mcpgen/interop/testdata/typed/everything"
	"github.com/mcpgen/mcpgen/interop/testdata/typed/filesystem"
	"github.com/mcpgen/mcpgen/interop/testdata/typed/memory"
	"github.com/mcpgen/mcpgen/runtime/client"
	"github.com/mcpgen/mcpgen/runtime/transport/stdio"
)

func main() {
	ctx, dir := context.Background(), os.Args[4]
	check := func(err error) {
		if err != nil {
			log.Fatal(err)
		}
	}
	start := func(args ...string) *client.Client {
		process, err := (&stdio.Command{Path: "node", Args: args, Env: append(os.Environ(), "MEMORY_FILE_PATH="+filepath.Join(dir, "memory"))}).Start(ctx)
		check(err)
		c, err := client.Connect(ctx, process, nil)
		check(err)
		return c
	}

	c := start(os.Args[1])
	all := everything.New(c)
	sum, err := all.GetSum(ctx, everything.GetSumArgs{A: 2, B: 3})
	check(err)
	fmt.Println(client.Text(sum.Content))
	weather, err := all.GetStructuredContent(ctx, everything.GetStructuredContentArgs{Location: "New York"})
	check(err)
	fmt.Println(weather.Temperature, weather.Conditions, weather.Humidity)
	prompt, err := all.ArgsPrompt(ctx, everything.ArgsPromptArgs{City: "Oslo"})
	check(err)
	fmt.Println(len(prompt.Messages))
	text, err := all.ReadDynamicTextResource(ctx, "1")
	check(err)
	fmt.Println(len(text.Contents))
	check(c.Close())

	c = start(os.Args[2])
	graph := memory.New(c)
	_, err = graph.CreateEntities(ctx, memory.CreateEntitiesArgs{Entities: []memory.CreateEntitiesArgsEntitiesItem{
		{Name: "Ada", EntityType: "person", Observations: []string{"writes programs"}},
	}})
	check(err)
	read, err := graph.ReadGraph(ctx, memory.ReadGraphArgs{})
	check(err)
	fmt.Println(read.Entities[0].Name, read.Entities[0].Observations)
	check(c.Close())

	c = start(os.Args[3], dir)
	files := filesystem.New(c)
	path := filepath.Join(dir, "a.txt")
	_, err = files.WriteFile(ctx, filesystem.WriteFileArgs{Path: path, Content: "one\ntwo\n"})
	check(err)
	lines := 1.0
	head, err := files.ReadTextFile(ctx, filesystem.ReadTextFileArgs{Path: path, Head: &lines})
	check(err)
	fmt.Println(head.Content)
	check(c.Close())
}
