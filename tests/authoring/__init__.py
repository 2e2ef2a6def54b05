"""Conversations that are written from nothing."""
