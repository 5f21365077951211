package tools

import (
	"encoding/json"
	"go/token"
	"strings"

	"github.com/mcpgen/mcpgen/generator/tools/internal/ir"
	"github.com/mcpgen/mcpgen/generator/tools/internal/schema"
)

// A Description is what the code of a package says about its server: what publishing it needs.
type Description struct {
	Name, Title, Version, Text, Website, Instructions string // of the server; Text is its description
	Icons                                             []DescribedIcon
	Pos                                               token.Position // of //mcp:server

	// What //mcp:publish says; empty where it says nothing.
	RegistryName, Image, Remote, Author, License, Category string
	Platforms                                              []string // OS/ARCH

	Tools     []DescribedTool
	Prompts   []DescribedItem
	Resources []DescribedItem // the names are URIs, or templates of them
	Settings  []DescribedSetting
}

// A DescribedIcon is an icon of a server.
type DescribedIcon struct {
	Src, MIMEType, Theme string
	Sizes                []string
}

// A DescribedItem is a tool, a prompt or a resource.
type DescribedItem struct{ Name, Title, Description string }

// A DescribedTool is a tool.
type DescribedTool struct {
	DescribedItem
	Arguments  []DescribedArgument
	Definition json.RawMessage // as tools/list sends it
}

// A DescribedArgument is an argument of a tool.
type DescribedArgument struct {
	Name, Type, Description string // the type is that of JSON Schema; any if it has several or none
	Required                bool
}

// A DescribedSetting is a setting of the program, from //mcp:config.
type DescribedSetting struct {
	Env, Flag, Description, Default string
	Kind                            string // string, bool, int, float64 or duration
	Enum                            []string
	Secret, Required                bool
}

// Describe describes the server of a package. It is nil if no directive gives the server a name.
func (p *Package) Describe() *Description {
	s, pub := p.ir.Server, p.ir.Publish
	if s == nil {
		return nil
	}
	d := &Description{
		Name: s.Name, Title: s.Title, Version: s.Version, Text: s.Description, Website: s.Website, Instructions: s.Instructions,
		Pos:          relative(s.Pos, p.base),
		RegistryName: pub.Name, Image: pub.Image, Remote: pub.Remote, Author: pub.Author, License: pub.License, Category: pub.Category,
		Platforms: pub.Platforms,
	}
	for _, i := range s.Icons {
		d.Icons = append(d.Icons, DescribedIcon{Src: i.Src, MIMEType: i.MIMEType, Theme: i.Theme, Sizes: i.Sizes})
	}
	for _, t := range p.ir.Tools {
		if t.Variant != "" { // which only clients with its features see
			continue
		}
		d.Tools = append(d.Tools, DescribedTool{DescribedItem{t.Name, t.Title, t.Description}, arguments(t), definition(t)})
	}
	for _, q := range p.ir.Prompts {
		d.Prompts = append(d.Prompts, DescribedItem{q.Name, q.Title, q.Description})
	}
	for _, r := range p.ir.Resources {
		d.Resources = append(d.Resources, DescribedItem{r.URI, r.Title, r.Description})
	}
	if p.ir.Config != nil {
		for _, s := range p.ir.Config.Settings {
			d.Settings = append(d.Settings, DescribedSetting{
				Env: s.Env, Flag: s.Flag, Description: strings.TrimSpace(s.Description), Default: s.Default, Kind: s.Kind, Enum: s.Enum,
				Secret: s.Secret, Required: s.Required,
			})
		}
	}
	return d
}

// arguments describes the arguments of a tool as their schemas do. A schema without a type, or with several, is of type
// any.
func arguments(t *ir.Tool) []DescribedArgument {
	var all []DescribedArgument
	for _, p := range t.Input {
		var s struct {
			Type any `json:"type"`
		}
		if err := json.Unmarshal([]byte(schema.Of(p.Type)), &s); err != nil {
			panic(err) // schemas are JSON
		}
		kind, _ := s.Type.(string)
		if kind == "" {
			kind = "any"
		}
		all = append(all, DescribedArgument{Name: p.Name, Type: kind, Description: schema.Description(p), Required: p.Required})
	}
	return all
}
