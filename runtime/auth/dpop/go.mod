module github.com/mcpgen/mcpgen/runtime/auth/dpop

go 1.26.0

replace github.com/mcpgen/mcpgen => ../../..

require (
	github.com/go-jose/go-jose/v4 v4.1.8
	github.com/mcpgen/mcpgen v1.0.0-rc.1
)

require (
	github.com/gofrs/flock v0.13.0 // indirect
	golang.org/x/oauth2 v0.37.0 // indirect
	golang.org/x/sys v0.49.0 // indirect
)
