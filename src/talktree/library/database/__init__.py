"""All SQL access to the library: connection, schema, migrations, names."""
