from prices.rounding import rounded


def test_rounded():
    assert rounded(1234) == 1299
