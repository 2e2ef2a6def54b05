import { describe, expect, it } from 'vitest'
import { Lines } from './flat'

describe('Lines', () => {
  it('is the same as writing all lines down', () => {
    for (let seed = 1; seed < 40; seed++) {
      const rows = 1 + ((seed * 7) % 23)
      const unfolded = new Map<number, number>()
      for (let row = 0; row < rows; row++) if ((row * seed) % 5 === 1) unfolded.set(row, (row * seed) % 4)
      const all = Array.from({ length: rows }, (_, row) => row).flatMap((row) => [
        { row, message: -1 },
        ...Array.from({ length: unfolded.get(row) ?? 0 }, (_, message) => ({ row, message })),
      ])
      const lines = new Lines(rows, unfolded)
      expect(lines.length).toBe(all.length)
      all.forEach((line, number) => {
        expect(lines.at(number)).toEqual(line)
        expect(lines.lineOf(line.row, line.message)).toBe(number)
      })
    }
  })

  it('forgets what is not there any more', () => {
    expect(new Lines(2, new Map([[5, 3]])).length).toBe(2)
  })
})
