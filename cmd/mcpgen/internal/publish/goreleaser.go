package publish

import (
	"cmp"
	"slices"
	"strings"
)

// goreleaserFiles returns a configuration of goreleaser 2 that releases the programs, the bundles and the image.
func goreleaserFiles(p *Project) ([]File, error) {
	platforms := p.Platforms
	if len(platforms) == 0 {
		platforms = DefaultPlatforms()
	}
	var targets []string
	for _, platform := range platforms {
		targets = append(targets, strings.ReplaceAll(platform, "/", "_"))
	}
	slices.Sort(targets)
	folder := "./" + cmp.Or(p.Subfolder, ".")
	type object = map[string]any // yaml sorts the keys
	c := object{
		"version": 2, "project_name": p.slug(),
		"before": object{"hooks": []string{"go tool mcpgen publish -for mcpb " + folder}},
		"builds": []object{{
			"id": p.slug(), "main": folder, "binary": p.slug(), "env": []string{"CGO_ENABLED=0"}, "flags": []string{"-trimpath"}, "targets": targets,
		}},
		"checksum": object{"name_template": "SHA256SUMS"},
		"release":  object{"extra_files": []object{{"glob": folder + "/publish/bundles/*.mcpb"}}},
	}
	if image := p.image(); image != "" {
		c["kos"] = []object{{
			"build": p.slug(), "repositories": []string{image}, "tags": []string{"{{.Version}}"}, "bare": true,
			"platforms": []string{"linux/amd64", "linux/arm64"},
			// By this label, the registry knows that the image belongs to the server.
			"labels": object{"io.modelcontextprotocol.server.name": p.registryName()},
		}}
	}
	text, err := encodeYAML(c)
	return []File{below("goreleaser.yaml", text)}, err
}
