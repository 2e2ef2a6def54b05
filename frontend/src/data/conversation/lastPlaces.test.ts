import { expect, it } from 'vitest'
import { lastPlace, notePlace, read } from './lastPlaces'

const place = (id: string) => ({ path: '/a', leaf: null, id, selected: true })

it('remembers the last ones only', () => {
  for (let number = 0; number < 250; number++) notePlace(String(number), place(`m${number}`))
  expect([lastPlace('0'), lastPlace('49'), lastPlace('50')?.id, lastPlace('249')?.id]).toEqual([
    null,
    null,
    'm50',
    'm249',
  ])
  notePlace('249', null)
  expect(lastPlace('249')).toBeNull()
})

it('takes only what makes sense from the storage', () => {
  expect(read('nonsense')).toEqual([])
  expect(read([1, ['a'], ['b', null], ['c', { id: 3 }], ['d', place('m')]])).toEqual([['d', place('m')]])
})
