import urllib.error
import urllib.request

import pytest


def get(app, path):
    with urllib.request.urlopen(f"http://127.0.0.1:{app.port('web')}{path}", timeout=30) as answer:
        return int(answer.read())


def test_each_book_has_its_price(app):
    prices = app.output("prices")
    assert {title: get(app, f"/{title}") for title in prices} == prices


def test_an_unknown_book_is_not_found(app):
    with pytest.raises(urllib.error.HTTPError, match="404"):
        get(app, "/persuasion")


def test_the_shop_can_be_restarted(app):
    app.client.request("restart", {"names": ["web"]})
    assert app.client.wait(timeout=30) == {"state": "complete"}
    assert get(app, "/") == 2
    assert app.log("web").splitlines().count("open with 2 books") == 2
