"""What runs in the sandbox: a page of its own for each artifact, walled off from everything."""
