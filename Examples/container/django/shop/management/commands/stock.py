"""manage.py stock: puts the books on sale."""

from django.core.management.base import BaseCommand

from shop.models import Book

SUBJECTS = ("history", "novels", "poetry", "science")


class Command(BaseCommand):
    def handle(self, **options):
        books = [Book(title=f"{subject.title()}, volume {n}", subject=subject, sold=n * 37 % 101) for subject in SUBJECTS for n in range(1, 501)]
        Book.objects.bulk_create(books, ignore_conflicts=True)
        self.stdout.write(f"{Book.objects.count()} books on sale")
