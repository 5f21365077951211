package publish

import "path"

// A clientCommand is how clients start a program.
type clientCommand struct {
	Type    string            `json:"type,omitempty"`
	Command string            `json:"command"`
	Args    []string          `json:"args"`
	Env     map[string]string `json:"env,omitempty"`
}

func (c *clientCommand) setEnv(name, value string) {
	if c.Env == nil {
		c.Env = map[string]string{}
	}
	c.Env[name] = value
}

// command returns how the program is started if it has been installed by "go install". Value spells a setting that has no
// default.
func (p *Project) command(value func(env string) string) clientCommand {
	c := clientCommand{Command: path.Base(p.Package), Args: []string{}}
	for _, s := range p.Settings {
		if s.Env != "" && s.Required {
			c.setEnv(s.Env, value(s.Env))
		}
	}
	return c
}

// clientFiles returns configurations to copy from. Settings that need not be set are left out.
func clientFiles(p *Project) ([]File, error) {
	claude := p.command(func(env string) string { return "<" + env + ">" })
	cursor := p.command(func(env string) string { return "${env:" + env + "}" })
	code := p.command(func(env string) string { return "${input:" + env + "}" })
	code.Type = "stdio"
	type prompt struct {
		Type        string `json:"type"`
		ID          string `json:"id"`
		Description string `json:"description"`
		Password    bool   `json:"password,omitempty"`
	}
	vscode := struct {
		Inputs  []prompt                 `json:"inputs,omitempty"`
		Servers map[string]clientCommand `json:"servers"`
	}{Servers: map[string]clientCommand{p.slug(): code}}
	for _, s := range p.Settings {
		if s.Env != "" && s.Required {
			vscode.Inputs = append(vscode.Inputs, prompt{"promptString", s.Env, s.Description, s.Secret})
		}
	}
	servers := func(c clientCommand) []byte {
		return encode(map[string]any{"mcpServers": map[string]clientCommand{p.slug(): c}})
	}
	return []File{
		below("clients/claude_desktop_config.json", servers(claude)),
		below("clients/cursor.json", servers(cursor)),
		below("clients/vscode.json", encode(vscode)),
	}, nil
}
