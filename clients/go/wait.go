package initd

import (
	"context"
	"errors"
	"fmt"
	"time"
)

const (
	// answerGrace is how much longer than the caller's deadline a wait stays open, so the supervisor can say which initializers aren't
	// complete.
	answerGrace = 5 * time.Second
	// longestTimeout is the first duration that the protocol doesn't accept.
	longestTimeout = 1e9 * time.Second
)

// Target is the target of [Client.Wait]; e.g. [WaitReady] returns one.
type Target struct {
	member string
	value  any
	appear bool
}

// WaitReady is reached when launch and active are complete while the app is active (without an active phase: when launch is), or when one has failed.
func WaitReady() Target { return Target{member: "for", value: "ready"} }

// WaitLaunch is reached when the state of launch isn't pending.
func WaitLaunch() Target { return Target{member: "for", value: "launch"} }

// WaitActive is reached when the state of active isn't pending.
func WaitActive() Target { return Target{member: "for", value: "active"} }

// WaitBoth is reached when launch and active are complete, or when one has failed.
func WaitBoth() Target { return Target{member: "for", value: "composite"} }

// WaitPass is reached when the pass of that number has ended.
func WaitPass(number int64) Target { return Target{member: "pass", value: number} }

// WaitInitializer is reached when the initializer of that name has an outcome. It must be declared.
func WaitInitializer(name string) Target { return Target{member: "initializer", value: name} }

// WaitAppearing is WaitInitializer for an initializer that may not be declared yet.
func WaitAppearing(name string) Target {
	return Target{member: "initializer", value: name, appear: true}
}

// Wait waits for target, and returns its state. A failed or cancelled state is a result, not an error; see [State.Err].
//
// The deadline of ctx is the timeout, which the supervisor keeps. Beyond it the error is a [context.DeadlineExceeded], and an [*Error]
// whose Status shows which initializers hadn't completed. If the supervisor has stopped answering, Wait returns 5 seconds after the
// deadline, without a Status. When ctx is cancelled, it returns at once.
func (c *Client) Wait(ctx context.Context, target Target) (State, error) {
	current, err := c.connection(ctx)
	if err != nil {
		return State{}, err
	}
	params := map[string]any{target.member: target.value}
	if target.appear {
		params["appear"] = true
	}
	patient := ctx
	if deadline, limited := ctx.Deadline(); limited {
		if timeout := time.Until(deadline); timeout < longestTimeout {
			params["timeout"] = Duration{max(timeout, 0)}
		}
		var cancel context.CancelFunc
		patient, cancel = outlasting(ctx, answerGrace, isLate)
		defer cancel()
	}
	var state State
	err = current.request(patient, "wait", params, &state)
	if errors.Is(err, context.Canceled) {
		err = ctx.Err()
		if isLate(err) {
			err = fmt.Errorf("initd: the supervisor doesn't answer: %w", err)
		}
	}
	return state, err
}

func max(a, b time.Duration) time.Duration {
	if a > b {
		return a
	}
	return b
}
