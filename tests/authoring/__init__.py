"""Conversations that are written from scratch."""
