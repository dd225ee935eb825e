/**
 * The path of the supervisor's socket: `path`, else `$INITD_SOCKET`, else `initd.sock` in `$XDG_RUNTIME_DIR`, else `/run/initd.sock` for
 * root.
 *
 * @throws {@link NoSupervisor} if none of these applies, or if the system doesn't allow the path.
 */
export function socketPath(path?: string, env?: Record<string, string | undefined>): string;
