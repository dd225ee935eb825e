"""The tasks that celery runs."""

import os

from celery import Celery

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "shop.settings")
app = Celery("shop")
app.config_from_object("django.conf:settings", namespace="CELERY")


@app.task
def count():
    """Puts the bestsellers into the cache, and returns how many there are."""
    from django.core.cache import cache

    from shop.models import Book

    books = list(Book.objects.order_by("-sold", "title")[:10])
    cache.set("bestsellers", "".join(f"{book.sold} {book.title}\n" for book in books), timeout=None)
    return len(books)
