"""manage.py bestsellers: lets celery count the bestsellers, and waits for the result."""

from django.core.management.base import BaseCommand

from shop.tasks import count


class Command(BaseCommand):
    def handle(self, **options):
        self.stdout.write(count.delay().get(timeout=25))
