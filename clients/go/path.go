package initd

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"unicode/utf8"
)

// longestPath is the longest path of a socket that the system allows, in bytes.
const longestPath = len(syscall.RawSockaddrUnix{}.Path) - 1

// socketPath returns the path of the supervisor's socket: the given path, otherwise the path that the environment implies.
func socketPath(given string, getenv func(string) string, uid int) (string, error) {
	path := given
	if path == "" {
		path = getenv("INITD_SOCKET")
	}
	if directory := getenv("XDG_RUNTIME_DIR"); path == "" && directory != "" {
		path = filepath.Join(directory, "initd.sock")
	}
	if path == "" && uid == 0 {
		path = "/run/initd.sock"
	}
	switch {
	case path == "":
		return "", fmt.Errorf("%w: no socket path is known; set Options.Path or INITD_SOCKET", ErrNoSupervisor)
	case len(path) > longestPath:
		return "", fmt.Errorf("%w: the socket path has %d bytes, and the system allows %d; use a shorter one", ErrNoSupervisor, len(path), longestPath)
	case !utf8.ValidString(path) || strings.ContainsRune(path, 0):
		return "", fmt.Errorf("%w: the socket path %q isn't UTF-8 without NUL", ErrNoSupervisor, path)
	case strings.HasPrefix(path, "@"):
		return "./" + path, nil // Package net takes a leading @ for an abstract socket.
	}
	return path, nil
}

func (o *Options) path() (string, error) {
	return socketPath(o.Path, os.Getenv, os.Geteuid())
}
