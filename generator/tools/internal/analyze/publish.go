package analyze

import (
	"net/url"
	"regexp"

	"github.com/mcpgen/mcpgen/generator/tools/internal/directive"
	"github.com/mcpgen/mcpgen/generator/tools/internal/ir"
)

var (
	registryName = regexp.MustCompile(`^[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+$`)
	imageName    = regexp.MustCompile(`^[a-z0-9.:-]+(/[a-z0-9._-]+)+$`)
	platformName = regexp.MustCompile(`^(darwin|linux|windows)/[a-z0-9]+$`)
)

// publish reads what the package clause says about publishing.
func (a *analyzer) publish(notes []*directive.Directive) {
	for _, d := range notes {
		if d.Name != "publish" {
			continue
		}
		if a.out.Publish.Pos.IsValid() {
			a.problems.Addf(d.Pos(), "%s: there is one at %s already", d, a.out.Publish.Pos)
			return
		}
		p := &a.out.Publish
		*p = ir.Publish{Pos: a.pkg.Position(d.Pos())}
		for _, v := range d.Given {
			want := ""
			switch v.Key {
			case "name":
				p.Name = v.Text
				if !registryName.MatchString(v.Text) || len(v.Text) > 200 {
					want = "a namespace and a name, as in io.github.example/weather"
				}
			case "image":
				p.Image = v.Text
				if v.Text != "none" && !imageName.MatchString(v.Text) {
					want = "a registry and a name without a tag, as in ghcr.io/example/weather, or none"
				}
			case "remote":
				p.Remote = v.Text
				if u, err := url.Parse(v.Text); err != nil || u.Host == "" || u.Scheme != "https" {
					want = "a URL of https"
				}
			case "author":
				p.Author = v.Text
			case "license":
				p.License = v.Text
			case "category":
				p.Category = v.Text
			case "platforms":
				p.Platforms = directive.Split(v.Text)
				for _, platform := range p.Platforms {
					if !platformName.MatchString(platform) {
						want = "systems among darwin, linux and windows with their architectures, as in linux/amd64,darwin/arm64"
					}
				}
			}
			if want != "" {
				a.problems.Addf(v.Pos, "%s: %s=%s: want %s", d, v.Key, directive.Visible(v.Text), want)
			}
		}
	}
}
