package publish

import (
	"bytes"
	"fmt"

	"go.yaml.in/yaml/v3"
)

// Docker's catalogue: https://github.com/docker/mcp-registry. Its entries are folders of that repository.

type dockerServer struct {
	Name   string        `yaml:"name"`
	Image  string        `yaml:"image"`
	Type   string        `yaml:"type"`
	Meta   dockerMeta    `yaml:"meta"`
	About  dockerAbout   `yaml:"about"`
	Source dockerSource  `yaml:"source"`
	Config *dockerConfig `yaml:"config,omitempty"`
}

type dockerMeta struct {
	Category string   `yaml:"category"`
	Tags     []string `yaml:"tags"`
}

type dockerAbout struct {
	Title       string `yaml:"title"`
	Description string `yaml:"description"`
	Icon        string `yaml:"icon,omitempty"`
}

type dockerSource struct {
	Project string `yaml:"project"`
	Commit  string `yaml:"commit,omitempty"`
}

type dockerConfig struct {
	Description string            `yaml:"description"`
	Secrets     []dockerSecret    `yaml:"secrets,omitempty"`
	Env         []dockerEnv       `yaml:"env,omitempty"`
	Parameters  *dockerParameters `yaml:"parameters,omitempty"`
}

type dockerSecret struct {
	Name    string `yaml:"name"`
	Env     string `yaml:"env"`
	Example string `yaml:"example"`
}

type dockerEnv struct {
	Name    string `yaml:"name"`
	Example string `yaml:"example"`
	Value   string `yaml:"value"`
}

type dockerParameters struct {
	Type       string                     `yaml:"type"`
	Properties map[string]dockerParameter `yaml:"properties"`
	Required   []string                   `yaml:"required,omitempty"`
}

type dockerParameter struct {
	Type        string   `yaml:"type"`
	Description string   `yaml:"description,omitempty"`
	Enum        []string `yaml:"enum,omitempty"`
}

type dockerTool struct {
	Name        string           `json:"name"`
	Description string           `json:"description"`
	Arguments   []dockerArgument `json:"arguments,omitempty"`
}

type dockerArgument struct {
	Name string `json:"name"`
	Type string `json:"type"`
	Desc string `json:"desc"`
}

// dockerFiles returns an entry of Docker's catalogue. With tools.json in it, nobody has to run the server, which may
// need settings, to list its tools.
func dockerFiles(p *Project) ([]File, error) {
	if p.image() == "" || p.repository() == "" {
		return nil, fmt.Errorf("%s:%d: Docker's catalogue needs an image and a repository: want //mcp:publish image=IMAGE in a module on github.com", p.Pos.Filename, p.Pos.Line)
	}
	s := dockerServer{
		Name: p.slug(), Image: p.image(), Type: "server", Meta: dockerMeta{Category: "other", Tags: []string{p.slug()}},
		About: dockerAbout{Title: p.title(), Description: p.Text}, Source: dockerSource{p.repository(), p.Commit}, Config: p.dockerConfig(),
	}
	if p.Category != "" {
		s.Meta.Category = p.Category
	}
	if icons := p.icons(); len(icons) > 0 {
		s.About.Icon = icons[0].Src
	}
	tools := []dockerTool{}
	for _, t := range p.Tools {
		d := dockerTool{Name: t.Name, Description: t.Description}
		for _, a := range t.Arguments {
			d.Arguments = append(d.Arguments, dockerArgument{a.Name, a.Type, a.Description})
		}
		tools = append(tools, d)
	}
	text, err := encodeYAML(s)
	return []File{below("docker/server.yaml", text), below("docker/tools.json", encode(tools))}, err
}

// dockerConfig returns the settings that have variables, the only ones that the catalogue can set.
func (p *Project) dockerConfig() *dockerConfig {
	c := &dockerConfig{Description: "Settings of " + p.title()}
	params := &dockerParameters{Type: "object", Properties: map[string]dockerParameter{}}
	for _, s := range p.Settings {
		switch {
		case s.Env == "":
		case s.Secret:
			c.Secrets = append(c.Secrets, dockerSecret{p.slug() + "." + key(s), s.Env, "<" + s.Env + ">"})
		default:
			c.Env = append(c.Env, dockerEnv{s.Env, s.Default, "{{" + p.slug() + "." + key(s) + "}}"})
			kind := map[string]string{"bool": "boolean", "int": "integer", "float64": "number"}[s.Kind]
			if kind == "" {
				kind = "string"
			}
			params.Properties[key(s)] = dockerParameter{kind, s.Description, s.Enum}
			if s.Required {
				params.Required = append(params.Required, key(s))
			}
		}
	}
	if len(c.Env) > 0 {
		c.Parameters = params
	}
	if len(c.Secrets)+len(c.Env) == 0 {
		return nil
	}
	return c
}

func encodeYAML(v any) ([]byte, error) {
	var b bytes.Buffer
	e := yaml.NewEncoder(&b)
	e.SetIndent(2)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return b.Bytes(), e.Close()
}
