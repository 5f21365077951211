// Package browsertest tests the pages of mcpgen diff and mcpgen dev in Chromium. It is a module of its own, so that no other
// needs what drives a browser.
//
//	go test .                      # skipped where there is no Chromium
//	go test . -screenshots DIR     # the same, and keep pictures of the pages
package browsertest
