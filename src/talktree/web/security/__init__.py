"""Who may ask: hosts, origins, the token, and the headers of every answer."""
