"""The one tree in the middle: values only, no files, no formats."""
