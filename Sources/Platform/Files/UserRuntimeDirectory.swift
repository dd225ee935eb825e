internal import Glibc

/// The directory for files that all supervisors of a user share while they live.
package enum UserRuntimeDirectory {
  /// Returns its path; unless `creates` is false, it is created if it doesn't exist.
  ///
  /// It is `initd` in `$XDG_RUNTIME_DIR`, else in `/run/user/UID`, if that is there and the user's own, else `/tmp/initd-UID`.
  ///
  /// - Throws: why it can't be used: it must be the user's own, without access for others.
  package static func path(_ variables: [String: String], creates: Bool = true) throws(SystemError) -> String {
    let user = geteuid()
    let given = variables["XDG_RUNTIME_DIR"].flatMap { $0.isEmpty ? nil : WorkingDirectory.absolute($0) }
    let parent = [given, "/run/user/\(user)"].compactMap(\.self).first { path in
      FileIdentity(behind: path).map { $0.isDirectory && $0.user == user } == true && access(path, W_OK | X_OK) == 0
    }
    let path = parent.map { "\($0)/initd" } ?? "/tmp/initd-\(user)"
    if !creates, FileIdentity(at: path) == nil { return path }
    guard !creates || mkdir(path, 0o700) == 0 || errno == EEXIST else { throw .last("mkdir", path) }
    guard let identity = FileIdentity(at: path), identity.kind == S_IFDIR, identity.user == user,
      identity.mode & 0o077 == 0
    else {
      throw SystemError(
        call: "use", errno: EPERM,
        subject: "\(path), which must be a directory of your own that nobody else can enter (chmod 700 \(path))")
    }
    return path
  }
}
