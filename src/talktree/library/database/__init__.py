"""The one place that speaks SQL to a database: connection, schema, migrations, names."""
