package initd

import "context"

// ReloadOptions says how [Client.Reload] reloads.
type ReloadOptions struct {
	// DryRun changes nothing: the result says what would change.
	DryRun bool `json:"dryRun"`
	// WithDependents runs what depends on something that runs again, too. Otherwise it is stale.
	WithDependents bool `json:"withDependents"`
}

// Reloaded is what differs between the supervisor's configuration before and the one that it has read. The names are those of initializers
// and of processes that the supervisor keeps running.
type Reloaded struct {
	Added []string `json:"added"`
	// Changed has those whose work differs.
	Changed []Redefined `json:"changed"`
	Removed []string    `json:"removed"`
	// Unchanged is how many others there are.
	Unchanged int `json:"unchanged"`
	// FromNextRun has the unchanged ones with a changed setting that takes effect at the next run, e.g. the timeout.
	FromNextRun []Redefined `json:"fromNextRun,omitempty"`
	// Settings are the settings of the supervisor that differ, in the manifest's words.
	Settings []string `json:"settings,omitempty"`
	// Warnings are about what is valid, but probably not meant.
	Warnings []Finding `json:"warnings,omitempty"`
}

// Redefined is an initializer or a process that differs, with the keys that do, in the manifest's words.
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

// Reload makes the supervisor read its configuration again, and apply what differs. What runs again may still run when it returns. If the
// configuration has mistakes, nothing changes: the error is [ErrInvalidManifest], and [Error.Findings] lists them. If it can't be
// read, the error is [ErrUnreadableManifest].
func (c *Client) Reload(ctx context.Context, options ReloadOptions) (Reloaded, error) {
	var reloaded Reloaded
	err := c.Do(ctx, "reload", options, &reloaded)
	return reloaded, err
}
