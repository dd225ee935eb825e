"""The tables."""

from django.db import models


class Book(models.Model):
    title = models.CharField(max_length=200, unique=True)
    subject = models.CharField(max_length=50, db_index=True)
    sold = models.IntegerField(default=0)


def counted():
    """The bestsellers, as text."""
    books = Book.objects.order_by("-sold", "title")[:10]
    return "".join(f"{book.sold} {book.title}\n" for book in books)
