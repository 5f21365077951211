package tools

import "bytes"

// TargetOf returns the target that a generated Go file is for, by its first line. Of a file that
// was not generated here it returns Runtime.
func TargetOf(file []byte) Target {
	if bytes.HasPrefix(file, []byte(Mark+" -target="+GoSDK+";")) {
		return GoSDK
	}
	return Runtime
}
