import { describe, expect, it } from 'vitest'
import type { EditLine, FileItem, FileTouch, FindingShape, UsagePoint } from '../../data/api/types'
import { around, stepTo, unfold } from './changeWalk'
import { choices, ofTouch, describeSpan, touchPoints } from './diffPoints'
import { atMessage, changed, parts, totals } from './fileCounts'
import { walkTo } from './historyWalk'
import { byRule } from './problems'
import { highest, series, spent, stacked } from './usageSeries'

const touch = (message: string, number: number | null, kind: FileTouch['kind'], added = 0, removed = 0): FileTouch => ({
  message,
  number,
  kind,
  time: null,
  added,
  removed,
})
const file = (path: string, kind: FileItem['kind'], touches: FileTouch[]): FileItem => ({
  path,
  kind,
  touches,
  known: true,
  warning: '',
})
const FILES = [
  file('src/a.py', 'modified', [
    touch('m1', 1, 'created', 10, 0),
    touch('m2', 3, 'modified', 2, 1),
    touch('m2', 3, 'modified', 1, 1),
  ]),
  file('b.md', 'read', [touch('m2', 3, 'read')]),
]

describe('files', () => {
  it('counts all, and those of one message', () => {
    expect(totals(FILES)).toEqual({ files: 2, created: 0, modified: 1, deleted: 0, read: 1, added: 13, removed: 2 })
    expect(atMessage(FILES, 'm1', null).map((one) => [one.path, one.touches.length])).toEqual([['src/a.py', 1]])
    expect(atMessage(FILES, 'row of m2', 3)).toHaveLength(2)
    expect(FILES.map(changed)).toEqual([true, false])
    expect([parts('src/a.py'), parts('b.md')]).toEqual([
      ['src/', 'a.py'],
      ['', 'b.md'],
    ])
  })

  it('offers every change once, the ends, and the selected message', () => {
    const [a] = FILES as [FileItem]
    expect(touchPoints(a).map((point) => point.value)).toEqual(['m1', 'm2'])
    expect(choices(a, 'm9', 'since').map((point) => point.value)).toEqual(['', 'm1', 'm2', 'm9'])
    expect(choices(a, 'm2', 'until').map((point) => point.value)).toEqual(['', 'm1', 'm2'])
    expect(ofTouch(a, 'm2')).toEqual({ since: 'm1', until: 'm2' })
    expect(ofTouch(a, 'm1')).toEqual({ since: '', until: 'm1' })
    expect(describeSpan({ since: '', until: 'm2' }, touchPoints(a))).toBe('from the beginning to modified #4')
  })

  it('walks from change to change', () => {
    document.body.innerHTML = '<div><p class="tt-hunk">1</p><details><p>x</p></details><p class="tt-hunk">2</p></div>'
    const box = document.body.firstElementChild
    Element.prototype.scrollIntoView = () => undefined
    expect([stepTo(box, -1, 1), stepTo(box, 0, 1), stepTo(null, 0, 1)]).toEqual([0, 1, -1])
    expect(box?.querySelectorAll('[data-here]')).toHaveLength(1)
    unfold(box, true)
    expect(box?.querySelector('details')?.open).toBe(true)
    expect([around(-1, 1, 2), around(-1, -1, 2), around(1, 1, 2), around(0, -1, 2), around(0, 1, 0)]).toEqual([
      0, 1, 0, 1, -1,
    ])
  })
})

it('groups findings by rule, the gravest first', () => {
  const found = (code: string, severity: FindingShape['severity'], fix: FindingShape['fix'] = null): FindingShape => ({
    code,
    name: code,
    severity,
    message: '',
    entry: null,
    path: '',
    line: null,
    fix,
    url: '',
  })
  const groups = byRule([
    found('B', 'note'),
    found('A', 'warning', 'safe'),
    found('C', 'error'),
    found('A', 'warning', 'unsafe'),
  ])
  expect(groups.map((group) => [group.code, group.findings.length, group.safe])).toEqual([
    ['C', 1, 0],
    ['A', 2, 1],
    ['B', 1, 0],
  ])
})

it('knows what to undo or redo to get to a line of the history', () => {
  const edit = (id: number, state: EditLine['state']): EditLine => ({ id, time: 0, what: '', state, about: null })
  const edits = [edit(1, 'done'), edit(2, 'done'), edit(3, 'undone'), edit(4, 'undone')]
  expect(walkTo(edits, -1)).toEqual({ verb: 'undo', edits: [2, 1] })
  expect(walkTo(edits, 0)).toEqual({ verb: 'undo', edits: [2] })
  expect(walkTo(edits, 1)).toBeNull()
  expect(walkTo(edits, 3)).toEqual({ verb: 'redo', edits: [3, 4] })
  expect(walkTo(edits, 9)).toBeNull()
})

it('stacks tokens', () => {
  const point = (input: number, output: number): UsagePoint => ({
    start: 0,
    time: null,
    tokens: { input, output, cache_read: 0, cache_write: 0 },
    seconds: null,
    cost: null,
  })
  const all = [point(1, 2), point(3, 4)]
  const layers = stacked(series(all, ['input', 'output'], true))
  expect(layers.get('output')).toEqual([
    [1, 3],
    [4, 10],
  ])
  expect(highest(layers)).toBe(10)
  expect(spent({ input: 1, output: 0, cache_read: 2, cache_write: 0 })).toEqual(['cache_read', 'input'])
})
