"""The settings that differ from Superset's own. init.yaml sets variables of PostgreSQL and Celery."""

import pathlib

from cachelib.file import FileSystemCache
from celery.schedules import crontab

SECRET_KEY = pathlib.Path("state/key").read_text().strip()
SQLALCHEMY_DATABASE_URI = "postgresql+psycopg2:///superset"
RESULTS_BACKEND = FileSystemCache("state/results")
CACHE_CONFIG = DATA_CACHE_CONFIG = FILTER_STATE_CACHE_CONFIG = EXPLORE_FORM_DATA_CACHE_CONFIG = {
    "CACHE_TYPE": "RedisCache",
    "CACHE_KEY_PREFIX": "superset_",
    "CACHE_REDIS_URL": "unix:///proc/self/cwd/state/redis.sock?db=1",
}


class CELERY_CONFIG:
    imports = ["superset.sql_lab", "superset.tasks.scheduler", "superset.tasks.thumbnails", "superset.tasks.cache", "superset.tasks.slack"]
    beat_schedule = {
        "reports.scheduler": {"task": "reports.scheduler", "schedule": crontab()},
        "reports.prune_log": {"task": "reports.prune_log", "schedule": crontab(minute=10, hour=0)},
    }
