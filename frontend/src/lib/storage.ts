// Values stored in this browser. Storage may be refused, and stored values may be anything.

export function recall(name: string): unknown {
  try {
    const text = localStorage.getItem(name)
    return text === null ? null : JSON.parse(text)
  } catch {
    return null
  }
}

export function remember(name: string, value: unknown): void {
  try {
    localStorage.setItem(name, JSON.stringify(value))
  } catch {
    // It works without storage, too.
  }
}
