extension ManifestSection {
  /// The targets that can be waited for.
  static let targetKeys = [
    ManifestKey(
      "tcp", .endpoint, usual: "none", "A host, by name or address, and a port of it that accepts a connection.",
      example: "tcp: \"localhost:6379\""),
    ManifestKey(
      "http", .url, usual: "none",
      """
      A URL that answers with a good status. A redirect is an answer like any other, and isn't followed. `https` isn't supported: use a \
      command with curl.
      """, example: "http: http://localhost:9000/health"),
    ManifestKey(
      "unix", .path(maximum: 107), usual: "none", "A Unix socket that accepts a connection.",
      example: "unix: /run/bus.sock"),
    ManifestKey(
      "path", .path(maximum: 512), usual: "none", "A file of any kind that exists.", example: "path: /data/ready"),
  ]

  /// The keys of `waitFor`.
  static let waitForKeys =
    targetKeys + [
      ManifestKey(
        "status", .statuses, usual: "`200-299`", "With `http`: which statuses are good.",
        example: "http: http://localhost:9000/health\nstatus: [200-299, 401]"),
      ManifestKey(
        "every", .duration(isPositive: true), usual: "`200ms`", "The pause between two tries.",
        example: "tcp: \"localhost:6379\"\nevery: 500ms"),
      ManifestKey(
        "tryTimeout", .duration(isPositive: true), usual: "`5s`", "How long a try may take.",
        example: "tcp: \"localhost:6379\"\ntryTimeout: 1s"),
    ]
}
