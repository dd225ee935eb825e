package initd

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"sync"
	"time"
)

const (
	helloTimeout = 10 * time.Second
	// quietTime is how long a program waits for a supervisor before it says so.
	quietTime = time.Second
)

// noSupervisor is the ErrNoSupervisor of a path. If the caller's context has ended the wait, late is its error.
type noSupervisor struct {
	path  string
	cause error
	late  error
}

func (e *noSupervisor) Error() string {
	return fmt.Sprintf("%v answers at %q: %v; start initd, or set INITD_SOCKET", ErrNoSupervisor, e.path, e.cause)
}

func (e *noSupervisor) Is(target error) bool {
	return target == ErrNoSupervisor || e.late != nil && errors.Is(e.late, target)
}

func (e *noSupervisor) Unwrap() error { return e.cause }

// greeting is the result of hello.
type greeting struct {
	Instance string `json:"instance"`
	Limits   struct {
		FrameBytes int64 `json:"frameBytes"`
	} `json:"limits"`
}

// dial connects once, and says hello.
func (o *Options) dial(ctx context.Context, path string, p peer) (*conn, error) {
	var dialer net.Dialer
	stream, err := dialer.DialContext(ctx, "unix", path)
	if err != nil {
		var refused *net.OpError
		if errors.As(err, &refused) {
			err = refused.Err
		}
		return nil, &noSupervisor{path: path, cause: err, late: ctx.Err()}
	}
	c := newConn(stream, p)
	if err := o.greet(ctx, c); err != nil {
		c.close()
		if late := ctx.Err(); late != nil || errors.Is(err, context.DeadlineExceeded) {
			err = &noSupervisor{path: path, cause: errors.New("there is no answer to hello"), late: late}
		}
		return nil, err
	}
	return c, nil
}

func (o *Options) greet(ctx context.Context, c *conn) error {
	ctx, cancel := context.WithTimeout(ctx, helloTimeout)
	defer cancel()
	params := map[string]any{
		"protocol": protocolVersion,
		"client":   map[string]string{"name": o.Name, "version": o.Version},
	}
	var answer greeting
	if err := c.request(ctx, "hello", params, &answer); err != nil {
		return err
	}
	if answer.Limits.FrameBytes < 1 {
		return fmt.Errorf("%w: the answer to hello has no limits.frameBytes", ErrProtocol)
	}
	c.limit.Store(answer.Limits.FrameBytes)
	return nil
}

// connect dials until a supervisor answers, ctx is done, or another attempt is useless. After a second it tells the
// logger what it waits for.
func (o *Options) connect(ctx context.Context, p peer, delays *backoff) (*conn, error) {
	path, err := o.path()
	if err != nil {
		return nil, err
	}
	waiting := o.announce(path)
	defer waiting.stop()
	for {
		c, err := o.dial(ctx, path, p)
		if err == nil || !temporary(err) || errors.Is(err, os.ErrPermission) {
			return c, err
		}
		if ctx.Err() == nil && !timedOut(err) {
			waiting.because(err)
		}
		if late := delays.wait(ctx); late != nil {
			return nil, &noSupervisor{path: path, cause: waiting.cause(), late: late}
		}
	}
}

// timedOut reports whether an attempt has failed only because the time was over, which is no cause to tell.
func timedOut(err error) bool {
	var timeout net.Error
	return errors.As(err, &timeout) && timeout.Timeout()
}

// announcement is a line for the logger about a wait that takes long.
type announcement struct {
	timer *time.Timer
	mu    sync.Mutex
	err   error
}

func (o *Options) announce(path string) *announcement {
	a := &announcement{err: errors.New("it hasn't answered")}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.timer = time.AfterFunc(quietTime, func() {
		a.mu.Lock()
		defer a.mu.Unlock()
		o.Logger.Printf("waiting for a supervisor at %q: %s", path, bare(a.err))
	})
	return a
}

func (a *announcement) because(err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	var missing *noSupervisor
	if errors.As(err, &missing) {
		err = missing.cause
	}
	a.err = err
}

func (a *announcement) cause() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.err
}

func (a *announcement) stop() { a.timer.Stop() }
