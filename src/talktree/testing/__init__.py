"""The laws that every format must satisfy, for built-in formats and those of other packages."""
