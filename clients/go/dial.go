package initd

import (
	"context"
	"errors"
	"fmt"
	"net"
	"time"
)

const helloTimeout = 10 * time.Second

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
		return nil, &noSupervisor{path: path, cause: err}
	}
	c := newConn(stream, p)
	if err := o.greet(ctx, c); err != nil {
		c.close()
		if ctx.Err() != nil || errors.Is(err, context.DeadlineExceeded) {
			err = &noSupervisor{path: path, cause: errors.New("there is no answer to hello")}
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
