"""Celery's application, and the task that it runs."""

import os

from celery import Celery
from django.core.management import call_command

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "shop.settings")
app = Celery("shop")
app.config_from_object("django.conf:settings", namespace="CELERY")


@app.task
def update_scores():
    """Counts how popular each product is."""
    call_command("oscar_calculate_scores")
