package publish

import (
	"archive/zip"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// Bundles of the format MCPB, https://github.com/modelcontextprotocol/mcpb, manifest version 0.3.

type manifest struct {
	Version          string                `json:"manifest_version"`
	Name             string                `json:"name"`
	DisplayName      string                `json:"display_name,omitempty"`
	ServerVersion    string                `json:"version"`
	Description      string                `json:"description"`
	Author           map[string]string     `json:"author"`
	Repository       map[string]string     `json:"repository,omitempty"`
	Homepage         string                `json:"homepage,omitempty"`
	Server           manifestServer        `json:"server"`
	Tools            []named               `json:"tools,omitempty"`
	PromptsGenerated bool                  `json:"prompts_generated,omitempty"` // a static prompt would need its text
	License          string                `json:"license,omitempty"`
	Compatibility    map[string][]string   `json:"compatibility"`
	UserConfig       map[string]userConfig `json:"user_config,omitempty"`
	Meta             map[string]any        `json:"_meta,omitempty"`
}

type manifestServer struct {
	Type       string        `json:"type"`
	EntryPoint string        `json:"entry_point"`
	Run        clientCommand `json:"mcp_config"`
}

type named struct {
	Name        string `json:"name"`
	Description string `json:"description,omitempty"`
}

type userConfig struct {
	Type        string `json:"type"`
	Title       string `json:"title"`
	Description string `json:"description"`
	Required    bool   `json:"required"`
	Sensitive   bool   `json:"sensitive,omitempty"`
	Default     any    `json:"default,omitempty"`
}

// DefaultPlatforms returns the platforms that bundles are made for unless the code names others.
func DefaultPlatforms() []string {
	return []string{"darwin/amd64", "darwin/arm64", "linux/amd64", "linux/arm64", "windows/amd64"}
}

// Bundles builds the program in dir for each platform, and returns the bundles, their hashes, and a server.json that has
// them as packages. The program is not started.
func Bundles(ctx context.Context, p *Project, dir string, platforms []string) ([]File, error) {
	if err := p.check(); err != nil {
		return nil, err
	}
	server := p.serverJSON()
	var files []File
	var sums strings.Builder
	for _, platform := range platforms {
		goos, goarch, _ := strings.Cut(platform, "/")
		binary, err := build(ctx, dir, goos, goarch)
		if err != nil {
			return nil, err
		}
		content, err := p.bundle(goos, binary)
		if err != nil {
			return nil, err
		}
		name := fmt.Sprintf("%s_%s_%s_%s.mcpb", p.slug(), p.Version, goos, goarch)
		digest := sha256.Sum256(content)
		sum := hex.EncodeToString(digest[:])
		files = append(files, below("bundles/"+name, content))
		fmt.Fprintf(&sums, "%s  %s\n", sum, name)
		if url := p.repository(); url != "" {
			ref := p.packageRef("mcpb", url+"/releases/download/v"+p.Version+"/"+name)
			ref.Arguments, ref.Variables = nil, nil // the manifest in the bundle has them
			ref.SHA256 = sum
			server.Packages = append(server.Packages, ref)
		}
	}
	return append(files, below("bundles/SHA256SUMS", []byte(sums.String())), below("bundles/server.json", encode(server))), nil
}

// build compiles the program, and returns the same bytes for the same code and the same version of Go.
func build(ctx context.Context, dir, goos, goarch string) ([]byte, error) {
	temp, err := os.MkdirTemp("", "mcpgen-publish-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(temp)
	name := filepath.Join(temp, "server")
	c := exec.CommandContext(ctx, "go", "build", "-trimpath", "-buildvcs=false", "-ldflags=-s -w -buildid=", "-o", name, ".")
	c.Dir = dir
	c.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+goos, "GOARCH="+goarch, "GOFLAGS=")
	if out, err := c.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("the program cannot be built for %s/%s: %w\n%s", goos, goarch, err, bytes.TrimSpace(out))
	}
	return os.ReadFile(name)
}

// bundle packs a program with its manifest.
func (p *Project) bundle(goos string, binary []byte) ([]byte, error) {
	entry := "server/" + p.slug()
	if goos == "windows" {
		entry += ".exe"
	}
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, f := range []struct {
		name    string
		mode    os.FileMode
		content []byte
	}{
		{"manifest.json", 0o644, encode(p.manifest(goos, entry))},
		{entry, 0o755, binary},
	} {
		h := &zip.FileHeader{Name: f.name, Method: zip.Deflate, Modified: time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)}
		h.SetMode(f.mode)
		w, err := z.CreateHeader(h)
		if err != nil {
			return nil, err
		}
		if _, err := w.Write(f.content); err != nil {
			return nil, err
		}
	}
	err := z.Close()
	return b.Bytes(), err
}

// manifest returns the manifest of a bundle whose program is at entry. A client asks the user for the settings, and
// passes them to the program as variables or, where a setting has none, as flags.
func (p *Project) manifest(goos, entry string) *manifest {
	system := goos
	if goos == "windows" {
		system = "win32"
	}
	m := &manifest{
		Version: "0.3", Name: p.slug(), DisplayName: p.Title, ServerVersion: p.Version, Description: p.Text,
		Author: map[string]string{"name": p.author()}, Homepage: p.Website, License: p.License,
		Server:           manifestServer{"binary", entry, clientCommand{Command: "${__dirname}/" + entry, Args: []string{}}},
		PromptsGenerated: len(p.Prompts) > 0, Compatibility: map[string][]string{"platforms": {system}},
	}
	if url := p.repository(); url != "" {
		m.Repository = map[string]string{"type": "git", "url": url}
	}
	for _, t := range p.Tools {
		m.Tools = append(m.Tools, named{t.Name, summary(t.Description)})
	}
	for _, s := range p.Settings {
		if m.UserConfig == nil {
			m.UserConfig = map[string]userConfig{}
		}
		u := userConfig{Type: "string", Title: strings.ReplaceAll(key(s), "_", " "), Description: s.Description, Required: s.Required, Sensitive: s.Secret}
		switch s.Kind {
		case "bool":
			u.Type = "boolean"
		case "int", "float64":
			u.Type = "number"
		}
		if s.Default != "" {
			u.Default = s.Default
			if u.Type != "string" {
				u.Default = json.RawMessage(s.Default) // analyzed as a number or a boolean
			}
		}
		if len(s.Enum) > 0 {
			u.Description = strings.TrimSpace(u.Description + " (" + strings.Join(s.Enum, ", ") + ")")
		}
		m.UserConfig[key(s)] = u
		value := "${user_config." + key(s) + "}"
		if s.Env != "" {
			m.Server.Run.setEnv(s.Env, value)
		} else {
			m.Server.Run.Args = append(m.Server.Run.Args, "-"+s.Flag+"="+value)
		}
	}
	if goos == "windows" { // which lists tools before it starts a server
		definitions := []json.RawMessage{}
		for _, t := range p.Tools {
			definitions = append(definitions, t.Definition)
		}
		m.Meta = map[string]any{"com.microsoft.windows": map[string]any{"static_responses": map[string]any{
			"tools/list": map[string]any{"tools": definitions},
		}}}
	}
	return m
}
