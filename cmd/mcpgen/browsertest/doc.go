// Package browsertest tests the pages of mcpgen diff and mcpgen dev in Chromium. It is a separate module, so that
// no other module depends on the driver of the browser.
//
//	go test .                      # skipped where there is no Chromium
//	go test . -screenshots DIR     # the same, and keep pictures of the pages
package browsertest
