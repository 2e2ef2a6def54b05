import { describe, expect, it } from 'vitest'
import type { Row } from '../api/types'
import { Pages } from './pages'
import { indexOfNumber, isPrompt, nextWhere } from './seek'

function row(number: number, role: string): Row {
  return {
    number, id: `m${number}`, parent: null, role, speaker: '', time: null, kind: 'message', flags: [], chips: [],
    blocks: [{ kind: 'text', html: '', title: '', detail: '', name: '', outcome: '', open: true, cut: 0, number: -1, media_type: '', size: null, remote: '', leaf: '', runs: false }],
    siblings: null, sides: [], tokens: null, seconds: null, todos: null, files: 0, findings: [], inferred: false, edited: '', text: '',
  }
}

function listed(rows: Row[]): Pages {
  return new Pages((from, limit) => Promise.resolve({ stamp: 's', leaf: 'l', total: rows.length, start: from, rows: rows.slice(from, from + limit) }), rows.length, 's')
}

describe('seek', () => {
  it('goes to the next prompt beyond the page', async () => {
    const pages = listed(Array.from({ length: 300 }, (_, i) => row(i, i % 120 ? 'assistant' : 'user')))
    expect(await nextWhere(pages, 0, 1, isPrompt)).toBe(120)
    expect(await nextWhere(pages, 239, -1, isPrompt)).toBe(120)
    expect(await nextWhere(pages, 240, 1, isPrompt)).toBe(-1)
  })

  it('finds the place of a number in a filtered list', async () => {
    const rows = Array.from({ length: 400 }, (_, i) => row(i * 3, 'user'))
    const pages = listed(rows)
    for (const index of [0, 1, 57, 399]) expect(await indexOfNumber(pages, index * 3)).toBe(index)
    expect(await indexOfNumber(pages, 4)).toBe(-1)
  })
})
