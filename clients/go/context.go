package initd

import (
	"context"
	"errors"
	"time"
)

// outlasting returns a context with the values of ctx. When ctx is done, it is done some time later, if applies says so for
// the error of ctx, else at once.
func outlasting(ctx context.Context, grace time.Duration, applies func(error) bool) (context.Context, context.CancelFunc) {
	longer, cancel := context.WithCancel(detached{ctx})
	go func() {
		defer cancel()
		select {
		case <-longer.Done():
			return
		case <-ctx.Done():
		}
		if !applies(ctx.Err()) {
			return
		}
		timer := time.NewTimer(grace)
		defer timer.Stop()
		select {
		case <-longer.Done():
		case <-timer.C:
		}
	}()
	return longer, cancel
}

func always(error) bool { return true }

func isLate(err error) bool { return errors.Is(err, context.DeadlineExceeded) }

// detached has the values of a context, but isn't done when it is.
type detached struct{ context.Context }

func (detached) Deadline() (time.Time, bool) { return time.Time{}, false }
func (detached) Done() <-chan struct{}       { return nil }
func (detached) Err() error                  { return nil }
