package client_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/generator/client"
	costs "github.com/mcpgen/mcpgen/internal/limits"
	"github.com/mcpgen/mcpgen/internal/testenv"
)

var size = costs.Flags()

// TestCost is the table of what hostile servers cost who generates clients of them: what they list is read, compared
// with what another lists, and generated from.
func TestCost(t *testing.T) {
	list, sprintf := costs.List, fmt.Sprintf
	tools := func(n int, item func(i int) string) string { return list(n, `{"tools":[`, `]}`, item) }
	tool := func(schema string) string { return `{"tools":[{"name":"t","inputSchema":` + schema + `}]}` }
	argument := func(schema string) string { return tool(`{"type":"object","properties":{"a":` + schema + `}}`) }
	numbered := func(format string) func(i int) string {
		return func(i int) string { return strings.ReplaceAll(format, "§", fmt.Sprint(i)) }
	}
	marks := strings.NewReplacer("0", "-", "1", ".")
	dashes := func(format string) func(i int) string { // names that are the same in Go
		return func(i int) string {
			name := marks.Replace(sprintf("%b", i|1<<14)[1:]) // of one length, without letters
			return strings.ReplaceAll(format, "§", name)
		}
	}
	inputs := map[string]func(n int) string{
		"enum":             func(n int) string { return argument(list(n, `{"enum":[`, `]}`, numbered(`"v§"`))) },
		"enum of numbers":  func(n int) string { return argument(list(n, `{"enum":[`, `]}`, numbered(`§`))) },
		"enum of mixtures": func(n int) string { return argument(list(n, `{"enum":[`, `]}`, numbered(`"v§",§,§.5`))) },
		"enum in a result": func(n int) string {
			return `{"tools":[{"name":"t","inputSchema":{"type":"object"},"outputSchema":` + list(n, `{"type":"object","properties":{"a":{"enum":[`, `]}}}`, numbered(`"v§"`)) + `}]}`
		},
		"enum twice": func(n int) string {
			one := list(n/2, `{"enum":[`, `]}`, numbered(`"v§"`))
			return argument(`{"allOf":[` + one + `,` + one + `]}`)
		},
		"arms of enums": func(n int) string {
			one := list(n/2, `{"type":"string","enum":[`, `]}`, numbered(`"v§"`))
			return argument(`{"anyOf":[` + one + `,` + one + `]}`)
		},
		"enum with one name": func(n int) string { return argument(list(n, `{"enum":[`, `]}`, dashes(`"§"`))) },
		"enum and a pattern": func(n int) string {
			return argument(list(n, `{"enum":[`, `],"pattern":"`+strings.Repeat("a?", n/40)+`"}`, numbered(`"v§"`)))
		},
		"types":         func(n int) string { return argument(list(n, `{"type":[`, `]}`, numbered(`"string"`))) },
		"unknown types": func(n int) string { return argument(list(n, `{"type":[`, `]}`, numbered(`"t§"`))) },
		"required":      func(n int) string { return tool(list(n, `{"type":"object","required":[`, `]}`, numbered(`"m§"`))) },
		"members": func(n int) string {
			return tool(list(n, `{"type":"object","properties":{`, `}}`, numbered(`"m§":{"type":"string"}`)))
		},
		"members with one name": func(n int) string {
			return tool(list(n, `{"type":"object","properties":{`, `}}`, dashes(`"§":{}`)))
		},
		"members of two schemas": func(n int) string {
			one := list(n/2, `{"properties":{`, `}}`, numbered(`"m§":{"type":"string"}`))
			return tool(`{"type":"object","allOf":[` + one + `,` + one + `]}`)
		},
		"members, all required": func(n int) string {
			return tool(list(n/2, `{"type":"object","properties":{`, list(n/2, `},"required":[`, `]}`, numbered(`"m§"`)), numbered(`"m§":{}`)))
		},
		"schemas of one value": func(n int) string { return argument(list(n, `{"allOf":[`, `]}`, numbered(`{"minLength":§}`))) },
		"tuple":                func(n int) string { return argument(list(n, `{"type":"array","prefixItems":[`, `]}`, numbered(`{}`))) },
		"unknown keywords":     func(n int) string { return argument(list(n, `{"type":"string",`, `}`, numbered(`"k§":1`))) },
		"custom keywords":      func(n int) string { return argument(list(n, `{"type":"string",`, `}`, numbered(`"x-k§":1`))) },
		"definitions": func(n int) string {
			return tool(list(n, `{"type":"object","properties":{"a":{"$ref":"#/$defs/d0"}},"$defs":{`, `}}`, numbered(`"d§":{"type":"object","properties":{"a":{"type":"string"}}}`)))
		},
		"the same definition everywhere": func(n int) string {
			return tools(n, numbered(`{"name":"t§","inputSchema":{"type":"object","properties":{"a":{"$ref":"#/$defs/d"}},"$defs":{"d":{"type":"object"}}}}`))
		},
		"another definition everywhere": func(n int) string {
			return tools(n, numbered(`{"name":"t§","inputSchema":{"type":"object","properties":{"a":{"$ref":"#/$defs/d"},"b":{"$ref":"#/$defs/e"}},"$defs":{"e":{"type":"object"},"d":{"type":"object","title":"§"}}}}`))
		},
		"arms": func(n int) string {
			return argument(`{"oneOf":[` + list(n, `{"type":"object","properties":{`, `}}`, numbered(`"m§":{}`)) + `,{"type":"string"}]}`)
		},
		"arms with the same members": func(n int) string {
			one := list(n/4, `{"type":"object","required":[`, list(n/4, `],"properties":{`, `}}`, numbered(`"m§":{}`)), numbered(`"m§"`))
			return argument(`{"oneOf":[` + one + `,{"allOf":[` + one + `,{"properties":{"other":{}}}]}]}`)
		},
		"discriminator": func(n int) string {
			return tool(`{"type":"object","properties":{"a":{"oneOf":[{"$ref":"#/$defs/d"},{"$ref":"#/$defs/e"}],"discriminator":{"propertyName":"k","mapping":` +
				list(n, `{`, `}`, numbered(`"m§":"#/$defs/d"`)) + `}}},"$defs":{"d":{"type":"object","required":["k"],"properties":{"k":{"type":"string"}}},"e":{"type":"object","required":["k"],"properties":{"k":{"type":"string"},"l":{}}}}}`)
		},
		"members under conditions": func(n int) string {
			return argument(list(n, `{"type":"object","if":{},"then":{"properties":{`, `}}}`, numbered(`"m§":{}`)))
		},
		"schemas of other members": func(n int) string {
			return argument(`{"allOf":[` + list(n/2, `{"type":"object","properties":{`, list(n/2, `}},`, `]}`, numbered(`{"additionalProperties":{"minLength":§}}`)), numbered(`"m§":{}`)))
		},
		"patterns of members": func(n int) string {
			return argument(list(n, `{"type":"object","allOf":[`, `]}`, numbered(`{"patternProperties":{"m§":{}}}`)))
		},
		"tools":               func(n int) string { return tools(n, numbered(`{"name":"t§","inputSchema":{"type":"object"}}`)) },
		"tools with one name": func(n int) string { return tools(n, dashes(`{"name":"§","inputSchema":{}}`)) },
		"one tool":            func(n int) string { return tools(n, numbered(`{"name":"t","inputSchema":{}}`)) },
		"mistakes":            func(n int) string { return tools(n, numbered(`{"name":"t§","inputSchema":{"type":"none"}}`)) },
		"mistakes of one":     func(n int) string { return tool(list(n, `{"type":"object","properties":{`, `}}`, numbered(`"m§":1`))) },
		"prompts":             func(n int) string { return list(n, `{"prompts":[`, `]}`, numbered(`{"name":"p§"}`)) },
		"arguments of a prompt": func(n int) string {
			return list(n, `{"prompts":[{"name":"p","arguments":[`, `]}]}`, numbered(`{"name":"a§"}`))
		},
		"one argument of a prompt": func(n int) string {
			return list(n, `{"prompts":[{"name":"p","arguments":[`, `]}]}`, numbered(`{"name":"a"}`))
		},
		"resource templates": func(n int) string {
			return list(n, `{"resourceTemplates":[`, `]}`, numbered(`{"name":"r§","uriTemplate":"r:/§/{a}"}`))
		},
		"templates with one name": func(n int) string {
			return list(n, `{"resourceTemplates":[`, `]}`, numbered(`{"name":"r","uriTemplate":"r:/§/{a}"}`))
		},
		"variables of a template": func(n int) string {
			return `{"resourceTemplates":[{"name":"r","uriTemplate":"` + strings.ReplaceAll(list(n, "r:", "", numbered(`{a§}`)), ",", "/") + `"}]}`
		},
	}
	cases := func(what string, run func(string) (string, error), names ...string) (all []costs.Case) {
		for _, name := range names {
			all = append(all, costs.Case{Name: what + name, Input: inputs[name], Large: true, Most: 3000, Memory: 1000, Run: func(in string) string {
				out, err := run(in)
				if err != nil {
					t.Error(err)
				}
				return out
			}})
		}
		return all
	}
	names := slices.Sorted(maps.Keys(inputs))
	t.Run("compare", func(t *testing.T) { costs.Check(t, *size/4, cases("compare: ", compared, names...)) })
	t.Run("generate", func(t *testing.T) { costs.Check(t, *size/8, cases("generate: ", generated, names...)) })
	t.Run("large", func(t *testing.T) { // of which little code is made
		testenv.Long(t)
		costs.Check(t, 2**size, cases("generate: ", generated, "enum", "enum twice", "types", "discriminator", "mistakes of one"))
		costs.Check(t, *size, cases("compare: ", compared, "schemas of other members"))
	})
}

