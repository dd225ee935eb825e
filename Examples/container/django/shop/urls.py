"""The pages. The header X-Cache says whether a page came from the cache."""

from django.contrib import admin
from django.core.cache import cache
from django.db import connection
from django.http import HttpResponse
from django.urls import path

from shop.models import Book, counted


def cached(key, content):
    """The page from the cache; if it isn't there, its content is put there."""
    text = cache.get(key)
    headers = {"X-Cache": "miss" if text is None else "hit"}
    if text is None:
        text = content()
        cache.set(key, text, timeout=None)
    return HttpResponse(text, content_type="text/plain", headers=headers)


def shelf(request, subject):
    def content():
        books = Book.objects.filter(subject=subject).order_by("title")
        return "".join(f"{book.title}\n" for book in books)

    return cached(f"shelf-{subject}", content)


def bestsellers(request):
    return cached("bestsellers", counted)


def health(request):
    """Answers once the database and the cache do."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")
    cache.get("health")
    return HttpResponse("ok\n", content_type="text/plain")


urlpatterns = [
    path("", bestsellers),
    path("shelf/<subject>", shelf),
    path("health", health),
    path("admin/", admin.site.urls),
]
