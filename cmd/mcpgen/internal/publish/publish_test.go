package publish

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"go/token"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v3"

	"github.com/mcpgen/mcpgen/generator/tools"
	"github.com/mcpgen/mcpgen/runtime/servercard"
)

// weather returns a server with settings of every kind.
func weather() *Project {
	return &Project{
		Module: "github.com/Example/mcp", Package: "github.com/Example/mcp/weather", Subfolder: "weather",
		Description: &tools.Description{
			Name: "weather", Title: "Weather", Version: "1.2.3", Text: "What the weather will be", Website: "https://example.com",
			Icons: []tools.DescribedIcon{{Src: "https://example.com/icon.png", Sizes: []string{"48x48"}}, {Src: "data:image/png;base64,AA=="}},
			Pos:   token.Position{Filename: "main.go", Line: 3}, Remote: "https://example.com/mcp", License: "MIT",
			Tools: []tools.DescribedTool{{
				DescribedItem: tools.DescribedItem{Name: "forecast", Description: "Predicts a | b\nfor <city>.\n\nMore."},
				Arguments:     []tools.DescribedArgument{{Name: "city", Type: "string", Description: "its name", Required: true}, {Name: "days", Type: "integer"}},
				Definition:    json.RawMessage(`{"name":"forecast","inputSchema":{"type":"object"}}`),
			}},
			Prompts: []tools.DescribedItem{{Name: "pack"}},
			Settings: []tools.DescribedSetting{
				{Env: "WEATHER_KEY", Description: "the key", Kind: "string", Secret: true, Required: true},
				{Env: "UNIT", Flag: "unit", Kind: "string", Default: "celsius", Enum: []string{"celsius", "fahrenheit"}},
				{Flag: "retries", Kind: "int", Default: "3"},
				{Env: "VERBOSE", Kind: "bool", Default: "true"},
				{Flag: "wait", Kind: "duration", Default: "1m"},
			},
		},
	}
}

// files returns the files of all formats by their paths.
func files(t *testing.T, p *Project) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, f := range Formats() {
		list, err := f.Files(p)
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range list {
			all[file.Path] = string(file.Content)
		}
	}
	return all
}

// TestServerJSON checks server.json, with a bundle, by rules of the registry and, if MCPGEN_REGISTRY_SCHEMA names its JSON
// Schema, by that.
func TestServerJSON(t *testing.T) {
	p := weather()
	s := p.serverJSON()
	bundle := p.packageRef("mcpb", "https://github.com/Example/mcp/releases/download/v1.2.3/weather.mcpb")
	bundle.SHA256 = strings.Repeat("0a", 32)
	s.Packages = append(s.Packages, bundle)
	text := encode(s)
	var v any
	if err := json.Unmarshal(text, &v); err != nil {
		t.Fatal(err)
	}
	if name := os.Getenv("MCPGEN_REGISTRY_SCHEMA"); name != "" {
		schema, err := jsonschema.NewCompiler().Compile(name)
		if err != nil {
			t.Fatal(err)
		}
		if err := schema.Validate(v); err != nil {
			t.Errorf("%v\n%s", err, text)
		}
	}
	at := func(path string) any {
		x := v
		for part := range strings.SplitSeq(path, ".") {
			switch y := x.(type) {
			case map[string]any:
				x = y[part]
			case []any:
				x = y[part[0]-'0']
			}
		}
		return x
	}
	for path, want := range map[string]string{
		"$schema":                                `https://static\.modelcontextprotocol\.io/schemas/2025-12-11/server\.schema\.json`,
		"name":                                   `io\.github\.Example/weather`,
		"version":                                `1\.2\.3`,
		"description":                            `.{1,100}`,
		"repository.url":                         `https://github\.com/Example/mcp`,
		"repository.source":                      `github`,
		"repository.subfolder":                   `weather`,
		"packages.0.registryType":                `oci`,
		"packages.0.identifier":                  `ghcr\.io/example/weather:1\.2\.3`,
		"packages.0.transport.type":              `stdio`,
		"packages.0.environmentVariables.0.name": `WEATHER_KEY`,
		"packages.0.packageArguments.0.type":     `named`,
		"packages.0.packageArguments.0.name":     `-retries`,
		"packages.0.packageArguments.0.format":   `number`,
		"packages.1.registryType":                `mcpb`,
		"packages.1.fileSha256":                  `[a-f0-9]{64}`,
		"remotes.0.type":                         `streamable-http`,
		"remotes.0.url":                          `https://example\.com/mcp`,
		"icons.0.src":                            `https://example\.com/icon\.png`,
	} {
		if got, ok := at(path).(string); !ok || !regexp.MustCompile("^(?:"+want+")$").MatchString(got) {
			t.Errorf("%s is %v, want %s", path, at(path), want)
		}
	}
	if n := len(at("icons").([]any)); n != 1 {
		t.Errorf("there are %d icons, want the one of https", n)
	}
	if at("packages.0.environmentVariables.0.isSecret") != true || at("packages.0.environmentVariables.0.isRequired") != true {
		t.Error("the key is not secret, or not required")
	}
}

