package initd

import "context"

// ReloadOptions says how [Client.Reload] reloads.
type ReloadOptions struct {
	// DryRun changes nothing: the result says what would change.
	DryRun bool `json:"dryRun"`
	// WithDependents also runs the dependents of initializers that run again. Otherwise it is stale.
	WithDependents bool `json:"withDependents"`
}

// Reloaded describes the differences between the supervisor's previous configuration and the configuration that it has read. The names are
// those of initializers and of processes that the supervisor keeps running.
type Reloaded struct {
	Added []string `json:"added"`
	// Changed has the initializers and processes whose work differs.
	Changed []Redefined `json:"changed"`
	Removed []string    `json:"removed"`
	// Unchanged is how many others there are.
	Unchanged int `json:"unchanged"`
	// FromNextRun has the unchanged initializers with a changed setting that takes effect at the next run, e.g. the timeout.
	FromNextRun []Redefined `json:"fromNextRun,omitempty"`
	// Settings are the changed settings of the supervisor, in the manifest's words.
	Settings []string `json:"settings,omitempty"`
	// Warnings are about valid but probably unintended parts.
	Warnings []Finding `json:"warnings,omitempty"`
}

// Redefined is a changed initializer or process, with the changed keys in the manifest's words.
type Redefined struct {
	Name string   `json:"name"`
	Keys []string `json:"keys"`
}

// Finding is a mistake in a configuration, or a warning about it.
type Finding struct {
	File   string `json:"file"`
	Line   int    `json:"line"`
	Column int    `json:"column"`
	// Severity is "error" or "warning".
	Severity   string `json:"severity"`
	Message    string `json:"message"`
	Suggestion string `json:"suggestion,omitempty"`
}

// Reload makes the supervisor read its configuration again, and apply the differences. Initializers that run again may still run when
// Reload returns. If the configuration has mistakes, nothing changes: the error is [ErrInvalidManifest], and [Error.Findings] lists them.
// If it can't be read, the error is [ErrUnreadableManifest].
func (c *Client) Reload(ctx context.Context, options ReloadOptions) (Reloaded, error) {
	var reloaded Reloaded
	err := c.Do(ctx, "reload", options, &reloaded)
	return reloaded, err
}
