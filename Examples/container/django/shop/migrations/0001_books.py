"""The table of books."""

from django.db import migrations, models


class Migration(migrations.Migration):
    initial = True
    operations = [
        migrations.CreateModel(
            "Book",
            [
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("title", models.CharField(max_length=200, unique=True)),
                ("subject", models.CharField(db_index=True, max_length=50)),
                ("sold", models.IntegerField(default=0)),
            ],
        )
    ]
