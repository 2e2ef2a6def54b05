"""The values that the studio's server and page exchange."""