// TestProblems says where a server says too little, and what would be right.
func TestProblems(t *testing.T) {
	for _, test := range []struct {
		name   string
		change func(*Project)
		want   string
	}{
		{"no version", func(p *Project) { p.Version = "" }, `main.go:3: //mcp:server: the version "" cannot be published: want version=1.2.3`},
		{"a range", func(p *Project) { p.Version = "1.x" }, `main.go:3: //mcp:server: the version "1.x" cannot be published: want version=1.2.3`},
		{"no description", func(p *Project) { p.Text = "" }, `main.go:3: //mcp:server: a server that is published needs a description: want "description=what it is for"`},
		{"a long one", func(p *Project) { p.Text = strings.Repeat("é", 101) }, "main.go:3: //mcp:server: the description has 101 characters, and registries take 100: shorten it"},
		{"no domain", func(p *Project) { p.Module = "weather" }, "main.go:3: //mcp:server: the module weather has no domain to make a name for registries of: want //mcp:publish name=NAMESPACE/NAME"},
	} {
		p := weather()
		test.change(p)
		for _, f := range Formats() {
			if _, err := f.Files(p); err == nil || err.Error() != test.want {
				t.Errorf("%s: %s: got %v, want %s", test.name, f.Name, err, test.want)
			}
		}
	}
}

func TestNames(t *testing.T) {
	for _, test := range []struct {
		module, registry, image, name, wantImage string
	}{
		{module: "github.com/Example/mcp", name: "io.github.Example/weather", wantImage: "ghcr.io/example/weather"},
		{module: "go.example.com/mcp", name: "com.example.go/weather"},
		{module: "github.com/Example/mcp", image: "none", name: "io.github.Example/weather"},
		{module: "weather", registry: "com.example/w", image: "example.com/w", name: "com.example/w", wantImage: "example.com/w"},
	} {
		p := weather()
		p.Module, p.RegistryName, p.Image = test.module, test.registry, test.image
		if p.registryName() != test.name || p.image() != test.wantImage {
			t.Errorf("%s: got %q and %q, want %q and %q", test.module, p.registryName(), p.image(), test.name, test.wantImage)
		}
	}
}

