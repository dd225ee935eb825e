internal import CProcesses
internal import Glibc
internal import InitWords
internal import Platform

extension ProcessSettings {
  /// Calls `body` with a child that has these settings, and this user.
  func lend<Result>(to child: inout process_child, _ user: Accounts.User?, _ body: (inout process_child) -> Result)
    -> Result
  {
    let own = [
      (RLIMIT_NOFILE, limits.openFiles), (RLIMIT_AS, limits.memory), (RLIMIT_CORE, limits.core),
    ].compactMap { kind, value in
      value.map { process_limit(resource: Int32(kind.rawValue), value: $0) }
    }
    // The soft limit for children applies only to those without a limit of their own.
    if limits.openFiles != nil { child.descriptors = 0 }
    return own.withUnsafeBufferPointer { limits in
      child.limits = limits.baseAddress
      child.limit_count = UInt(limits.count)
      return lendNice(to: &child) { child in
        guard let user else { return body(&child) }
        return user.groups.withUnsafeBufferPointer { groups in
          var identity = process_user(
            id: user.id, group: user.group, groups: groups.baseAddress, group_count: UInt(groups.count))
          return withUnsafePointer(to: &identity) { identity in
            child.user = identity
            return body(&child)
          }
        }
      }
    }
  }

  private func lendNice<Result>(to child: inout process_child, _ body: (inout process_child) -> Result) -> Result {
    guard var nice else { return body(&child) }
    return withUnsafePointer(to: &nice) { nice in
      child.nice = nice
      return body(&child)
    }
  }
}
