"""Encryption at rest: the key of a library, where it is kept, and turning encryption on and off."""
