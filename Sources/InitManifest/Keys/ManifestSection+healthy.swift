extension ManifestSection {
  /// The keys of `healthy` that say what is checked.
  static let healthTargetKeys =
    targetKeys + [
      ManifestKey(
        "command", .command, usual: "none",
        "A command that exits with status 0 as long as the process is healthy, in its environment and directory.",
        example: "command: [redis-cli, ping]"),
      ManifestKey(
        "watchdog", .duration(isPositive: true), usual: "none",
        """
        How often at least the process reports that it is alive: with `WATCHDOG=1`, as with systemd's sd_notify, over `NOTIFY_SOCKET`. It has \
        the time in `WATCHDOG_USEC`, and its own pid in `WATCHDOG_PID`. One missing report makes it unhealthy.
        """, example: "watchdog: 30s"),
    ]

  /// The keys of `healthy`.
  static let healthyKeys =
    healthTargetKeys + [
      ManifestKey(
        "status", .statuses, usual: "`200-299`", "With `http`: which statuses are good.",
        example: "http: http://localhost:9000/health\nstatus: [200-299, 401]"),
      ManifestKey(
        "every", .duration(isPositive: true), usual: "`10s`", "The pause between two checks.",
        example: "tcp: \"localhost:6379\"\nevery: 30s"),
      ManifestKey(
        "tries", .count, usual: "`3`", "How many failures in a row make the process unhealthy.",
        example: "tcp: \"localhost:6379\"\ntries: 5"),
      ManifestKey(
        "tryTimeout", .duration(isPositive: true), usual: "`5s`",
        "How long a check may take. A command is killed then.",
        example: "tcp: \"localhost:6379\"\ntryTimeout: 1s"),
      ManifestKey(
        "onFailure", .choice(["restart", "report"]), usual: "`restart`",
        """
        What follows when the process is unhealthy. `restart`: it is stopped, and `restart` of the process decides whether it is started \
        again; with `never` it is given up. `report`: nothing, but that `status` and `why` say so.
        """, example: "tcp: \"localhost:6379\"\nonFailure: report"),
      ManifestKey(
        "owner", .choice(["any"]), usual: "the process or a descendant",
        "With `tcp`, `http` or `unix`: `any` if the socket may belong to another process, as in `ready`.",
        example: "tcp: \"localhost:6379\"\nowner: any"),
    ]
}
