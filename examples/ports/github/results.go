package main

import "github.com/google/go-github/v82/github"

// A Page is one page of a list.
type Page[T any] struct {
	Items    []T `json:"items"`
	NextPage int `json:"next_page,omitempty"` // the page to ask for next; absent if this is the last one
}

// An Issue is an issue or a pull request.
type Issue struct {
	Number      int               `json:"number"`
	Title       string            `json:"title"`
	State       string            `json:"state"`
	PullRequest bool              `json:"pull_request,omitempty"`
	Author      string            `json:"author"`
	Labels      []string          `json:"labels,omitempty"`
	Comments    int               `json:"comments,omitempty"`
	Updated     *github.Timestamp `json:"updated,omitempty"`
	URL         string            `json:"url"`
	Body        string            `json:"body,omitempty"`
}

// A Comment is a comment on an issue or a pull request.
type Comment struct {
	ID      int64             `json:"id"`
	Author  string            `json:"author"`
	Created *github.Timestamp `json:"created,omitempty"`
	Body    string            `json:"body"`
}

// A PullRequest is a pull request.
type PullRequest struct {
	Number  int               `json:"number"`
	Title   string            `json:"title"`
	State   string            `json:"state"`
	Draft   bool              `json:"draft,omitempty"`
	Author  string            `json:"author"`
	Head    string            `json:"head"` // the branch with the changes
	Base    string            `json:"base"` // the branch that they are for
	Updated *github.Timestamp `json:"updated,omitempty"`
	URL     string            `json:"url"`
}

// A Repository is a repository.
type Repository struct {
	Name        string            `json:"name"` // owner/name
	Description string            `json:"description,omitempty"`
	Language    string            `json:"language,omitempty"`
	Stars       int               `json:"stars"`
	Archived    bool              `json:"archived,omitempty"`
	Pushed      *github.Timestamp `json:"pushed,omitempty"`
}

// A File is a file or a folder.
type File struct {
	Path   string   `json:"path"`
	SHA    string   `json:"sha,omitempty"`
	Text   string   `json:"text,omitempty"`
	Folder []string `json:"folder,omitempty"` // what is in a folder; names of folders end in /
}

// pageOf makes a page of what package github returns for a list.
func pageOf[G, T any](list []G, r *github.Response, err error, item func(G) T) (*Page[T], error) {
	if err != nil {
		return nil, err
	}
	page := &Page[T]{Items: make([]T, len(list)), NextPage: r.NextPage}
	for i, v := range list {
		page.Items[i] = item(v)
	}
	return page, nil
}

// one makes a result of what package github returns for one thing.
func one[G, T any](v G, err error, item func(G) T) (*T, error) {
	if err != nil {
		return nil, err
	}
	return new(item(v)), nil
}

func whole(i *github.Issue) Issue {
	issue := summary(i)
	issue.Body = i.GetBody()
	return issue
}

func summary(i *github.Issue) Issue {
	issue := Issue{
		Number: i.GetNumber(), Title: i.GetTitle(), State: i.GetState(), PullRequest: i.IsPullRequest(), Author: i.GetUser().GetLogin(),
		Comments: i.GetComments(), Updated: i.UpdatedAt, URL: i.GetHTMLURL(),
	}
	for _, label := range i.Labels {
		issue.Labels = append(issue.Labels, label.GetName())
	}
	return issue
}

func comment(c *github.IssueComment) Comment {
	return Comment{ID: c.GetID(), Author: c.GetUser().GetLogin(), Created: c.CreatedAt, Body: c.GetBody()}
}

func pullRequest(p *github.PullRequest) PullRequest {
	return PullRequest{
		Number: p.GetNumber(), Title: p.GetTitle(), State: p.GetState(), Draft: p.GetDraft(), Author: p.GetUser().GetLogin(),
		Head: p.GetHead().GetRef(), Base: p.GetBase().GetRef(), Updated: p.UpdatedAt, URL: p.GetHTMLURL(),
	}
}

func repository(r *github.Repository) Repository {
	return Repository{
		Name: r.GetFullName(), Description: r.GetDescription(), Language: r.GetLanguage(), Stars: r.GetStargazersCount(),
		Archived: r.GetArchived(), Pushed: r.PushedAt,
	}
}

// names returns the names in a folder.
func names(folder []*github.RepositoryContent) []string {
	list := make([]string, len(folder))
	for i, c := range folder {
		list[i] = c.GetName()
		if c.GetType() == "dir" {
			list[i] += "/"
		}
	}
	return list
}