// TestFormats checks that every file is what its name says, the same each time, and has no secret's value in it.
func TestFormats(t *testing.T) {
	got := files(t, weather())
	if diff := cmp.Diff(got, files(t, weather())); diff != "" {
		t.Errorf("a second run differs:\n%s", diff)
	}
	parsed := map[string]map[string]any{}
	for name, text := range got {
		var v any
		err := json.Unmarshal([]byte(text), &v)
		if strings.HasSuffix(name, ".yaml") {
			err = yaml.Unmarshal([]byte(text), &v)
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		parsed[name], _ = v.(map[string]any)
	}
	want := []string{
		"publish/clients/claude_desktop_config.json", "publish/clients/cursor.json", "publish/clients/vscode.json",
		"publish/docker/server.yaml", "publish/docker/tools.json", "publish/goreleaser.yaml", "publish/server-card.json", "server.json",
	}
	for _, name := range want {
		if got[name] == "" {
			t.Errorf("there is no %s", name)
		}
	}
	if len(got) != len(want) {
		t.Errorf("there are %d files, want %d", len(got), len(want))
	}
	for name, part := range map[string]string{
		"publish/clients/claude_desktop_config.json": `"WEATHER_KEY": "<WEATHER_KEY>"`,
		"publish/clients/cursor.json":                `"WEATHER_KEY": "${env:WEATHER_KEY}"`,
		"publish/clients/vscode.json":                `"password": true`,
		"publish/docker/tools.json":                  `"desc": "its name"`,
		"publish/docker/server.yaml":                 "  secrets:\n    - name: weather.weather_key\n      env: WEATHER_KEY\n",
		"publish/goreleaser.yaml":                    "io.modelcontextprotocol.server.name: io.github.Example/weather",
		"publish/server-card.json":                   `"url": "https://example.com/mcp"`,
	} {
		if !strings.Contains(got[name], part) {
			t.Errorf("%s lacks %q:\n%s", name, part, got[name])
		}
	}
	if _, ok := parsed["publish/server-card.json"]["packages"]; ok {
		t.Error("a server card has packages")
	}
	if _, err := servercard.New([]byte(got["publish/server-card.json"])); err != nil {
		t.Error(err)
	}
}

// TestBundle unpacks a bundle.
func TestBundle(t *testing.T) {
	for _, goos := range []string{"linux", "windows"} {
		p := weather()
		content, err := p.bundle(goos, []byte("binary"))
		if err != nil {
			t.Fatal(err)
		}
		if again, err := p.bundle(goos, []byte("binary")); err != nil || !bytes.Equal(content, again) {
			t.Errorf("%s: a second bundle differs, %v", goos, err)
		}
		z, err := zip.NewReader(bytes.NewReader(content), int64(len(content)))
		if err != nil {
			t.Fatal(err)
		}
		f, err := z.Open("manifest.json")
		if err != nil {
			t.Fatal(err)
		}
		var m struct {
			Version string `json:"manifest_version"`
			Server  struct {
				EntryPoint string        `json:"entry_point"`
				Run        clientCommand `json:"mcp_config"`
			}
			Tools      []named
			UserConfig map[string]userConfig `json:"user_config"`
			Meta       map[string]any        `json:"_meta"`
		}
		if err := json.NewDecoder(f).Decode(&m); err != nil {
			t.Fatal(err)
		}
		entry := map[string]string{"linux": "server/weather", "windows": "server/weather.exe"}[goos]
		info := z.File[1]
		if m.Version != "0.3" || m.Server.EntryPoint != entry || info.Name != entry || info.Mode().Perm() != 0o755 || len(z.File) != 2 {
			t.Errorf("%s: the manifest %+v names another program than %s, of mode %v", goos, m, info.Name, info.Mode())
		}
		want := clientCommand{
			Command: "${__dirname}/" + entry,
			Args:    []string{"-retries=${user_config.retries}", "-wait=${user_config.wait}"},
			Env:     map[string]string{"WEATHER_KEY": "${user_config.weather_key}", "UNIT": "${user_config.unit}", "VERBOSE": "${user_config.verbose}"},
		}
		if diff := cmp.Diff(want, m.Server.Run); diff != "" {
			t.Errorf("%s: -want +got:\n%s", goos, diff)
		}
		if diff := cmp.Diff([]named{{"forecast", "Predicts a | b for <city>."}}, m.Tools); diff != "" {
			t.Errorf("%s: -want +got:\n%s", goos, diff)
		}
		if u := m.UserConfig; !u["weather_key"].Sensitive || !u["weather_key"].Required || u["retries"].Default != 3.0 || u["verbose"].Default != true || u["wait"].Default != "1m" {
			t.Errorf("%s: got the settings %+v", goos, u)
		}
		if (m.Meta != nil) != (goos == "windows") {
			t.Errorf("%s: static responses are %v", goos, m.Meta)
		}
	}
}

func TestTable(t *testing.T) {
	readme := "# Weather\n\n<!-- mcpgen:tools -->\nold\n<!-- /mcpgen:tools -->\n\nMore.\n"
	got, err := Table(weather(), "README.md", []byte(readme))
	want := "# Weather\n\n<!-- mcpgen:tools -->\n\n| Tool | What it does | Arguments |\n|---|---|---|\n" +
		"| `forecast` | Predicts a \\| b for &lt;city&gt;. | `city`, `days` (optional) |\n\n<!-- /mcpgen:tools -->\n\nMore.\n"
	if diff := cmp.Diff(want, string(got)); err != nil || diff != "" {
		t.Errorf("%v, -want +got:\n%s", err, diff)
	}
	if again, err := Table(weather(), "README.md", got); err != nil || !bytes.Equal(got, again) {
		t.Errorf("a second run makes %s, %v", again, err)
	}
	for _, wrong := range []string{"", tableBegin, tableEnd + tableBegin} {
		if _, err := Table(weather(), "README.md", []byte(wrong)); err == nil {
			t.Errorf("%q has a place for the table", wrong)
		}
	}
}
