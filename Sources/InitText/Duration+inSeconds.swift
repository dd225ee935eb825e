extension Duration {
  /// The duration in seconds, rounded to the nanosecond, so `0.3` is read back as `0.3`.
  public var inSeconds: Double {
    let (seconds, attoseconds) = components
    let nanoseconds = (attoseconds + (attoseconds < 0 ? -500_000_000 : 500_000_000)) / 1_000_000_000
    let (whole, isTooLong) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    return isTooLong ? Double(seconds) : (Double(whole) + Double(nanoseconds)) / 1e9
  }
}
