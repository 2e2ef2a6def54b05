"""The studio: the library in the browser, on loopback only."""
