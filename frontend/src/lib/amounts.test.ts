import { expect, it } from 'vitest'
import { bytes, lasted, many, money, short } from './amounts'

it('writes amounts as people read them', () => {
  expect([0, 7, 999, 1000, 1234, 12_345, 123_456, 999_999, 1_500_000].map(short)).toEqual([
    '0',
    '7',
    '999',
    '1k',
    '1.2k',
    '12.3k',
    '123k',
    '1M',
    '1.5M',
  ])
  expect([0.42, 12.4, 200, 7200, 864_000].map(lasted)).toEqual(['0.4 s', '12 s', '3 min', '2 h', '10 days'])
  expect([12, 3400, 5_000_000].map(bytes)).toEqual(['12 B', '3.4 KB', '5 MB'])
  expect([0, 0.0123, 4.5].map(money)).toEqual(['$0', '$0.012', '$4.50'])
  expect([many(1, 'file'), many(2, 'file'), many(3, 'branch', 'branches')]).toEqual(['1 file', '2 files', '3 branches'])
})
