package page

// bundle fails: a browser is no place for esbuild, which is large, and it has no folder with the files.
func (r *reader) bundle(name string, module bool) (script, style string, err error) {
	return "", "", r.errorf("%s: scripts and style sheets cannot be bundled in a browser", name)
}
