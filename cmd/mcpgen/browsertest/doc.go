// Package browsertest tests the pages of mcpgen diff, mcpgen dev and the documentation in Chromium. It is a separate module, so that
// no other module depends on the driver of the browser.
//
//	go test .                      # skipped where there is no Chromium
//	go test . -screenshots DIR     # the same, and keep pictures of the pages
//
// With axe-core the documentation is also checked for what keeps people with disabilities out:
//
//	npm ci --prefix axe
//	MCPGEN_AXE=$PWD/axe/node_modules/axe-core go test . -run TestSite/axe
package browsertest
