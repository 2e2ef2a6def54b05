import { describe, expect, it } from 'vitest'
import { EventParser } from './events'

const STREAM = ': here\n\nevent: changed\ndata: {"a":1}\n\n: still here\n\ndata: one\ndata: two\n\n'

function parsed(pieces: string[]): string[][] {
  const got: string[][] = []
  const parser = new EventParser((name, data) => got.push([name, data]))
  for (const piece of pieces) parser.push(piece)
  return got
}

describe('a stream of events', () => {
  it('gives the same events wherever it is cut', () => {
    const whole = [
      ['changed', '{"a":1}'],
      ['message', 'one\ntwo'],
    ]
    for (let at = 0; at <= STREAM.length; at++) expect(parsed([STREAM.slice(0, at), STREAM.slice(at)])).toEqual(whole)
    expect(parsed([...STREAM])).toEqual(whole)
  })

  it('gives no event that is not complete', () => {
    expect(parsed(['event: changed\ndata: {"a"'])).toEqual([])
  })
})
