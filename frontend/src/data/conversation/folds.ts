// What the reader unfolded or folded, by row and block; kept while rows are removed and added by scrolling.

const MOST = 5000

export function foldKey(id: string, at: number | string): string {
  return `${id}\u0000${at}`
}

export class Folds {
  private readonly open = new Map<string, boolean>()
  private readonly listeners = new Set<() => void>()

  subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener)
    return () => this.listeners.delete(listener)
  }

  get(key: string): boolean | undefined {
    return this.open.get(key)
  }

  set(key: string, open: boolean): void {
    this.open.set(key, open)
    if (this.open.size > MOST) this.open.delete(this.open.keys().next().value as string)
    this.tell()
  }

  /** Folds or unfolds some blocks of a row together: opens all unless all are open. */
  toggleAll(keys: readonly { key: string; open: boolean }[]): void {
    const allOpen = keys.every(({ key, open }) => this.open.get(key) ?? open)
    for (const { key } of keys) this.set(key, !allOpen)
  }

  /** Resets some, for example when thinking is switched everywhere. */
  forget(matching: (key: string) => boolean): void {
    for (const key of [...this.open.keys()]) if (matching(key)) this.open.delete(key)
    this.tell()
  }

  private tell(): void {
    for (const listener of [...this.listeners]) listener()
  }
}
