package main

import (
	"context"

	"github.com/google/go-github/v82/github"
)

// ListPullRequests lists the pull requests of a repository. Their texts are those of the issues with their numbers.
//
//mcp:tool readonly openworld group=pulls
//mcp:param opts.State enum=open,closed,all
//mcp:param opts.Sort enum=created,updated,popularity,long-running
//mcp:param opts.Direction enum=asc,desc
//mcp:param opts.Page min=1
//mcp:param opts.PerPage min=1 max=100
func (g *GitHub) ListPullRequests(ctx context.Context, owner, repo string, opts *github.PullRequestListOptions) (*Page[PullRequest], error) {
	pulls, r, err := g.client.PullRequests.List(ctx, owner, repo, opts)
	return pageOf(pulls, r, err, pullRequest)
}

// MergePullRequest merges a pull request.
//
//   - message: what follows the title of the commit; without it, GitHub writes one
//
//mcp:tool destructive openworld group=pulls "confirm=Merge pull request {number} of {owner}/{repo}?"
//mcp:param number min=1
//mcp:param message optional
//mcp:param opts fields=CommitTitle,SHA,MergeMethod
//mcp:param opts.MergeMethod enum=merge,squash,rebase
func (g *GitHub) MergePullRequest(ctx context.Context, owner, repo string, number int, message string, opts *github.PullRequestOptions) (*github.PullRequestMergeResult, error) {
	merged, _, err := g.client.PullRequests.Merge(ctx, owner, repo, number, message, opts)
	return merged, err
}
