package analyze

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"mime"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/mcpgen/mcpgen/generator/tools/internal/directive"
	"github.com/mcpgen/mcpgen/generator/tools/internal/ir"
	"github.com/mcpgen/mcpgen/generator/tools/internal/page"
)

// extras reads icons and _meta.
func (a *analyzer) extras(notes []*directive.Directive) (x ir.Extras) {
	for _, d := range notes {
		switch d.Name {
		case "icon":
			if icon, ok := a.icon(d); ok {
				x.Icons = append(x.Icons, icon)
			}
		case "meta":
			x.Meta = a.meta(d)
		}
	}
	return x
}

// maxIcon is how many bytes an image file may have: each list repeats it.
const maxIcon = 64 << 10

var iconSize = regexp.MustCompile(`^([1-9][0-9]*x[1-9][0-9]*|any)$`)

// icon reads an //mcp:icon. A URL stays as it is, and a file in the folder of the package becomes a data URL. If ok is
// false, the problem has been noted.
//
// See https://modelcontextprotocol.io/specification/2025-11-25/basic#icons
func (a *analyzer) icon(d *directive.Directive) (icon ir.Icon, ok bool) {
	if len(d.Words) == 0 {
		return icon, false // which the parser of directives has said
	}
	ok = true
	problem := func(at *directive.Value, format string, args ...any) {
		ok = false
		a.problems.Addf(at.Pos, "%s: "+format, append([]any{d}, args...)...)
	}
	if v := d.Get("mime"); v != nil {
		icon.MIMEType = v.Text
		if t, _, err := mime.ParseMediaType(v.Text); err != nil || !strings.HasPrefix(t, "image/") {
			problem(v, "mime=%s: want the media type of an image, such as image/png", directive.Visible(v.Text))
		}
	}
	if v := d.Get("sizes"); v != nil {
		icon.Sizes = directive.Split(v.Text)
		if slices.ContainsFunc(icon.Sizes, func(s string) bool { return !iconSize.MatchString(s) }) {
			problem(v, "sizes=%s: want sizes such as 48x48, or any", directive.Visible(v.Text))
		}
	}
	if v := d.Get("theme"); v != nil {
		icon.Theme = v.Text
		if v.Text != "light" && v.Text != "dark" {
			problem(v, "theme=%s: want light or dark", directive.Visible(v.Text))
		}
	}
	w := d.Words[0]
	source := w.Text
	if strings.Contains(source, ":") {
		icon.Src = source
		if u, err := url.Parse(source); err != nil || u.Scheme != "data" && (u.Scheme != "https" || u.Host == "") {
			a.problems.Addf(w.Pos, "%s: want an https or data URL, or a file in the folder of the package", d)
			return icon, false
		}
		return icon, ok
	}
	if icon.MIMEType == "" {
		icon.MIMEType = page.ImageType(source)
	}
	data, problemText := a.image(d, source)
	if problemText == "" && icon.MIMEType == "" {
		problemText = "its name does not say what image it is; want one of png, jpg, svg, webp or gif, or mime="
	}
	if problemText != "" {
		a.problems.Addf(w.Pos, "%s: %s", d, problemText)
		return icon, false
	}
	icon.Src = "data:" + icon.MIMEType + ";base64," + base64.StdEncoding.EncodeToString(data)
	return icon, ok
}

// image reads an image file in the folder of the package. It returns what is wrong with it.
func (a *analyzer) image(d *directive.Directive, name string) (data []byte, problem string) {
	if !filepath.IsLocal(filepath.FromSlash(name)) {
		return nil, "want a file in the folder of the package, or below it"
	}
	file := filepath.Join(filepath.Dir(a.pkg.Position(d.Pos()).Filename), filepath.FromSlash(name))
	info, err := os.Stat(file)
	if err == nil && info.Size() > maxIcon {
		return nil, "it has " + strconv.FormatInt(info.Size(), 10) + " bytes, want at most " + strconv.Itoa(maxIcon) + ", since each list repeats it; a URL of https may lead to more"
	}
	if err == nil {
		data, err = os.ReadFile(file)
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, "there is no such file in the folder of the package"
	case err != nil:
		return nil, err.Error()
	}
	return data, ""
}

// meta reads the members of _meta.
func (a *analyzer) meta(d *directive.Directive) (members []ir.Meta) {
	var object map[string]json.RawMessage
	if err := json.Unmarshal([]byte(d.Free.Text), &object); err != nil || len(object) == 0 {
		a.problems.Addf(d.Free.Pos, "%s: want a JSON object with members, as in %s", d, d.Example)
		return nil
	}
	for _, key := range slices.Sorted(maps.Keys(object)) {
		members = append(members, ir.Meta{Key: key, JSON: string(object[key])})
	}
	return members
}

// annotations reads the audience and the priority of a resource.
func (a *analyzer) annotations(d *directive.Directive, r *ir.Resource) {
	if v := d.Get("audience"); v != nil {
		r.Audience = directive.Split(v.Text)
		if len(slices.Compact(slices.Sorted(slices.Values(r.Audience)))) != len(r.Audience) ||
			slices.ContainsFunc(r.Audience, func(s string) bool { return s != "user" && s != "assistant" }) {
			a.problems.Addf(v.Pos, "%s: audience=%s: want user, assistant, or user,assistant", d, directive.Visible(v.Text))
		}
	}
	if v := d.Get("priority"); v != nil {
		n, err := strconv.ParseFloat(v.Text, 64)
		if err != nil || !(n >= 0 && n <= 1) {
			a.problems.Addf(v.Pos, "%s: priority=%s: want a number from 0 to 1", d, directive.Visible(v.Text))
		}
		r.Priority = &n
	}
}
