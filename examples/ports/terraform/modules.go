package main

import (
	"cmp"
	"context"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"text/template"
)

// SearchModules lists modules that match a query, those first that are downloaded most. Call it before get_module_details, which
// needs a module_id of this list. Choose a module whose name and description suit the task, rather one that is verified and often
// downloaded, and tell the user which and why; if others suit as well, mention them and go on. If there is none, try other words.
//
//   - query: words to look for, such as vpc
//   - offset: how many modules of the list to leave out, to read on
//
//mcp:tool readonly openworld
//mcp:title Find modules
//mcp:param query name=module_query
//mcp:param offset name=current_offset default=0 min=0
func (r *Registry) SearchModules(ctx context.Context, query string, offset float64) (string, error) {
	path, values := []string{"v1", "modules"}, url.Values{"offset": {fmt.Sprint(int(offset))}}
	if query != "" {
		path = append(path, "search")
		values.Set("q", "'"+strings.ToLower(query)+"'")
	}
	var found struct{ Modules []module }
	if err := r.get(ctx, &found, values, path...); err != nil {
		return "", advised(err, "try other words")
	}
	slices.SortFunc(found.Modules, func(a, b module) int { return cmp.Compare(b.Downloads, a.Downloads) })
	var l list
	for _, m := range found.Modules {
		l.add("module_id", m.ID, "Name", m.Name, "Description", m.Description, "Downloads", m.Downloads, "Verified", m.Verified, "Published", m.PublishedAt)
	}
	return l.text("Modules that match "+query, "try other words")
}

// details is what GetModuleDetails returns.
var details = template.Must(template.New("details").Parse(`# {{.Namespace}}/{{.Name}}

**Description:** {{.Description}}
**Version:** {{.Version}}
**Source:** {{.Source}}
{{with .Root.Inputs}}
### Inputs

| Name | Type | Description | Default | Required |
|---|---|---|---|---|
{{range .}}| {{.Name}} | {{.Type}} | {{.Description}} | {{.Default}} | {{.Required}} |
{{end}}{{end}}{{with .Root.Outputs}}
### Outputs

| Name | Description |
|---|---|
{{range .}}| {{.Name}} | {{.Description}} |
{{end}}{{end}}{{with .Root.Providers}}
### Providers

| Name | Namespace | Source | Version |
|---|---|---|---|
{{range .}}| {{.Name}} | {{.Namespace}} | {{.Source}} | {{.Version}} |
{{end}}{{end}}{{with .Examples}}
### Examples
{{range .}}
#### {{.Name}}

{{.Readme}}
{{end}}{{end}}`))

// GetModuleDetails returns what a module is for, its inputs and outputs, the providers that it needs, and examples. Call
// search_modules first: it has the module_id.
//
//   - id: which module, as search_modules returns it: namespace/name/provider/version
//
//mcp:tool readonly openworld
//mcp:title Read about a module
//mcp:param id name=module_id
func (r *Registry) GetModuleDetails(ctx context.Context, id string) (string, error) {
	parts := strings.Split(strings.ToLower(id), "/")
	if len(parts) != 4 {
		return "", fmt.Errorf("module_id: want namespace/name/provider/version, as search_modules returns it, got %q", id)
	}
	var m module
	if err := r.get(ctx, &m, url.Values{"offset": {"0"}}, append([]string{"v1", "modules"}, parts...)...); err != nil {
		return "", advised(err, "search_modules finds module IDs")
	}
	var b strings.Builder
	err := details.Execute(&b, m)
	return b.String(), err
}

// GetLatestModuleVersion returns which version of a module is the newest in the registry.
//
//   - publisher: who publishes the module, such as terraform-aws-modules
//   - name: which module: many are called after what they set up, such as vpc
//   - provider: for which provider the module is, such as aws
//
//mcp:tool readonly openworld
//mcp:title Newest version of a module
//mcp:param publisher name=module_publisher
//mcp:param name name=module_name
//mcp:param provider name=module_provider
func (r *Registry) GetLatestModuleVersion(ctx context.Context, publisher, name, provider string) (string, error) {
	var m module
	err := r.get(ctx, &m, nil, "v1", "modules", strings.ToLower(publisher), strings.ToLower(name), strings.ToLower(provider))
	return m.Version, advised(err, "search_modules finds modules")
}
