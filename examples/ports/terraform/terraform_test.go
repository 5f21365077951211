package main

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/examples/ports/internal/loopback"
	"github.com/mcpgen/mcpgen/examples/ports/internal/original"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/client"
	"github.com/mcpgen/mcpgen/runtime/mcptest"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

type object = map[string]any

// responses are those of a registry with one provider, one module and one set of policies.
func responses() map[string]any {
	const published = "2026-01-02T03:04:05Z"
	document := func(id, slug, category, language string) object {
		return object{"id": id, "title": strings.ToUpper(slug), "slug": slug, "category": category, "language": language}
	}
	docs := []any{
		document("1", "instance", "resources", "hcl"), document("2", "instance", "resources", "python"),
		document("3", "instance", "data-sources", "hcl"), document("4", "bucket", "resources", "hcl"),
	}
	for i := range 11 {
		docs = append(docs, document(fmt.Sprint(20+i), fmt.Sprintf("f%d", i), "functions", "hcl"))
	}
	content := func(text string) object {
		return object{"data": object{"id": "0", "attributes": object{"content": text}}}
	}
	return map[string]any{
		"GET /v1/modules": object{"modules": []any{}},
		"GET /v1/modules/search": object{"modules": []any{
			object{"id": "octo/net/cloud/1.0.0", "name": "net", "description": "Networks", "downloads": 3, "published_at": published},
			object{"id": "octo/vpc/cloud/2.0.0", "name": "vpc", "description": "Networks, too", "downloads": 7, "verified": true, "published_at": published},
		}},
		"GET /v1/modules/octo/vpc/cloud": object{"version": "2.0.0"},
		"GET /v1/modules/octo/vpc/cloud/2.0.0": object{
			"namespace": "octo", "name": "vpc", "version": "2.0.0", "description": "Networks, too", "source": "https://example.com/vpc",
			"root": object{
				"inputs":                []any{object{"name": "cidr", "type": "string", "description": "Its range", "default": "10.0.0.0/8", "required": false}},
				"outputs":               []any{object{"name": "id", "description": "Its ID"}},
				"provider_dependencies": []any{object{"name": "cloud", "namespace": "octo", "source": "octo/cloud", "version": ">= 1"}},
			},
			"examples": []any{object{"name": "small", "readme": "A small one."}},
		},
		"GET /v1/modules/octo/bare/cloud/1.0.0":   object{"namespace": "octo", "name": "bare"},
		"GET /v1/providers/octo/cloud":            object{"version": "1.2.3"},
		"GET /v1/providers/octo/cloud/1.2.3":      object{"version": "1.2.3", "docs": docs},
		"GET /v1/providers/hashicorp/time":        object{"version": "0.9.0"},
		"GET /v1/providers/hashicorp/time/0.9.0":  object{"docs": []any{document("1", "sleep", "resources", "hcl")}},
		"GET /v1/providers/hashicorp/random":      object{"version": "3.0.0"},
		"GET /v2/providers/octo/cloud":            object{"included": []any{object{"id": "70", "attributes": object{"version": "1.2.3"}}}},
		"GET /v2/provider-docs":                   found,
		"GET /v2/provider-docs/1":                 content("---\ndescription: |-\n  Runs\n  things.\n---\n# Instance\n"),
		"GET /v2/provider-docs/4":                 content("---\ndescription: |-\n" + strings.Repeat("é", 200) + "\n---\n"),
		"GET /v2/provider-docs/50":                content("# Overview\n"),
		"GET /v2/policies":                        policies(),
		"GET /v2/policies/octo/Safe-Set/1.0.1":    policyDetails(),
		"GET /v1/modules/octo/broken/cloud/1.0.0": "no object",
	}
}

// found returns a page of documents.
func found(r *http.Request) any {
	q := r.URL.Query()
	document := func(id, title string) object {
		return object{"id": id, "attributes": object{"title": title, "category": q.Get("filter[category]")}}
	}
	switch q.Get("filter[category]") + q.Get("page[number]") {
	case "overview":
		return object{"data": []any{document("50", "overview")}}
	case "guides1":
		return object{"data": []any{document("1", "First")}}
	case "guides2":
		return object{"data": []any{document("60", "Second")}}
	}
	return object{"data": []any{}}
}

