"""The tables."""

from django.db import models


class Book(models.Model):
    title = models.CharField(max_length=200, unique=True)
    subject = models.CharField(max_length=50, db_index=True)
    sold = models.IntegerField(default=0)
