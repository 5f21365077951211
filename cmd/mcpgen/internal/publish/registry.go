package publish

// registrySchema is the JSON Schema of server.json, by which registries list a server. The types in this file follow it, as
// far as it is used.
const registrySchema = "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json"

type serverJSON struct {
	Schema      string       `json:"$schema"`
	Name        string       `json:"name"`
	Title       string       `json:"title,omitempty"`
	Description string       `json:"description"`
	Version     string       `json:"version"`
	Website     string       `json:"websiteUrl,omitempty"`
	Repository  *repository  `json:"repository,omitempty"`
	Icons       []icon       `json:"icons,omitempty"`
	Packages    []packageRef `json:"packages,omitempty"`
	Remotes     []transport  `json:"remotes,omitempty"`
}

type repository struct {
	URL       string `json:"url"`
	Source    string `json:"source"`
	Subfolder string `json:"subfolder,omitempty"`
}

type icon struct {
	Src      string   `json:"src"`
	MIMEType string   `json:"mimeType,omitempty"`
	Sizes    []string `json:"sizes,omitempty"`
	Theme    string   `json:"theme,omitempty"`
}

type transport struct {
	Type string `json:"type"`
	URL  string `json:"url,omitempty"`
}

type packageRef struct {
	RegistryType string    `json:"registryType"`
	Identifier   string    `json:"identifier"`
	Version      string    `json:"version,omitempty"`
	SHA256       string    `json:"fileSha256,omitempty"`
	RuntimeHint  string    `json:"runtimeHint,omitempty"`
	Transport    transport `json:"transport"`
	Arguments    []input   `json:"packageArguments,omitempty"`
	Variables    []input   `json:"environmentVariables,omitempty"`
}

type input struct {
	Type        string   `json:"type,omitempty"` // of arguments: named
	Name        string   `json:"name"`
	Description string   `json:"description,omitempty"`
	Format      string   `json:"format,omitempty"`
	Required    bool     `json:"isRequired,omitempty"`
	Secret      bool     `json:"isSecret,omitempty"`
	Default     string   `json:"default,omitempty"`
	Choices     []string `json:"choices,omitempty"`
}

// registryFiles returns server.json without bundles, whose hashes are known when they have been built.
func registryFiles(p *Project) ([]File, error) {
	return []File{{"server.json", encode(p.serverJSON())}}, nil
}

func (p *Project) serverJSON() *serverJSON {
	s := &serverJSON{
		Schema: registrySchema, Name: p.registryName(), Title: p.Title, Description: p.Text, Version: p.Version, Website: p.Website,
		Repository: p.repositoryRef(), Icons: p.icons(),
	}
	if image := p.image(); image != "" {
		s.Packages = append(s.Packages, p.packageRef("oci", image+":"+p.Version))
	}
	if p.Remote != "" {
		s.Remotes = []transport{{"streamable-http", p.Remote}}
	}
	return s
}

func (p *Project) repositoryRef() *repository {
	if url := p.repository(); url != "" {
		return &repository{url, "github", p.Subfolder}
	}
	return nil
}

// icons returns the icons that registries take, which they fetch over HTTPS.
func (p *Project) icons() []icon {
	var all []icon
	for _, i := range p.Icons {
		if len(i.Src) <= 255 && len(i.Src) > 8 && i.Src[:8] == "https://" {
			all = append(all, icon{Src: i.Src, MIMEType: i.MIMEType, Sizes: i.Sizes, Theme: i.Theme})
		}
	}
	return all
}

// packageRef returns a package that is run with the settings of the program.
func (p *Project) packageRef(kind, identifier string) packageRef {
	ref := packageRef{RegistryType: kind, Identifier: identifier, Transport: transport{Type: "stdio"}}
	for _, s := range p.Settings {
		in := input{
			Name: s.Env, Description: s.Description, Required: s.Required, Secret: s.Secret, Default: s.Default, Choices: s.Enum,
		}
		switch s.Kind {
		case "bool":
			in.Format = "boolean"
		case "int", "float64":
			in.Format = "number"
		}
		if s.Env == "" {
			in.Type, in.Name = "named", "-"+s.Flag
			ref.Arguments = append(ref.Arguments, in)
		} else {
			ref.Variables = append(ref.Variables, in)
		}
	}
	return ref
}
