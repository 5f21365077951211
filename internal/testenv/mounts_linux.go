package testenv

import (
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
)

// inNamespace is the environment variable of a test that runs in a user namespace.
const inNamespace = "MCPGEN_TEST_NAMESPACE"

// Mounts reports whether this process may mount file systems. If not, the test has run in another process, in a user
// namespace, and the caller returns. It is skipped where there are no such namespaces. It must be a test of its own, and
// this is the first that it calls.
func Mounts(t *testing.T) bool {
	t.Helper()
	dir := t.TempDir()
	err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=4k")
	if err == nil {
		return syscall.Unmount(dir, 0) == nil
	}
	if os.Getenv(inNamespace) != "" {
		t.Skipf("needs the right to mount file systems, in a user namespace at least: %v", err)
	}
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^"+t.Name()+"$", "-test.v", "-test.timeout=5m")
	cmd.Env = append(os.Environ(), inNamespace+"=1")
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS,
		UidMappings: []syscall.SysProcIDMap{{HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{HostID: os.Getgid(), Size: 1}},
	}
	switch out, err := cmd.CombinedOutput(); {
	case cmd.ProcessState == nil, strings.Contains(string(out), "--- SKIP: "+t.Name()+" "):
		t.Skipf("needs the right to mount file systems, in a user namespace at least: %v\n%s", err, out)
	case err != nil:
		t.Fatalf("in a user namespace: %v\n%s", err, out)
	}
	return false
}

// SmallDisk returns a folder with so many bytes of room, in a file system of its own, after [Mounts].
func SmallDisk(t *testing.T, bytes string) string {
	t.Helper()
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size="+bytes); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, 0); err != nil {
			t.Error(err)
		}
	})
	return dir
}

// FillDisk writes a file for which the disk has no room, and returns its path.
func FillDisk(t *testing.T, dir string) string {
	t.Helper()
	f, err := os.CreateTemp(dir, "other")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for err == nil {
		_, err = f.Write(make([]byte, 4096))
	}
	return f.Name()
}
