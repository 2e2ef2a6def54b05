"""The studio: the library in the browser, on the loopback interface only."""
