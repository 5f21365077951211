package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"time"
)

// Registry has the tools.
type Registry struct {
	client *http.Client
	url    string // of the registry
}

// A module is what the registry says about a module: in lists without its parts.
type module struct {
	ID, Namespace, Name, Version, Description, Source string

	Downloads   int64
	Verified    bool
	PublishedAt time.Time `json:"published_at"`
	Root        struct {
		Inputs []struct {
			Name, Type, Description string
			Default                 any
			Required                bool
		}
		Outputs   []struct{ Name, Description string }
		Providers []struct{ Name, Namespace, Source, Version string } `json:"provider_dependencies"`
	}
	Examples []struct{ Name, Readme string }
}

// A policy is what the registry says about a set of policies, or about one of them.
type policy struct {
	Name, Title, Readme, Shasum string
	Downloads                   int
}

// A provider is what the registry says about a version of a provider.
type provider struct {
	Version string
	Docs    []doc
}

// A doc is a document of a provider. Its content is not in lists.
type doc struct{ ID, Title, Slug, Category, Language, Content string }

// An entity is an object of the registry's second API.
type entity[T any] struct {
	ID         string
	Attributes T
}

// version is what versions look like; what does not is the latest one.
var version = regexp.MustCompile(`^v?\d+\.\d+\.\d+(-[a-zA-Z0-9]+)?$`)

// get reads what the registry has at a path.
func (r *Registry) get(ctx context.Context, into any, query url.Values, path ...string) error {
	address := r.url
	for _, segment := range path {
		address += "/" + url.PathEscape(segment)
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address+"?"+query.Encode(), nil)
	if err != nil {
		return err
	}
	response, err := r.client.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("the registry responds %s", response.Status)
	}
	return json.NewDecoder(response.Body).Decode(into)
}

// versionOf returns the version that is wanted, or the latest one.
func (r *Registry) versionOf(ctx context.Context, namespace, name, wanted string) (string, error) {
	if version.MatchString(wanted) {
		return wanted, nil
	}
	var p provider
	err := r.get(ctx, &p, nil, "v1", "providers", namespace, name)
	return p.Version, err
}

// docsOf lists the documents of a version in Terraform's language.
func (r *Registry) docsOf(ctx context.Context, namespace, name, v string) ([]doc, error) {
	var p provider
	err := r.get(ctx, &p, nil, "v1", "providers", namespace, name, v)
	return slices.DeleteFunc(p.Docs, func(d doc) bool { return d.Language != "hcl" }), err
}

// moreDocsOf lists the documents of a version that are of a kind, which the registry's first API does not have.
func (r *Registry) moreDocsOf(ctx context.Context, namespace, name, v, kind string) ([]doc, error) {
	var versions struct{ Included []entity[provider] }
	if err := r.get(ctx, &versions, url.Values{"include": {"provider-versions"}}, "v2", "providers", namespace, name); err != nil {
		return nil, err
	}
	at := slices.IndexFunc(versions.Included, func(e entity[provider]) bool { return e.Attributes.Version == v })
	if at < 0 {
		return nil, errors.New("there is no version " + v)
	}
	values := url.Values{"filter[provider-version]": {versions.Included[at].ID}, "filter[category]": {kind}}
	if kind == "overview" {
		values.Set("filter[slug]", "index")
	} else {
		values.Set("filter[language]", "hcl")
	}
	var docs []doc
	for page := 1; ; page++ {
		if kind != "overview" {
			values.Set("page[number]", strconv.Itoa(page))
		}
		var found struct{ Data []entity[doc] }
		if err := r.get(ctx, &found, values, "v2", "provider-docs"); err != nil {
			return nil, err
		}
		for _, e := range found.Data {
			e.Attributes.ID = e.ID
			docs = append(docs, e.Attributes)
		}
		if len(found.Data) == 0 || kind == "overview" {
			return docs, nil
		}
	}
}

// doc returns a document with its content.
func (r *Registry) doc(ctx context.Context, id string) (doc, error) {
	var found struct{ Data entity[doc] }
	err := r.get(ctx, &found, nil, "v2", "provider-docs", id)
	return found.Data.Attributes, err
}
