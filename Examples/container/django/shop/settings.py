"""The settings: those of Oscar's guide "Building your own shop", and where the data and the sockets are: in the directory `state`."""

import os
import pathlib
import secrets

from oscar import INSTALLED_APPS
from oscar.defaults import *

STATE = pathlib.Path(__file__).resolve().parent.parent / "state"

# Only gunicorn has one, because only gunicorn signs something.
SECRET_KEY = os.environ.get("SECRET_KEY") or secrets.token_urlsafe(48)
# nginx is the only client, and passes on only requests for the shop.
ALLOWED_HOSTS = ["*"]
INSTALLED_APPS = [*INSTALLED_APPS, "sorl.thumbnail"]
SITE_ID = 1
MIDDLEWARE = [
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "oscar.apps.basket.middleware.BasketMiddleware",
    "django.contrib.flatpages.middleware.FlatpageFallbackMiddleware",
]
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "oscar.apps.search.context_processors.search_form",
                "oscar.apps.checkout.context_processors.checkout",
                "oscar.apps.communication.notifications.context_processors.notifications",
                "oscar.core.context_processors.metadata",
            ]
        },
    }
]
AUTHENTICATION_BACKENDS = ["oscar.apps.customer.auth_backends.EmailBackend", "django.contrib.auth.backends.ModelBackend"]
EMAIL_BACKEND = "django.core.mail.backends.console.EmailBackend"
HAYSTACK_CONNECTIONS = {"default": {"ENGINE": "haystack.backends.simple_backend.SimpleEngine"}}
ROOT_URLCONF = "shop.urls"
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
TIME_ZONE = "UTC"

# compose.yaml names other servers.
DATABASES = {
    "default": {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": "shop",
        "HOST": os.environ.get("PGHOST", str(STATE / "postgres")),
        "ATOMIC_REQUESTS": True,
    }
}
CACHES = {
    "default": {
        "BACKEND": "django.core.cache.backends.redis.RedisCache",
        "LOCATION": os.environ.get("CACHE_URL", f"unix://{STATE}/redis.sock?db=1"),
        "TIMEOUT": None,
    }
}
CELERY_BROKER_URL = CELERY_RESULT_BACKEND = os.environ.get("BROKER_URL", f"redis+socket://{STATE}/redis.sock")
STATIC_URL, STATIC_ROOT = "/static/", STATE / "static"
MEDIA_URL, MEDIA_ROOT = "/media/", STATE / "media"
