"""Rounds prices as shops do."""


def rounded(cents: int) -> int:
    """The next price that ends with 99 cents."""
    return cents // 100 * 100 + 99
