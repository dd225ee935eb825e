from prices import store


def test_counted():
    store.connect().flushall()
    store.put("tea", 499)
    store.put("milk", 199)
    assert store.count() == 2
