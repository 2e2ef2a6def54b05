"""A cache over the logs: where each message is, and what it hangs on."""
