module github.com/mcpgen/mcpgen/examples/secured

go 1.26.0

replace (
	github.com/mcpgen/mcpgen => ../..
	github.com/mcpgen/mcpgen/runtime/auth/as => ../../runtime/auth/as
	github.com/mcpgen/mcpgen/runtime/auth/dpop => ../../runtime/auth/dpop
)

require (
	github.com/mcpgen/mcpgen v1.0.0-rc.1
	github.com/mcpgen/mcpgen/runtime/auth/as v1.0.0-rc.1
)

require (
	github.com/go-jose/go-jose/v4 v4.1.8 // indirect
	github.com/gofrs/flock v0.13.0 // indirect
	github.com/google/jsonschema-go v0.4.3 // indirect
	github.com/mcpgen/mcpgen/runtime/auth/dpop v1.0.0-rc.1 // indirect
	github.com/santhosh-tekuri/jsonschema/v6 v6.0.3 // indirect
	golang.org/x/oauth2 v0.37.0 // indirect
	golang.org/x/sys v0.49.0 // indirect
	golang.org/x/text v0.43.0 // indirect
)
