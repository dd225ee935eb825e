package initd

import "fmt"

// Err is nil unless the state is failed or cancelled. For a failed one it is a [*Failure].
func (s State) Err() error {
	switch {
	case s.Outcome == OutcomeFailed && s.Failure != nil:
		return s.Failure
	case s.Outcome == OutcomeFailed:
		return &Failure{Message: "it failed"}
	case s.Outcome == OutcomeCancelled:
		return &Failure{Code: string(OutcomeCancelled), Message: "it was cancelled"}
	}
	return nil
}

// Error returns the message.
func (f *Failure) Error() string { return prefix + printable(f.Message) }

// String describes the cause for people.
func (c *Cause) String() string {
	switch {
	case c.Message != "":
		return printable(c.Message)
	case c.Status != nil:
		return fmt.Sprintf("exit status %d", *c.Status)
	case c.Signal != "":
		return printable(c.Signal)
	case c.User != "":
		return "cancelled by " + printable(c.User)
	case c.After != nil:
		return fmt.Sprintf("%s after %v", printable(c.Kind), c.After.Duration)
	}
	return printable(c.Kind)
}

// Initializer returns the initializer of that name, or nil.
func (s *Status) Initializer(name string) *InitializerStatus {
	for i := range s.Initializers {
		if s.Initializers[i].Name == name {
			return &s.Initializers[i]
		}
	}
	return nil
}
