package initd

import (
	"log"
	"os"
	"path/filepath"
)

// Options configure a [Client] or a [Worker]. The zero value is useful, and so is nil.
type Options struct {
	// Path of the supervisor's socket. By default it is $INITD_SOCKET, else initd.sock in $XDG_RUNTIME_DIR, else
	// /run/initd.sock for root.
	Path string
	// Name that status, events and logs show. By default it is the name of the program.
	Name string
	// Version is this program's version in the status, by default "0".
	Version string
	// Logger gets a line when something lasts: a supervisor that isn't up, a lost connection, a handler that panics.
	// By default it writes to standard error.
	Logger *log.Logger

	backoff backoff // Tests use shorter delays.
}

// complete returns a copy of the options with the defaults of what was left out. It accepts nil.
func (o *Options) complete() *Options {
	var complete Options
	if o != nil {
		complete = *o
	}
	if complete.Name == "" {
		complete.Name = programName()
	}
	if complete.Version == "" {
		complete.Version = "0"
	}
	if complete.Logger == nil {
		complete.Logger = log.New(os.Stderr, prefix, log.LstdFlags|log.Lmsgprefix)
	}
	if complete.backoff == (backoff{}) {
		complete.backoff = backoff{first: firstDelay, most: mostDelay}
	}
	return &complete
}

func programName() string {
	if len(os.Args) == 0 || os.Args[0] == "" {
		return "go"
	}
	return filepath.Base(os.Args[0])
}
