package initd

import "context"

// Reload makes the supervisor read its configuration again, and apply the differences. Initializers that run again may still run when
// Reload returns. If the configuration has mistakes, nothing changes: the error is [ErrInvalidManifest], and [Error.Findings] lists them.
// If it can't be read, the error is [ErrUnreadableManifest].
func (c *Client) Reload(ctx context.Context, options ReloadOptions) (Reloaded, error) {
	var reloaded Reloaded
	err := c.Do(ctx, "reload", options, &reloaded)
	return reloaded, err
}
