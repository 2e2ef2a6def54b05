// The lines of the graph: one for each segment, and one for each message of unfolded segments.

/** The content of a line: a segment, or one message of it. */
export interface Line {
  row: number
  /** The index of the message in the run, or -1 for the segment itself. */
  message: number
}

/** Computes lines without storing one for each message: only unfolded segments are kept. */
export class Lines {
  readonly length: number
  private readonly open: { row: number; start: number; count: number }[] = []

  constructor(rows: number, unfolded: ReadonlyMap<number, number>) {
    let extra = 0
    for (const [row, count] of [...unfolded].toSorted((a, b) => a[0] - b[0])) {
      if (row < 0 || row >= rows || count <= 0) continue
      this.open.push({ row, start: row + extra, count })
      extra += count
    }
    this.length = rows + extra
  }

  /** Returns the content of this line. */
  at(line: number): Line {
    const open = this.lastBefore(line)
    if (!open) return { row: line, message: -1 }
    const within = line - open.start
    if (within === 0) return { row: open.row, message: -1 }
    if (within <= open.count) return { row: open.row, message: within - 1 }
    return { row: open.row + within - open.count, message: -1 }
  }

  /** Returns the line of a segment, or of one of its messages. */
  lineOf(row: number, message = -1): number {
    let line = row
    for (const open of this.open) {
      if (open.row < row) line += open.count
    }
    return line + 1 + message
  }

  private lastBefore(line: number): { row: number; start: number; count: number } | undefined {
    let low = 0
    let high = this.open.length
    while (low < high) {
      const middle = (low + high) >> 1
      if ((this.open[middle] as { start: number }).start <= line) low = middle + 1
      else high = middle
    }
    return this.open[low - 1]
  }
}
