package publish

// cardFiles returns a server card, which says how to reach a server over HTTP.
//
// See https://github.com/modelcontextprotocol/experimental-ext-server-card
func cardFiles(p *Project) ([]File, error) {
	s := p.serverJSON()
	s.Schema = "https://static.modelcontextprotocol.io/schemas/v2/server-card.schema.json"
	s.Packages = nil // which are for registries
	return []File{below("server-card.json", encode(s))}, nil
}
