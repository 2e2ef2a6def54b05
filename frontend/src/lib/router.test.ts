import { beforeEach, describe, expect, it } from 'vitest'
import { currentRoute, format, go, NO_FILTERS, parse } from './router'

describe('addresses', () => {
  it.each([
    ['', null, null, null],
    ['#/', null, null, null],
    ['#/c/12', '12', null, null],
    ['#/c/12.3/m/a%2Fb', '12.3', 'a/b', null],
    ['#/c/12/m/x?leaf=l%20l', '12', 'x', 'l l'],
    ['#/c/%E0%A4%A', null, null, null],
    ['#/elsewhere', null, null, null],
    ['#/?leaf=x', null, null, null],
  ])('reads %s', (hash, cid, message, leaf) => {
    expect(parse(hash)).toMatchObject({ cid, message, leaf })
  })

  it('goes there and back', () => {
    const texts = ['a', 'a/b', 'ä ö', '?&=#%', '日本', '..']
    for (const cid of texts) {
      for (const message of [null, ...texts]) {
        const route = {
          cid,
          message,
          leaf: message,
          tab: 'usage',
          show: ['role:user', 'tool:a b'],
          filters: { ...NO_FILTERS, text: cid, sort: 'size' },
        }
        expect(parse(format(route))).toEqual(route)
      }
    }
  })
})

describe('going', () => {
  beforeEach(() => go({ cid: null, filters: NO_FILTERS }))

  it('keeps the filters', () => {
    go({ filters: { ...NO_FILTERS, format: 'sage' } })
    go({ cid: '3' })
    expect(location.hash).toBe('#/c/3?format=sage')
    expect(currentRoute().filters.format).toBe('sage')
  })

  it('replaces without a step back', () => {
    const before = history.length
    go({ cid: '4' }, { replace: true })
    expect([history.length, location.hash]).toEqual([before, '#/c/4'])
  })
})
