"""Looking after a session: what is wrong with it, what nobody needs."""
