package initd

import (
	"context"
	"errors"
	"fmt"
	"time"
)

const (
	// answerGrace is how much longer than the caller's deadline a wait stays open, so that the supervisor can say what it
	// was still waiting for.
	answerGrace = 5 * time.Second
	// longestTimeout is the first duration that the protocol doesn't accept.
	longestTimeout = 1e9 * time.Second
)

// Target is what [Client.Wait] waits for.
type Target struct {
	member string
	value  any
	appear bool
}

// What to wait for.
var (
	// Ready is reached when launch and active are complete while the app is active, or when one has failed.
	Ready = Target{member: "for", value: "ready"}
	// LaunchPhase and ActivePhase are reached when the state of the phase isn't pending.
	LaunchPhase = Target{member: "for", value: "launch"}
	ActivePhase = Target{member: "for", value: "active"}
	// BothPhases is reached when both are complete, or one has failed.
	BothPhases = Target{member: "for", value: "composite"}
)

// Pass is reached when the pass of that number has ended.
func Pass(number int64) Target { return Target{member: "pass", value: number} }

// Named is reached when the initializer of that name has an outcome. It must be declared.
func Named(initializer string) Target { return Target{member: "initializer", value: initializer} }

// Appearing is Named for an initializer that may not be declared yet.
func Appearing(initializer string) Target {
	return Target{member: "initializer", value: initializer, appear: true}
}

// Wait waits for target, and returns its state. A failed or cancelled state is a result, not an error; see [State.Err].
//
// The deadline of ctx is the timeout, which the supervisor keeps. Beyond it the error is a [context.DeadlineExceeded], and
// an [*Error] whose Status tells what hadn't completed. If the supervisor has stopped answering, Wait returns 5 seconds after
// the deadline, without a Status. When ctx is cancelled, it returns at once.
func (c *Client) Wait(ctx context.Context, target Target) (State, error) {
	current, err := c.connection(ctx)
	if err != nil {
		return State{}, err
	}
	params := map[string]any{target.member: target.value}
	if target.appear {
		params["appear"] = true
	}
	if deadline, limited := ctx.Deadline(); limited {
		if timeout := time.Until(deadline); timeout < longestTimeout {
			params["timeout"] = Duration{max(timeout, 0)}
		}
	}
	patient, cancel := outlasting(ctx, answerGrace, isLate)
	defer cancel()
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
