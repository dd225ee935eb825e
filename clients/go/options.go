package initd

import (
	"log"
	"math"
	"os"
	"path/filepath"
	"time"
)

// Options are the options of a [Client], and those that a [Worker] shares with it. The zero value and nil are valid.
type Options struct {
	// Path of the supervisor's socket. By default it is $INITD_SOCKET, else initd.sock in $XDG_RUNTIME_DIR, else
	// /run/initd.sock for root.
	Path string
	// Name that status, events and logs show. By default it is the name of the program.
	Name string
	// Version is this program's version in the status, by default "0".
	Version string
	// ConnectTimeout is how long to wait for a supervisor that isn't running yet. By default it is 30 seconds for each request
	// of a client, and [Forever] for the first connection of a worker. If it is negative, e.g. [OneAttempt], there is no wait.
	// A worker, a subscription and a hold that have lost their supervisor wait for the next one without a limit.
	ConnectTimeout time.Duration
	// Logger gets a line when something lasts: a supervisor that isn't up, a lost connection, a handler that panics.
	// By default it writes to standard error.
	Logger *log.Logger

	backoff backoff // Tests use shorter delays.
}

// WorkerOptions are the options of a [Worker]. The zero value and nil are valid.
type WorkerOptions struct {
	Options
	// CancelGrace is how long a worker that leaves waits for its runs to stop, by default 4.5 seconds. If it is negative, it
	// doesn't wait. The supervisor itself waits 5 seconds, unless its manifest sets cancelGrace.
	CancelGrace time.Duration

	// The worker calls these functions. They must return soon.

	// OnRegister is called when the initializers are registered, and again after a lost connection.
	OnRegister func()
	// OnLost is called when the connection is lost.
	OnLost func(error)
	// OnAnswer is called when a run was answered. The error is nil if it succeeded, the handler's if it failed, and
	// context.Canceled if it was cancelled. No run that the supervisor has sent after the answer begins before it returns.
	OnAnswer func(*Run, error)
}

// Values of Options.ConnectTimeout.
const (
	// OneAttempt fails at once without a supervisor.
	OneAttempt time.Duration = -1
	// Forever waits until the context is done.
	Forever time.Duration = math.MaxInt64
)

const (
	clientConnectTimeout = 30 * time.Second
	workerConnectTimeout = Forever
	// cancelGrace is less than the supervisor's own 5 s, so the supervisor gets the answers of stopped runs in time.
	cancelGrace = 4500 * time.Millisecond
)

// complete returns a copy of the options, with defaults for missing values. It accepts nil.
func (o *Options) complete(connectTimeout time.Duration) *Options {
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
	if complete.ConnectTimeout == 0 {
		complete.ConnectTimeout = connectTimeout
	}
	if complete.Logger == nil {
		complete.Logger = log.New(os.Stderr, prefix, log.LstdFlags|log.Lmsgprefix)
	}
	if complete.backoff == (backoff{}) {
		complete.backoff = backoff{first: firstDelay, most: mostDelay}
	}
	return &complete
}

// complete returns a copy of the options, with defaults for missing values. The function accepts nil.
func (o *WorkerOptions) complete() *WorkerOptions {
	var complete WorkerOptions
	if o != nil {
		complete = *o
	}
	complete.Options = *complete.Options.complete(workerConnectTimeout)
	switch {
	case complete.CancelGrace == 0:
		complete.CancelGrace = cancelGrace
	case complete.CancelGrace < 0:
		complete.CancelGrace = 0
	}
	return &complete
}

func programName() string {
	if len(os.Args) == 0 || os.Args[0] == "" {
		return "go"
	}
	return filepath.Base(os.Args[0])
}