func policies() object {
	set := func(name, title string) object {
		return object{
			"attributes":    object{"name": name, "title": title, "downloads": 4},
			"relationships": object{"latest-version": object{"links": object{"related": "/v2/policies/octo/" + name + "/1.0.1"}}},
		}
	}
	return object{"data": []any{set("Safe-Set", "Keeps clouds safe"), set("Cheap-Set", "Keeps clouds cheap")}}
}

func policyDetails() object {
	part := func(kind, name string) object {
		return object{"type": kind, "attributes": object{"name": name, "shasum": name + "0123"}}
	}
	return object{
		"data":     object{"attributes": object{"readme": "# Safe set\n\nFor clouds.\n\n## More\n\nOther things.\n"}},
		"included": []any{part("policies", "closed-ports"), part("policy-modules", "report"), part("policy-libraries", "all")},
	}
}

// connect returns a client of a new server, and the registry behind it.
func connect(t *testing.T) (*mcptest.Client, *loopback.Service) {
	t.Helper()
	service := loopback.Start(t, responses())
	s, err := NewServer(&Registry{client: http.DefaultClient, url: service.URL}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return mcptest.Connect(t, s, nil), service
}

// call calls a tool, and returns the text of the result.
func call(t *testing.T, c *client.Client, tool, arguments string) (text string, fails bool) {
	t.Helper()
	r, err := c.CallTool(t.Context(), &mcp.CallToolRequestParams{Name: tool, Arguments: wire.Raw(arguments)})
	if err != nil {
		t.Fatalf("%s %s: %v", tool, arguments, err)
	}
	if r.StructuredContent != nil {
		t.Errorf("%s %s returns structured content, which the original does not", tool, arguments)
	}
	return mcptest.Text(r), r.GetIsError()
}

// cloud are the arguments that name the provider of the registry.
const cloud = `"provider_name":"Cloud","provider_namespace":"Octo"`

// calls are those with success: each tool has one or more.
var calls = []struct {
	tool, arguments string
	requests        string // the paths
	want            string // the text, with URL for that of the registry
}{
	{"search_modules", `{"module_query":"VPC net","current_offset":15}`, "/v1/modules/search?offset=15&q=%27vpc+net%27", `Modules that match VPC net

- module_id: octo/vpc/cloud/2.0.0
- Name: vpc
- Description: Networks, too
- Downloads: 7
- Verified: true
- Published: 2026-01-02 03:04:05 +0000 UTC
---
- module_id: octo/net/cloud/1.0.0
- Name: net
- Description: Networks
- Downloads: 3
- Verified: false
- Published: 2026-01-02 03:04:05 +0000 UTC
---
`},
	{"get_module_details", `{"module_id":"octo/VPC/cloud/2.0.0"}`, "/v1/modules/octo/vpc/cloud/2.0.0?offset=0", `# octo/vpc

**Description:** Networks, too
**Version:** 2.0.0
**Source:** https://example.com/vpc

### Inputs

| Name | Type | Description | Default | Required |
|---|---|---|---|---|
| cidr | string | Its range | 10.0.0.0/8 | false |

### Outputs

| Name | Description |
|---|---|
| id | Its ID |

### Providers

| Name | Namespace | Source | Version |
|---|---|---|---|
| cloud | octo | octo/cloud | >= 1 |

### Examples

#### small

A small one.
`},
	{"get_module_details", `{"module_id":"octo/bare/cloud/1.0.0"}`, "/v1/modules/octo/bare/cloud/1.0.0?offset=0", "# octo/bare\n\n**Description:** \n**Version:** \n**Source:** \n"},
	{"get_latest_module_version", `{"module_publisher":"Octo","module_name":"VPC","module_provider":"cloud"}`, "/v1/modules/octo/vpc/cloud", "2.0.0"},
	{"get_latest_provider_version", `{"namespace":"Octo","name":"cloud"}`, "/v1/providers/octo/cloud", "1.2.3"},
	{"get_provider_details", `{"provider_doc_id":"50"}`, "/v2/provider-docs/50", "# Overview\n"},
	{"get_provider_capabilities", `{"namespace":"octo","name":"cloud","version":"latest"}`, "/v1/providers/octo/cloud /v1/providers/octo/cloud/1.2.3", `Capabilities of the provider octo/cloud 1.2.3

data-sources: 1
  - INSTANCE (provider_doc_id: 3)

functions: 11
  - F0 (provider_doc_id: 20)
  - F1 (provider_doc_id: 21)
  - F2 (provider_doc_id: 22)
  - 8 more

resources: 2
  - INSTANCE (provider_doc_id: 1)
  - BUCKET (provider_doc_id: 4)
`},
	{
		"search_providers", `{` + cloud + `,"service_slug":"Instance","provider_document_type":"resources","provider_version":"1.2.3"}`,
		"/v1/providers/octo/cloud/1.2.3 /v2/provider-docs/1", `Documents of the kind resources of the provider octo/cloud 1.2.3

- providerDocID: 1
- Title: INSTANCE
- Category: resources
- Description: Runs things.
---
`,
	},
	{ // the name of the provider finds all; a document that cannot be read has no description
		"search_providers", `{` + cloud + `,"service_slug":"cloud","provider_document_type":"data-sources"}`,
		"/v1/providers/octo/cloud /v1/providers/octo/cloud/1.2.3 /v2/provider-docs/3", `Documents of the kind data-sources of the provider octo/cloud 1.2.3

- providerDocID: 3
- Title: INSTANCE
- Category: data-sources
- Description: 
---
`,
	},
	{ // a long description is cut
		"search_providers", `{` + cloud + `,"service_slug":"bucket","provider_document_type":"resources","provider_version":"1.2.3"}`,
		"/v1/providers/octo/cloud/1.2.3 /v2/provider-docs/4", `Documents of the kind resources of the provider octo/cloud 1.2.3

- providerDocID: 4
- Title: BUCKET
- Category: resources
- Description: ` + strings.Repeat("é", 150) + `...
---
`,
	},
	{
		"search_providers", `{` + cloud + `,"service_slug":"any","provider_document_type":"guides","provider_version":"1.2.3"}`,
		"/v2/providers/octo/cloud?include=provider-versions" +
			" /v2/provider-docs?filter%5Bcategory%5D=guides&filter%5Blanguage%5D=hcl&filter%5Bprovider-version%5D=70&page%5Bnumber%5D=1" +
			" /v2/provider-docs?filter%5Bcategory%5D=guides&filter%5Blanguage%5D=hcl&filter%5Bprovider-version%5D=70&page%5Bnumber%5D=2" +
			" /v2/provider-docs?filter%5Bcategory%5D=guides&filter%5Blanguage%5D=hcl&filter%5Bprovider-version%5D=70&page%5Bnumber%5D=3" +
			" /v2/provider-docs/1 /v2/provider-docs/60", `Documents of the kind guides of the provider octo/cloud 1.2.3

- providerDocID: 1
- Title: First
- Category: guides
- Description: Runs things.
---
- providerDocID: 60
- Title: Second
- Category: guides
- Description: 
---
`,
	},
	{
		"search_providers", `{` + cloud + `,"service_slug":"any","provider_document_type":"overview","provider_version":"1.2.3"}`,
		"/v2/providers/octo/cloud?include=provider-versions" +
			" /v2/provider-docs?filter%5Bcategory%5D=overview&filter%5Bprovider-version%5D=70&filter%5Bslug%5D=index" +
			" /v2/provider-docs/50", "Documents of the kind overview of the provider octo/cloud 1.2.3\n\n# Overview\n",
	},
	{ // what a publisher does not have, hashicorp may have
		"search_providers", `{"provider_name":"time","provider_namespace":"octo","service_slug":"sleep","provider_document_type":"resources"}`,
		"/v1/providers/octo/time /v1/providers/hashicorp/time /v1/providers/hashicorp/time/0.9.0 /v2/provider-docs/1",
		"Documents of the kind resources of the provider hashicorp/time 0.9.0\n\n- providerDocID: 1\n- Title: SLEEP\n- Category: resources\n- Description: Runs things.\n---\n",
	},
	{
		"search_policies", `{"policy_query":"SAFE"}`, "/v2/policies?include=latest-version&page%5Bsize%5D=100",
		"Policies that match SAFE\n\n- terraform_policy_id: policies/octo/Safe-Set/1.0.1\n- Name: Safe-Set\n- Title: Keeps clouds safe\n- Downloads: 4\n---\n",
	},
	{
		"get_policy_details", `{"terraform_policy_id":"policies/octo/Safe-Set/1.0.1"}`,
		"/v2/policies/octo/Safe-Set/1.0.1?include=policies%2Cpolicy-modules%2Cpolicy-library", `## Policies policies/octo/Safe-Set/1.0.1

# Safe set

For clouds.

---
## Use

In policies.hcl, write a block such as this for each policy, with its name and checksum:

` + "```hcl" + `
module "report" {
  source = "URL/v2/policies/octo/Safe-Set/1.0.1/policy-module/report.sentinel?checksum=sha256:report0123"
}

policy "<<POLICY_NAME>>" {
  source = "URL/v2/policies/octo/Safe-Set/1.0.1/policy/<<POLICY_NAME>>.sentinel?checksum=<<POLICY_CHECKSUM>>"
  enforcement_level = "advisory"
}
` + "```" + `

- POLICY_NAME: closed-ports
- POLICY_CHECKSUM: sha256:closed-ports0123
---
`,
	},
}

// TestTools calls each tool, and compares what it requests of the registry, and what it returns.
func TestTools(t *testing.T) {
	c, service := connect(t)
	for _, test := range calls {
		got, fails := call(t, c.Client, test.tool, test.arguments)
		if got = strings.ReplaceAll(got, service.URL, "URL"); fails || got != test.want {
			t.Errorf("%s %s: isError=%t\n%s\nwant\n%s", test.tool, test.arguments, fails, got, test.want)
		}
		if got := paths(service); got != test.requests {
			t.Errorf("%s %s requests\n%s, want\n%s", test.tool, test.arguments, got, test.requests)
		}
	}
}

// paths returns the paths that have been requested.
func paths(s *loopback.Service) string {
	return strings.ReplaceAll(strings.Join(s.Requests(), " "), "GET ", "")
}

// TestMistakes has what a model reads about wrong arguments, and about what the registry does not have.
func TestMistakes(t *testing.T) {
	c, _ := connect(t)
	const gone = "the registry responds 404 Not Found: "
	for _, test := range []struct{ tool, arguments, want string }{
		{"search_modules", `{"current_offset":-1}`, "current_offset: want a number of at least 0, got -1\nmodule_query: required"},
		{"search_modules", `{"module_query":""}`, "found nothing: try other words"},
		{"get_module_details", `{"module_id":"octo/vpc"}`, `module_id: want namespace/name/provider/version, as search_modules returns it, got "octo/vpc"`},
		{"get_module_details", `{"module_id":"octo/none/cloud/1.0.0"}`, gone + "search_modules finds module IDs"},
		{"get_module_details", `{"module_id":"octo/broken/cloud/1.0.0"}`, "json: cannot unmarshal string into Go value of type main.module: search_modules finds module IDs"},
		{"get_latest_module_version", `{"module_publisher":"octo","module_name":"none","module_provider":"cloud"}`, gone + "search_modules finds modules"},
		{"get_latest_provider_version", `{"namespace":"octo","name":"none"}`, gone + "the provider may have another name or publisher"},
		{"get_provider_details", `{"provider_doc_id":"one"}`, `provider_doc_id: want a number, as search_providers returns it, got "one"`},
		{"get_provider_details", `{"provider_doc_id":"404"}`, gone + "search_providers finds IDs of documents"},
		{"get_provider_capabilities", `{"namespace":"octo","name":"none"}`, gone + "the provider may have another name or publisher"},
		{"get_provider_capabilities", `{"namespace":"octo","name":"cloud","version":"9.9.9"}`, gone + "the provider may have another name or publisher"},
		{"search_providers", `{"provider_name":"","provider_namespace":"octo","service_slug":"x","provider_document_type":"guides"}`, "provider_name: want at least 1 character, got 0"},
		{"search_providers", `{"provider_name":"cloud","provider_namespace":"octo","service_slug":"","provider_document_type":"guides"}`, "service_slug: want at least 1 character, got 0"},
		{"search_providers", `{"provider_name":"none","provider_namespace":"octo","service_slug":"x","provider_document_type":"guides"}`, gone + "the provider may have another name or publisher"},
		{"search_providers", `{"provider_name":"random","provider_namespace":"","service_slug":"x","provider_document_type":"guides"}`, gone + "the provider may have another name or publisher"},
		{"search_providers", `{"provider_name":"cloud","provider_namespace":"octo","service_slug":"x","provider_document_type":"guides","provider_version":"9.9.9"}`, "there is no version 9.9.9: the provider may have another name or publisher"},
		{"search_providers", `{"provider_name":"cloud","provider_namespace":"octo","service_slug":"x","provider_document_type":"recipes"}`, `provider_document_type: want one of "resources", "data-sources", "functions", "guides", "overview", "actions", "list-resources", got "recipes"`},
		{"search_providers", `{"provider_name":"cloud","provider_namespace":"octo","service_slug":"none","provider_document_type":"resources"}`, "found nothing: try another service_slug, such as the name of the provider"},
		{"search_policies", `{"policy_query":""}`, "policy_query: want at least 1 character, got 0"},
		{"search_policies", `{"policy_query":"none"}`, "found nothing: try other words"},
		{"get_policy_details", `{"terraform_policy_id":""}`, "terraform_policy_id: want at least 1 character, got 0"},
		{"get_policy_details", `{"terraform_policy_id":"policies/octo/None/1.0.0"}`, gone + "search_policies finds IDs of policies"},
	} {
		if got, fails := call(t, c.Client, test.tool, test.arguments); !fails || got != test.want {
			t.Errorf("%s %s: isError=%t\n%s\nwant\n%s", test.tool, test.arguments, fails, got, test.want)
		}
	}
}

// Without a registry, there is an error, too.
func TestNoRegistry(t *testing.T) {
	for _, address := range []string{"", ":"} {
		r := &Registry{client: http.DefaultClient, url: address}
		if text, err := r.SearchPolicies(t.Context(), "safe"); err == nil {
			t.Errorf("%q: got %q", address, text)
		}
	}
}

// TestDefinitions compares the definitions with what those of the original say beside descriptions and titles.
func TestDefinitions(t *testing.T) {
	c, _ := connect(t)
	const want = `get_latest_module_version readonly
	module_name! type=string
	module_provider! type=string
	module_publisher! type=string
get_latest_provider_version readonly
	name! type=string
	namespace! type=string
get_module_details readonly
	module_id! type=string
get_policy_details readonly
	terraform_policy_id! type=string
get_provider_capabilities readonly
	name! type=string
	namespace! type=string
	version type=string
get_provider_details readonly
	provider_doc_id! type=string
search_modules readonly
	current_offset default=0 minimum=0 type=number
	module_query! type=string
search_policies readonly
	policy_query! type=string
search_providers readonly
	provider_document_type! enum=[resources data-sources functions guides overview actions list-resources] type=string
	provider_name! type=string
	provider_namespace! type=string
	provider_version type=string
	service_slug! type=string
`
	if got := original.Facts(t, original.Tools(t, c.Client)); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// TestOriginal compares the definitions with those of the server in a checkout of hashicorp/terraform-mcp-server, and what the
// tools request of the registry, and the facts that they return, with what those of that server do. The words are their own.
func TestOriginal(t *testing.T) {
	dir := original.Checkout(t, "MCPGEN_TERRAFORM_MCP_SERVER")
	c, service := connect(t)
	theirs := loopback.Start(t, responses())
	old := original.Start(t, dir, "./cmd/terraform-mcp-server", []string{
		"HTTPS_PROXY=" + theirs.Intercept(t), "NO_PROXY=", "no_proxy=", "TFE_SKIP_TLS_VERIFY=true", "MCP_RATE_LIMIT_GLOBAL=1000:1000", "MCP_RATE_LIMIT_SESSION=1000:1000",
	}, "stdio", "--toolsets", "registry")
	original.Compare(t, original.Tools(t, old), original.Tools(t, c.Client))
	for _, test := range calls {
		text, fails := call(t, old, test.tool, test.arguments)
		if fails {
			t.Errorf("%s %s: the original fails: %s", test.tool, test.arguments, text)
		}
		is, _ := call(t, c.Client, test.tool, test.arguments)
		for _, fact := range facts(is) {
			if !strings.Contains(plain(text), fact) {
				t.Errorf("%s %s returns %q, which the original does not:\n%s", test.tool, test.arguments, fact, text)
			}
		}
		if was, is := paths(theirs), paths(service); was != is {
			t.Errorf("%s %s requests\n%s, the original\n%s", test.tool, test.arguments, is, was)
		}
	}
}

// facts returns what a result says beside its words: its title, the elements of its lists and tables, or else the whole of it.
func facts(text string) []string {
	var all []string
	for line := range strings.Lines(text) {
		for _, mark := range []string{"# ", "- ", "  - ", "| ", "**"} {
			if fact, ok := strings.CutPrefix(line, mark); ok {
				all = append(all, plain(fact))
			}
		}
	}
	if len(all) == 0 {
		return []string{plain(text)}
	}
	return all
}

// plain returns a text without its line breaks, and without marks of Markdown.
func plain(text string) string {
	return strings.Join(strings.Fields(strings.NewReplacer("`", "", "*", "").Replace(text)), " ")
}
