module github.com/mcpgen/mcpgen/runtime/auth/keyring

go 1.26.0

replace github.com/mcpgen/mcpgen => ../../..

require (
	github.com/gofrs/flock v0.13.0
	github.com/mcpgen/mcpgen v1.0.0-rc.1
	github.com/zalando/go-keyring v0.2.8
)

require (
	github.com/danieljoos/wincred v1.2.3 // indirect
	github.com/go-jose/go-jose/v4 v4.1.8 // indirect
	github.com/godbus/dbus/v5 v5.2.2 // indirect
	golang.org/x/oauth2 v0.37.0 // indirect
	golang.org/x/sys v0.49.0 // indirect
)