// contractOf reads a contract as mcpgen client does.
func contractOf(in string) (*client.Contract, error) {
	lock, err := client.Parse("lists.json", []byte(in))
	if err != nil {
		return nil, err
	}
	c, _ := lock.Contract.Settle()
	return c, nil
}

// generated makes a client, and its lock file.
func generated(in string) (string, error) {
	c, err := contractOf(in)
	if err != nil {
		return "", err
	}
	made, err := client.Generate(c, client.Options{Package: "p"})
	if err != nil {
		return "", err
	}
	text, err := (&client.Lock{Contract: c, Names: made.Names}).Format()
	if err != nil {
		return "", err
	}
	lock, err := client.ParseLock("lock.json", text)
	if err != nil {
		return "", err
	}
	return fmt.Sprint(len(made.Source), len(lock.Names)), nil
}

// another is a server with other names.
var another = strings.NewReplacer("t1", "x1", "m1", "n1", "v1", "w1", "a1", "b1", "p1", "q1", "r1", "s1", "string", "number")

// compared compares servers, and finds the lines of the changes.
func compared(in string) (string, error) {
	c, err := contractOf(in)
	if err != nil {
		return "", err
	}
	other, err := contractOf(another.Replace(in))
	if err != nil {
		return "", err
	}
	text, err := (&client.Lock{Contract: c}).Format()
	if err != nil {
		return "", err
	}
	line, out := client.Lines(text), 0
	for _, pair := range [][2]*client.Contract{{c, c}, {c, other}, {other, c}} {
		changes, err := pair[0].Changes(pair[1])
		if err != nil {
			return "", err
		}
		for _, c := range changes {
			out += len(c.String()) + line(c)
		}
		if _, err := pair[0].Descriptions(pair[1]); err != nil {
			return "", err
		}
		pair[0].IsOther(pair[1])
	}
	return fmt.Sprint(out), nil
}
