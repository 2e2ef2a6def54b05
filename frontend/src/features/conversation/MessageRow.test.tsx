import { act } from 'react'
import { createRoot } from 'react-dom/client'
import { afterEach, describe, expect, it } from 'vitest'
import type { Row } from '../../data/api/types'
import { ConversationScope } from '../../data/conversation/ConversationProvider'
import { OpenConversation } from '../../data/conversation/OpenConversation'
import { MessageRow } from './MessageRow'
import { makeBlock, makeRow } from './testRows'

const row = (more: Partial<Row>): Row =>
  makeRow({ id: 'm1', parent: 'm0', role: 'assistant', speaker: 'Claude', time: 0, ...more })

let end = () => undefined as void
afterEach(() => end())

function shown(more: Partial<Row>): HTMLElement {
  const box = document.body.appendChild(document.createElement('div'))
  const root = createRoot(box)
  act(() =>
    root.render(
      <ConversationScope open={new OpenConversation('1')}>
        <MessageRow row={row(more)} cid="1" selected total={9} position={3} above={false} below={false} known="" />
      </ConversationScope>,
    ),
  )
  end = () => {
    act(() => root.unmount())
    box.remove()
  }
  return box
}

;(globalThis as { IS_REACT_ACT_ENVIRONMENT?: boolean }).IS_REACT_ACT_ENVIRONMENT = true

describe('MessageRow', () => {
  it('says who speaks in words, and where in the feed it stands', () => {
    const article = shown({}).querySelector('article')
    expect(article?.textContent).toContain('Claude')
    expect(article?.getAttribute('aria-posinset')).toBe('3')
    expect(article?.getAttribute('aria-setsize')).toBe('9')
    expect(article?.tabIndex).toBe(0)
  })

  it('shows calls made at once as a group that tells what failed, each folded to a line', () => {
    const call = makeBlock({ kind: 'call', name: 'Bash', title: 'Bash ls', html: '<pre>inside</pre>' })
    const box = shown({
      blocks: [
        { ...call, outcome: 'ok' },
        { ...call, outcome: 'failed' },
        { ...call, outcome: 'waiting' },
      ],
    })
    expect(box.querySelector('.conv-group-title')?.textContent).toContain('3 tool calls · Bash · 1 failed')
    expect(box.textContent).not.toContain('inside')
    expect(
      [...box.querySelectorAll('.conv-fold-line [aria-label]')].map((icon) => icon.getAttribute('aria-label')),
    ).toEqual(['Succeeded', 'Failed', 'No result yet'])
    act(() => box.querySelector<HTMLElement>('.conv-fold-line')?.click())
    expect(box.querySelector('.conv-fold-body')?.textContent).toBe('inside')
  })

  it('switches between versions, and marks what is special', () => {
    const box = shown({
      siblings: { number: 1, leaves: ['a', 'b', 'c'], total: 3 },
      flags: ['deleted'],
      inferred: true,
      edited: 'new',
      findings: ['TT01'],
      todos: { done: 1, total: 4 },
    })
    expect(box.querySelector('.conv-siblings')?.textContent).toBe('2/3')
    expect(box.textContent).toContain('place inferred')
    expect(box.querySelector('article')?.className).toContain('conv-is-deleted')
    expect(box.querySelector('[data-do=problems]')?.textContent).toContain('1 problem')
    expect(box.querySelector('[data-do=todos]')?.textContent).toContain('1/4')
  })

  it('gives what says nothing a thin line, and names the facts that need it', () => {
    const event = makeBlock({ kind: 'chip', name: 'turn duration', title: 'turn duration' })
    const quiet = shown({ role: 'system', kind: 'note', blocks: [event] })
    expect(quiet.querySelector('.conv-hush')?.textContent).toBe('turn duration')
    expect(quiet.querySelector('header')).toBeNull()
    end()
    expect(
      shown({ role: 'system', kind: 'note', blocks: [{ ...event, detail: 'It took long.' }] }).querySelector(
        '.conv-hush',
      ),
    ).toBeNull()
    end()
    expect(
      shown({ role: 'attachment', speaker: 'Attachment', kind: 'note' }).querySelector('.conv-hush')?.textContent,
    ).toBe('Attachment')
    end()
    const chips = [
      { name: 'author', text: 'assistant', tone: 'plain' as const },
      { name: 'model', text: 'm-1', tone: 'plain' as const },
      { name: 'version', text: '2.1', tone: 'plain' as const },
    ]
    expect([...shown({ chips }).querySelectorAll('.conv-chip')].map((chip) => chip.textContent)).toEqual([
      'm-1',
      'version 2.1',
    ])
  })

  it('never loads what lies elsewhere', () => {
    const box = shown({
      blocks: [
        makeBlock({ kind: 'image', remote: 'https://example.org/a.png' }),
        makeBlock({ kind: 'file', remote: 'javascript:alert(1)' }),
      ],
    })
    expect(box.querySelector('img')).toBeNull()
    expect([...box.querySelectorAll('a')].map((link) => link.getAttribute('href'))).toEqual([
      'https://example.org/a.png',
    ])
  })

  it('tells of what is cut', () => {
    const box = shown({ blocks: [makeBlock({ html: '<p>begin</p>', cut: 12_345 })] })
    expect(box.querySelector('.conv-cut')?.textContent).toBe('Show all (12k more characters)')
  })
})
