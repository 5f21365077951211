module github.com/mcpgen/mcpgen/cluster/sqlite

go 1.26.0

replace (
	github.com/mcpgen/mcpgen => ../..
	github.com/mcpgen/mcpgen/runtime/auth/as => ../../runtime/auth/as
	github.com/mcpgen/mcpgen/runtime/auth/dpop => ../../runtime/auth/dpop
)

require (
	github.com/mcpgen/mcpgen v1.0.0-rc.1
	github.com/mcpgen/mcpgen/runtime/auth/as v1.0.0-rc.1
	modernc.org/sqlite v1.61.1
)

require (
	github.com/dustin/go-humanize v1.1.0 // indirect
	github.com/go-jose/go-jose/v4 v4.1.8 // indirect
	github.com/google/uuid v1.6.0 // indirect
	github.com/mattn/go-isatty v0.0.24 // indirect
	github.com/mcpgen/mcpgen/runtime/auth/dpop v1.0.0-rc.1 // indirect
	github.com/ncruces/go-strftime v1.1.0 // indirect
	github.com/remyoudompheng/bigfft v0.0.0-20230129092748-24d4a6f8daec // indirect
	golang.org/x/oauth2 v0.37.0 // indirect
	golang.org/x/sys v0.49.0 // indirect
	modernc.org/libc v1.79.0 // indirect
	modernc.org/mathutil v1.7.1 // indirect
	modernc.org/memory v1.12.1 // indirect
)
