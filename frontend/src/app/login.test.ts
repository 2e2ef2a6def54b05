import { expect, it } from 'vitest'
import { go } from '../lib/router'
import { takeToken, tokenIn } from './login'

it('finds the token in what people paste', () => {
  const token = 'abcDEF_-0123456789abcDEF'
  for (const text of [`http://127.0.0.1:8000/#token=${token}`, `#token=${token}`, ` ${token} `])
    expect(tokenIn(text)).toBe(token)
  for (const text of ['', 'hello', 'http://127.0.0.1:8000/', 'two words of some length here'])
    expect(tokenIn(text)).toBeNull()
})

it('takes it out of the address at once', () => {
  go({})
  history.replaceState(null, '', '#token=abc123')
  expect(takeToken()).toBe('abc123')
  expect(location.hash).toBe('#/')
  expect(takeToken()).toBeNull()
})
