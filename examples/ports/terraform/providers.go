package main

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// SearchProviders lists documents of a provider, with the IDs that get_provider_details needs: call it first. Of resources and
// data-sources, it finds those whose slug contains service_slug, of other kinds all there are; an overview it returns as a whole.
// Choose the document whose title and category suit the task, and tell the user which and why; if others suit as well, mention them
// and go on.
//
//   - name: which provider, such as aws
//   - namespace: who publishes the provider, as a rule a company or its organization on GitHub; hashicorp is tried, too
//   - slug: what the document is about: a word, or words with underscores between them, such as instance; the name of the provider
//     finds every document
//   - kind: resources for what Terraform creates and changes, data-sources for what it only looks up, overview for the provider
//     itself, guides for upgrades and special configuration, functions, actions, or list-resources for what Terraform Search lists
//   - wanted: which version, such as 1.2.3; without it, or for latest, the newest one
//
//mcp:tool readonly openworld
//mcp:title Find documents of a provider
//mcp:param name name=provider_name
//mcp:param namespace name=provider_namespace
//mcp:param slug name=service_slug
//mcp:param kind name=provider_document_type enum=resources,data-sources,functions,guides,overview,actions,list-resources
//mcp:param wanted name=provider_version optional
func (r *Registry) SearchProviders(ctx context.Context, name, namespace, slug, kind, wanted string) (string, error) {
	if name == "" {
		return "", empty("provider_name")
	}
	if slug == "" {
		return "", empty("service_slug")
	}
	namespace, name, slug = strings.ToLower(cmp.Or(namespace, "hashicorp")), strings.ToLower(name), strings.ToLower(slug)
	v, err := r.versionOf(ctx, namespace, name, strings.ToLower(wanted))
	if err != nil && namespace != "hashicorp" {
		namespace = "hashicorp"
		v, err = r.versionOf(ctx, namespace, name, "latest")
	}
	if err != nil {
		return "", advised(err, "the provider may have another name or publisher")
	}
	var docs []doc
	switch kind {
	case "resources", "data-sources":
		docs, err = r.docsOf(ctx, namespace, name, v)
		docs = slices.DeleteFunc(docs, func(d doc) bool { return d.Category != kind || !strings.Contains(name+"_"+d.Slug, slug) })
	default:
		docs, err = r.moreDocsOf(ctx, namespace, name, v, kind)
	}
	if err != nil {
		return "", advised(err, "the provider may have another name or publisher")
	}
	var l list
	for _, d := range docs {
		whole, _ := r.doc(ctx, d.ID) // what cannot be read has no description
		if kind == "overview" {
			l.WriteString(whole.Content)
			continue
		}
		l.add("providerDocID", d.ID, "Title", d.Title, "Category", d.Category, "Description", summary(whole.Content))
	}
	return l.text(fmt.Sprintf("Documents of the kind %s of the provider %s/%s %s", kind, namespace, name, v), "try another service_slug, such as the name of the provider")
}

// GetProviderDetails returns a document of a provider, which says how to write what it is about. Call search_providers first: it has
// the ID.
//
//   - id: the number that search_providers returns as providerDocID
//
//mcp:tool readonly openworld
//mcp:title Read a provider's document
//mcp:param id name=provider_doc_id
func (r *Registry) GetProviderDetails(ctx context.Context, id string) (string, error) {
	if _, err := strconv.Atoi(id); err != nil {
		return "", fmt.Errorf("provider_doc_id: want a number, as search_providers returns it, got %q", id)
	}
	d, err := r.doc(ctx, id)
	return d.Content, advised(err, "search_providers finds IDs of documents")
}

// GetLatestProviderVersion returns which version of a provider is the newest in the registry.
//
//   - namespace: who publishes the provider, such as hashicorp
//   - name: which provider, such as aws
//
//mcp:tool readonly openworld
//mcp:title Newest version of a provider
func (r *Registry) GetLatestProviderVersion(ctx context.Context, namespace, name string) (string, error) {
	v, err := r.versionOf(ctx, strings.ToLower(namespace), strings.ToLower(name), "latest")
	return v, advised(err, "the provider may have another name or publisher")
}

// GetProviderCapabilities returns what a provider is able to do: for each kind of its documents how many there are, and some of
// them by title and ID. Kinds are resources, which Terraform creates and changes; data-sources, which it only looks up;
// ephemeral-resources, such as passwords, which it does not store; list-resources, for Terraform Search; functions; actions; guides.
//
//   - namespace: who publishes the provider, such as hashicorp
//   - name: which provider, such as aws
//   - wanted: which version, such as 1.2.3; without it, the newest one
//
//mcp:tool readonly openworld
//mcp:title What a provider has
//mcp:param wanted name=version optional
func (r *Registry) GetProviderCapabilities(ctx context.Context, namespace, name, wanted string) (string, error) {
	namespace, name = strings.ToLower(namespace), strings.ToLower(name)
	v, err := r.versionOf(ctx, namespace, name, wanted)
	var docs []doc
	if err == nil {
		docs, err = r.docsOf(ctx, namespace, name, v)
	}
	if err != nil {
		return "", advised(err, "the provider may have another name or publisher")
	}
	kinds := map[string][]doc{}
	for _, d := range docs {
		kind := strings.ToLower(d.Category)
		kinds[kind] = append(kinds[kind], d)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "Capabilities of the provider %s/%s %s\n", namespace, name, v)
	for _, kind := range slices.Sorted(maps.Keys(kinds)) {
		all := kinds[kind]
		fmt.Fprintf(&b, "\n%s: %d\n", kind, len(all))
		some := all
		if len(all) > 10 {
			some = all[:3]
		}
		for _, d := range some {
			fmt.Fprintf(&b, "  - %s (provider_doc_id: %s)\n", d.Title, d.ID)
		}
		if more := len(all) - len(some); more > 0 {
			fmt.Fprintf(&b, "  - %d more\n", more)
		}
	}
	return b.String(), nil
}

// summary returns the description at the beginning of a document.
func summary(content string) string {
	_, text, _ := strings.Cut(content, "description: |-")
	text, _, _ = strings.Cut(text, "\n---")
	text = strings.Join(strings.Fields(text), " ")
	if len(text) > 300 {
		text = strings.ToValidUTF8(text[:300], "") + "..."
	}
	return text
}
