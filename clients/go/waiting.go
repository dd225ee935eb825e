package initd

import (
	"context"
	"errors"
	"net"
	"sync"
	"time"
)

// quietTime is how long a program waits for a supervisor before it logs that.
const quietTime = time.Second

// waiting is a wait for a supervisor: from the first attempt to connect until one succeeds, or until another is useless.
type waiting struct {
	options *Options
	path    string
	ctx     context.Context // Done when the caller's is, or when the limit is over.
	caller  context.Context
	cancel  context.CancelFunc
	once    bool
	delays  backoff
	timer   *time.Timer
	warned  bool // warned is true if the log says that the peer isn't a supervisor.

	mu    sync.Mutex
	cause error
}

// await begins a wait. The limit has the values of Options.ConnectTimeout, but 0 is none.
func (o *Options) await(ctx context.Context, limit time.Duration) (*waiting, error) {
	path, err := o.path()
	if err != nil {
		return nil, err
	}
	w := &waiting{options: o, path: path, caller: ctx, once: limit < 0, delays: o.backoff, cause: errors.New("it hasn't answered")}
	if w.once {
		limit = Forever // The only attempt has its own limit.
	}
	w.ctx, w.cancel = context.WithTimeout(ctx, limit)
	return w, nil
}

// dial makes an attempt to connect. A second after the first attempt, the wait is logged, even if an attempt hangs.
func (w *waiting) dial(p peer) (*conn, error) {
	if w.timer == nil {
		w.timer = time.AfterFunc(quietTime, w.tell)
	}
	return w.options.dial(w.ctx, w.path, p)
}

func (w *waiting) tell() {
	w.options.Logger.Printf("waiting for a supervisor at %q: %s", w.path, bare(w.because()))
}

// pause waits until it is time for an attempt.
func (w *waiting) pause() error { return w.delays.wait(w.ctx) }

// end ends the wait.
func (w *waiting) end() {
	if w.timer != nil {
		w.timer.Stop()
	}
	w.cancel()
}

// again waits for the next attempt after an attempt that has failed. It returns an error if there is no next attempt: the error of the
// failed one, unless its cause is temporary.
func (w *waiting) again(err error, passes bool) error {
	if !passes {
		return err
	}
	if w.ctx.Err() == nil && !timedOut(err) {
		w.mu.Lock()
		w.cause = err
		w.mu.Unlock()
	}
	if foreign(err) && !w.warned { // This problem won't end soon, so it is logged at once.
		w.warned = true
		w.timer.Stop()
		w.tell()
	}
	if w.once || w.pause() != nil {
		return w.failure()
	}
	return nil
}

// failure is the error of a wait that ends without a supervisor.
func (w *waiting) failure() error {
	return &noSupervisor{path: w.path, cause: w.because(), late: w.caller.Err()}
}

// because is why the last attempt has failed.
func (w *waiting) because() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	var missing *noSupervisor
	if errors.As(w.cause, &missing) {
		return missing.cause
	}
	return w.cause
}

// timedOut reports whether an attempt has failed only because the time was over, which isn't worth reporting as a cause.
func timedOut(err error) bool {
	var timeout net.Error
	return errors.As(err, &timeout) && timeout.Timeout()
}
