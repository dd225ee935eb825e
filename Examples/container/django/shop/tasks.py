"""The tasks that celery runs."""

import os

from celery import Celery

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "shop.settings")
app = Celery("shop")
app.config_from_object("django.conf:settings", namespace="CELERY")


@app.task
def count():
    """Puts the bestsellers into the cache, and returns them."""
    from django.core.cache import cache

    from shop.models import counted

    text = counted()
    cache.set("bestsellers", text, timeout=None)
    return text
