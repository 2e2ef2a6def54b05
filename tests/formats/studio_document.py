"""The examples of the Conversation Format Documentation, byte for byte, mistakes included.

Four of the five share one id, and three carry the hash of another text.
"""

from __future__ import annotations

BASIC = b"""\
{
  "id": "1733794702200ka59h",
  "userId": "user",
  "type": "user",
  "timestamp": 1733794702200,
  "content": "What is in the file",
  "contentHash": "50dcdf2c",
  "attachments": [],
  "children": []
}
"""
"""Basic Comment."""

DATA_URL = b"""\
{
  "id": "1733794702200ka59h",
  "userId": "user",
  "type": "user",
  "timestamp": 1733794702200,
  "content": "Here's an image",
  "contentHash": "50dcdf2c",
  "attachments": [
    {
      "file": {
        "dimensions": {
          "width": 1024,
          "height": 768
        }
      },
      "name": "example.png",
      "type": "image/png",
      "url": "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAA..."
    }
  ],
  "children": []
}
"""
"""Basic Comment with Data URL Attachment."""

EXTERNAL_URL = b"""\
{
  "id": "1733794702200ka59h",
  "userId": "user",
  "type": "user",
  "timestamp": 1733794702200,
  "content": "External file reference",
  "contentHash": "50dcdf2c",
  "attachments": [
    {
      "file": {},
      "name": "document.pdf",
      "type": "application/pdf",
      "url": "https://example.com/files/document.pdf"
    }
  ],
  "children": []
}
"""
"""Comment with External URL Attachment."""

NO_URL = b"""\
{
  "id": "1733794702200ka59h",
  "userId": "user",
  "type": "user",
  "timestamp": 1733794702200,
  "content": "What is in the file",
  "contentHash": "50dcdf2c",
  "attachments": [
    {
      "file": {},
      "name": "abc.txt",
      "type": "text/plain",
      "url": null
    }
  ],
  "children": []
}
"""
"""Comment with Attachment."""

ARTIFACT = b"""\
{
  "id": "1733794702200soijv",
  "userId": "assistant",
  "type": "assistant",
  "timestamp": 1733794702200,
  "content": "Here's an interactive chart",
  "contentHash": "29f904d9",
  "attachments": [],
  "artifacts": [
    {
      "id": "1733794702200gsghc",
      "type": "application/vnd.ant.react",
      "title": "Interactive Chart Component",
      "info": "Click to open component",
      "status": "visible",
      "command": "create"
    }
  ],
  "children": []
}
"""
"""Comment with Artifact."""

SCHEMA = b"""\
{
  "$schema": "http://json-schema.org/draft-07/schema#",
  "type": "array",
  "items": {
    "$ref": "#/definitions/Comment"
  },
  "definitions": {
    "Comment": {
      "type": "object",
      "required": [
        "id",
        "userId",
        "timestamp",
        "content",
        "contentHash",
        "children",
        "attachments",
        "type"
      ],
      "properties": {
        "userId": {
          "type": "string",
          "description": "Identifier of the user who created the comment"
        },
        "contentHash": {
          "type": "string",
          "description": "Hash of the content for integrity verification"
        },
        "children": {
          "type": "array",
          "items": {
            "$ref": "#/definitions/Comment"
          },
          "description": "Nested replies to this comment"
        }
      }
    }
  }
}
"""
"""The beginning of the JSON Schema: it names every member of a comment but is not a comment."""

EXAMPLES = {
    "basic": BASIC,
    "data URL": DATA_URL,
    "external URL": EXTERNAL_URL,
    "no URL": NO_URL,
    "artifact": ARTIFACT,
}
