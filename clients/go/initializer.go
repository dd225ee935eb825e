package initd

import (
	"fmt"
	"math"
	"regexp"
	"time"
)

// Priority is the phase of an initializer.
type Priority string

const (
	// AppLaunch initializers run once. It is the default.
	AppLaunch Priority = "appLaunch"
	// AppActive initializers run again at each activation.
	AppActive Priority = "appActive"
)

// Initializer declares one task. Members that are left out come from the supervisor's manifest if it declares the name, else
// from the protocol's defaults.
type Initializer struct {
	// Name has 1 to 128 ASCII letters, digits and . _ : / @ + -, and begins with a letter or digit.
	Name string
	// Priority is AppLaunch or AppActive.
	Priority Priority
	// Dependencies are the initializers that must complete before. An empty slice that isn't nil means that there are none, even if the
	// manifest declares some.
	Dependencies []string
	// Timeout is how long an attempt may take; 0 is no limit.
	Timeout time.Duration
	// Retry is the retry policy after a failure; by default there is one attempt.
	Retry Retry
	// PerProcess means that the effect is only in this process's memory: if another process takes over the name, it runs
	// again.
	PerProcess bool
	// Optional means that the initializer's failure doesn't stop the pass.
	Optional bool
	// Description describes the initializer for people.
	Description string
}

// Retry is the policy for a failed run. The delay after attempt n is Delay · Factor^(n-1), and at most MaxDelay. Members that
// are 0 have the supervisor's default: a second, 2, and 30 seconds.
type Retry struct {
	// Attempts includes the first one.
	Attempts int
	Delay    time.Duration
	Factor   float64
	MaxDelay time.Duration
}

// declaration is an element of register's params.
type declaration struct {
	Name         string            `json:"name"`
	Priority     Priority          `json:"priority,omitempty"`
	Dependencies *[]string         `json:"dependencies,omitempty"`
	Timeout      *Duration         `json:"timeout,omitempty"`
	Retry        *retryDeclaration `json:"retry,omitempty"`
	PerProcess   bool              `json:"perProcess,omitempty"`
	Optional     bool              `json:"optional,omitempty"`
	Description  string            `json:"description,omitempty"`
}

type retryDeclaration struct {
	Attempts int       `json:"attempts,omitempty"`
	Delay    *Duration `json:"delay,omitempty"`
	Factor   float64   `json:"factor,omitempty"`
	MaxDelay *Duration `json:"maxDelay,omitempty"`
}

func (i Initializer) declaration() declaration {
	d := declaration{
		Name:        i.Name,
		Priority:    i.Priority,
		Timeout:     given(i.Timeout),
		PerProcess:  i.PerProcess,
		Optional:    i.Optional,
		Description: i.Description,
	}
	if i.Dependencies != nil {
		d.Dependencies = &i.Dependencies
	}
	if r := i.Retry; r != (Retry{}) {
		d.Retry = &retryDeclaration{Attempts: r.Attempts, Delay: given(r.Delay), Factor: r.Factor, MaxDelay: given(r.MaxDelay)}
	}
	return d
}

// given returns nil for a duration that was left out.
func given(d time.Duration) *Duration {
	if d == 0 {
		return nil
	}
	return &Duration{d}
}

var validName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._:/@+-]{0,127}$`)

const nameRule = "a name has 1 to 128 ASCII letters, digits, or one of ._:/@+-, and begins with a letter or digit"

// fault returns the problem of the declaration. It is empty if nothing is. The supervisor checks more.
func (i Initializer) fault() string {
	if !validName.MatchString(i.Name) {
		return nameRule
	}
	for _, dependency := range i.Dependencies {
		if !validName.MatchString(dependency) {
			return fmt.Sprintf("its dependency %q is no name: %s", dependency, nameRule)
		}
	}
	switch r := i.Retry; {
	case i.Priority != "" && i.Priority != AppLaunch && i.Priority != AppActive:
		return fmt.Sprintf("its priority is %q; use AppLaunch or AppActive", i.Priority)
	case i.Timeout < 0:
		return fmt.Sprintf("its Timeout is %v; use a positive one, or 0 for no limit", i.Timeout)
	case r.Attempts < 0:
		return fmt.Sprintf("its Retry.Attempts is %d; use a positive number, which includes the first attempt", r.Attempts)
	case r.Delay < 0:
		return fmt.Sprintf("its Retry.Delay is %v; use a positive one", r.Delay)
	case r.Factor != 0 && !(r.Factor >= 1 && r.Factor <= math.MaxFloat64):
		return fmt.Sprintf("its Retry.Factor is %v; use a number from 1", r.Factor)
	case r.MaxDelay < 0:
		return fmt.Sprintf("its Retry.MaxDelay is %v; use a positive one", r.MaxDelay)
	}
	return ""
}
