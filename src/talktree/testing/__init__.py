"""The laws every format must pass, for our own formats and for those of others."""
