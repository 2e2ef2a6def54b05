"""The rules all formats share, a module a family; those of one format are in its folder."""
