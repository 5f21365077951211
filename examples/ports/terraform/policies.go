package main

import (
	"context"
	"net/url"
	"strings"
	"text/template"
)

// SearchPolicies lists sets of policies that have a text in their titles or names. Call it before get_policy_details, which needs a
// terraform_policy_id of this list. Choose a set whose name and title suit the task, rather one that is often downloaded, and tell
// the user which and why; if others suit as well, mention them and go on. If there is none, try other words.
//
//   - query: the text; upper and lower case are the same
//
//mcp:tool readonly openworld
//mcp:title Find sets of policies
//mcp:param query name=policy_query
func (r *Registry) SearchPolicies(ctx context.Context, query string) (string, error) {
	if query == "" {
		return "", empty("policy_query")
	}
	var found struct {
		Data []struct {
			Attributes    policy
			Relationships struct {
				Latest struct{ Links struct{ Related string } } `json:"latest-version"`
			}
		}
	}
	if err := r.get(ctx, &found, url.Values{"page[size]": {"100"}, "include": {"latest-version"}}, "v2", "policies"); err != nil {
		return "", err
	}
	var l list
	for _, p := range found.Data {
		if a := p.Attributes; strings.Contains(strings.ToLower(a.Title+"\n"+a.Name), strings.ToLower(query)) {
			l.add("terraform_policy_id", strings.TrimPrefix(p.Relationships.Latest.Links.Related, "/v2/"), "Name", a.Name, "Title", a.Title, "Downloads", a.Downloads)
		}
	}
	return l.text("Policies that match "+query, "try other words")
}

// usage is what GetPolicyDetails returns.
var usage = template.Must(template.New("usage").Parse(`## Policies {{.ID}}

{{.Readme}}
---
## Use

In policies.hcl, write a block such as this for each policy, with its name and checksum:

` + "```hcl" + `
{{range .Modules}}module "{{.Name}}" {
  source = "{{$.URL}}/policy-module/{{.Name}}.sentinel?checksum=sha256:{{.Shasum}}"
}

{{end}}policy "<<POLICY_NAME>>" {
  source = "{{.URL}}/policy/<<POLICY_NAME>>.sentinel?checksum=<<POLICY_CHECKSUM>>"
  enforcement_level = "advisory"
}
` + "```" + `

{{range .Policies}}- POLICY_NAME: {{.Name}}
- POLICY_CHECKSUM: sha256:{{.Shasum}}
---
{{end}}`))

// GetPolicyDetails returns what a set of policies is for, which policies it has, and what to write into policies.hcl to use them.
// Call search_policies first: it has the terraform_policy_id.
//
//   - id: which set, as search_policies returns it, such as policies/octo/Safe-Set/1.0.1
//
//mcp:tool readonly openworld
//mcp:title Read about a set of policies
//mcp:param id name=terraform_policy_id
func (r *Registry) GetPolicyDetails(ctx context.Context, id string) (string, error) {
	if id == "" {
		return "", empty("terraform_policy_id")
	}
	var found struct {
		Data     entity[policy]
		Included []struct {
			Type       string
			Attributes policy
		}
	}
	err := r.get(ctx, &found, url.Values{"include": {"policies,policy-modules,policy-library"}}, append([]string{"v2"}, strings.Split(id, "/")...)...)
	if err != nil {
		return "", advised(err, "search_policies finds IDs of policies")
	}
	page := struct {
		ID, URL, Readme   string
		Modules, Policies []policy
	}{ID: id, URL: r.url + "/v2/" + id, Readme: introduction(found.Data.Attributes.Readme)}
	for _, i := range found.Included {
		switch i.Type {
		case "policy-modules":
			page.Modules = append(page.Modules, i.Attributes)
		case "policies":
			page.Policies = append(page.Policies, i.Attributes)
		}
	}
	var b strings.Builder
	err = usage.Execute(&b, page)
	return b.String(), err
}

// introduction returns a README to its second heading.
func introduction(readme string) string {
	headings, lines := 0, strings.Split(readme, "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, "#") {
			headings++
		}
		if headings == 2 {
			lines = lines[:i]
			break
		}
	}
	return strings.Join(lines, "\n")
}
