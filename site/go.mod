module github.com/mcpgen/mcpgen/site

go 1.26.0

require (
	github.com/mcpgen/mcpgen v1.0.0-rc.1
	github.com/yuin/goldmark v1.8.7
	golang.org/x/tools v0.52.0
)

require (
	github.com/dave/jennifer v1.7.1 // indirect
	github.com/evanw/esbuild v0.28.2 // indirect
	github.com/santhosh-tekuri/jsonschema/v6 v6.0.3 // indirect
	github.com/yosida95/uritemplate/v3 v3.0.2 // indirect
	golang.org/x/mod v0.42.0 // indirect
	golang.org/x/net v0.61.0 // indirect
	golang.org/x/sync v0.24.0 // indirect
	golang.org/x/sys v0.49.0 // indirect
	golang.org/x/text v0.43.0 // indirect
)

replace github.com/mcpgen/mcpgen => ..
