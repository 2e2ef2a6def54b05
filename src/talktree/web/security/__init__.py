"""Access control: hosts, origins, the token, and the headers of every answer."""
