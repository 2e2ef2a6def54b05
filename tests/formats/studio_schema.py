"""The requirements of the Conversation Format Documentation's schema (draft-07), without prose."""

from __future__ import annotations

from typing import Any

TEXT = {"type": "string"}
NUMBER = {"type": "number"}
COMMENT = {
    "type": "object",
    "required": [
        "id",
        "userId",
        "timestamp",
        "content",
        "contentHash",
        "children",
        "attachments",
        "type",
    ],
    "properties": {
        "id": TEXT,
        "userId": TEXT,
        "type": TEXT,
        "timestamp": NUMBER,
        "content": TEXT,
        "contentHash": TEXT,
        "attachments": {"type": "array", "items": {"$ref": "#/definitions/Attachment"}},
        "children": {"type": "array", "items": {"$ref": "#/definitions/Comment"}},
        "parentId": {"type": ["string", "null"]},
        "deleted": {"type": "boolean"},
        "artifacts": {"type": "array", "items": {"$ref": "#/definitions/Artifact"}},
    },
}
ATTACHMENT = {
    "type": "object",
    "required": ["url", "name", "file"],
    "properties": {
        "url": TEXT,
        "type": TEXT,
        "name": TEXT,
        "file": {
            "type": "object",
            "properties": {
                "dimensions": {
                    "type": "object",
                    "properties": {"width": NUMBER, "height": NUMBER},
                }
            },
        },
    },
}
ARTIFACT = {
    "type": "object",
    "required": ["id", "type", "title", "status", "command"],
    "properties": {
        "id": TEXT,
        "type": TEXT,
        "title": TEXT,
        "info": TEXT,
        "status": {"type": "string", "enum": ["visible", "hidden"]},
        "command": TEXT,
    },
}
SCHEMA: dict[str, Any] = {
    "$schema": "http://json-schema.org/draft-07/schema#",
    "type": "array",
    "items": {"$ref": "#/definitions/Comment"},
    "definitions": {"Comment": COMMENT, "Attachment": ATTACHMENT, "Artifact": ARTIFACT},
}
"""A list of comments. Every other member is allowed, and so is any string as a `type`."""
