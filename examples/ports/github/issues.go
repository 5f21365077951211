package main

import (
	"context"

	"github.com/google/go-github/v82/github"
)

// GitHub has the tools.
type GitHub struct{ client *github.Client }

// ListIssues lists the issues and pull requests of a repository, without their texts.
//
//   - page: which page, and how long it is
//
//mcp:tool readonly openworld group=issues
//mcp:param page.Page min=1
//mcp:param page.PerPage min=1 max=100
//mcp:param opts fields=State,Assignee,Creator,Mentioned,Labels,Sort,Direction,Since
//mcp:param opts.State enum=open,closed,all
//mcp:param opts.Sort enum=created,updated,comments
//mcp:param opts.Direction enum=asc,desc
func (g *GitHub) ListIssues(ctx context.Context, owner, repo string, page *github.ListOptions, opts *github.IssueListByRepoOptions) (*Page[Issue], error) {
	if opts == nil {
		opts = &github.IssueListByRepoOptions{}
	}
	// The page is an argument of its own: opts embeds two structs with a field Page, and encoding/json takes neither.
	if page != nil {
		opts.ListOptions = *page
	}
	issues, r, err := g.client.Issues.ListByRepo(ctx, owner, repo, opts)
	return pageOf(issues, r, err, summary)
}

// SearchIssues finds issues and pull requests by GitHub's search syntax, without their texts.
//
//   - query: such as "repo:golang/go is:open label:bug json"
//
//mcp:tool readonly openworld group=issues
//mcp:param opts fields=Sort,Order,ListOptions
//mcp:param opts.Sort enum=comments,created,updated,reactions
//mcp:param opts.Order enum=asc,desc
//mcp:param opts.Page min=1
//mcp:param opts.PerPage min=1 max=100
func (g *GitHub) SearchIssues(ctx context.Context, query string, opts *github.SearchOptions) (*Page[Issue], error) {
	found, r, err := g.client.Search.Issues(ctx, query, opts)
	if err != nil {
		return nil, err
	}
	return pageOf(found.Issues, r, nil, summary)
}

// GetIssue returns an issue or a pull request, with its text.
//
//mcp:tool readonly openworld group=issues
//mcp:param number min=1
func (g *GitHub) GetIssue(ctx context.Context, owner, repo string, number int) (*Issue, error) {
	issue, _, err := g.client.Issues.Get(ctx, owner, repo, number)
	return one(issue, err, whole)
}

// CreateIssue opens an issue.
//
//mcp:tool nondestructive openworld group=issues
//mcp:param issue fields=Title,Body,Labels,Assignees
//mcp:param issue.Title required minlen=1
func (g *GitHub) CreateIssue(ctx context.Context, owner, repo string, issue github.IssueRequest) (*Issue, error) {
	created, _, err := g.client.Issues.Create(ctx, owner, repo, &issue)
	return one(created, err, whole)
}

// ListComments lists the comments of an issue or a pull request, the oldest first.
//
//mcp:tool readonly openworld group=issues
//mcp:param number min=1
//mcp:param opts.Sort enum=created,updated
//mcp:param opts.Direction enum=asc,desc
//mcp:param opts.Page min=1
//mcp:param opts.PerPage min=1 max=100
func (g *GitHub) ListComments(ctx context.Context, owner, repo string, number int, opts *github.IssueListCommentsOptions) (*Page[Comment], error) {
	comments, r, err := g.client.Issues.ListComments(ctx, owner, repo, number, opts)
	return pageOf(comments, r, err, comment)
}

// AddComment comments on an issue or a pull request.
//
//   - body: the comment, in Markdown
//
//mcp:tool nondestructive openworld group=issues
//mcp:param number min=1
//mcp:param body minlen=1
func (g *GitHub) AddComment(ctx context.Context, owner, repo string, number int, body string) (*Comment, error) {
	added, _, err := g.client.Issues.CreateComment(ctx, owner, repo, number, &github.IssueComment{Body: &body})
	return one(added, err, comment)
}
