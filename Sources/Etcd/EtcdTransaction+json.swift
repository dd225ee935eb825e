// Parts of requests in the JSON of etcd's gateway.

extension EtcdRange {
  /// The members that name its keys.
  var members: String { #""key":"\#(Base64.encode(first))","range_end":"\#(Base64.encode(end))""# }
}

extension EtcdCondition {
  /// The condition.
  var json: String {
    let (key, target) =
      switch self {
      case .absent(let key): (key, #""target":"CREATE","create_revision":"0""#)
      case .created(let key, let revision): (key, #""target":"CREATE","create_revision":"\#(revision)""#)
      case .bound(let key, let lease): (key, #""target":"LEASE","lease":"\#(lease)""#)
      }
    return #"{"result":"EQUAL","key":"\#(Base64.encode(key))",\#(target)}"#
  }
}

extension EtcdOperation {
  /// The operation.
  var json: String {
    switch self {
    case .put(let key, let value, let lease):
      #"{"request_put":{"key":"\#(Base64.encode(key))","value":"\#(Base64.encode(value))","lease":"\#(lease)"}}"#
    case .get(let key): #"{"request_range":{"key":"\#(Base64.encode(key))"}}"#
    case .delete(let key): #"{"request_delete_range":{"key":"\#(Base64.encode(key))"}}"#
    }
  }
}
