from prices import store


def test_stored():
    store.connect().flushall()
    store.put("tea", 499)
    assert store.price("tea") == 499
