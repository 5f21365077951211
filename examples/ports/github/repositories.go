package main

import (
	"context"
	"fmt"
	"unicode/utf8"

	"github.com/google/go-github/v82/github"
)

// SearchRepositories finds repositories by GitHub's search syntax.
//
//   - query: such as "json language:go stars:>100"
//
//mcp:tool readonly openworld group=repositories
//mcp:param opts fields=Sort,Order,ListOptions
//mcp:param opts.Sort enum=stars,forks,updated
//mcp:param opts.Order enum=asc,desc
//mcp:param opts.Page min=1
//mcp:param opts.PerPage min=1 max=100
func (g *GitHub) SearchRepositories(ctx context.Context, query string, opts *github.SearchOptions) (*Page[Repository], error) {
	found, r, err := g.client.Search.Repositories(ctx, query, opts)
	if err != nil {
		return nil, err
	}
	return pageOf(found.Repositories, r, nil, repository)
}

// GetFile reads a text file of a repository, or lists what is in a folder.
//
//   - path: that of the file or the folder; without it, the top folder
//
//mcp:tool readonly openworld group=repositories
//mcp:param path optional
//mcp:desc opts.Ref A branch, a tag or a commit; without it, the default branch.
func (g *GitHub) GetFile(ctx context.Context, owner, repo, path string, opts *github.RepositoryContentGetOptions) (*File, error) {
	file, folder, _, err := g.client.Repositories.GetContents(ctx, owner, repo, path, opts)
	if err != nil {
		return nil, err
	}
	if file == nil {
		return &File{Path: path, Folder: names(folder)}, nil
	}
	text, err := file.GetContent()
	if err != nil {
		return nil, err
	}
	if !utf8.ValidString(text) {
		return nil, fmt.Errorf("%s is no text; it can be downloaded from %s", file.GetPath(), file.GetDownloadURL())
	}
	return &File{Path: file.GetPath(), SHA: file.GetSHA(), Text: text}, nil
}
