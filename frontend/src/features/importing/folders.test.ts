import { describe, expect, it } from 'vitest'
import { MOST, packed, walked } from './folders'

type Tree = { [name: string]: Tree | string }

/** Returns an entry as a browser does; a folder returns two at a time. */
function entry(name: string, held: Tree | string, above = ''): FileSystemEntry {
  const base = { name, fullPath: `${above}/${name}` }
  if (typeof held === 'string') {
    const file = (done: (file: File) => void) => done(new File([held], name))
    return { ...base, isFile: true, isDirectory: false, file } as unknown as FileSystemEntry
  }
  const createReader = () => {
    const left = Object.entries(held).map(([inner, below]) => entry(inner, below, base.fullPath))
    return { readEntries: (done: (some: FileSystemEntry[]) => void) => done(left.splice(0, 2)) }
  }
  return { ...base, isFile: false, isDirectory: true, createReader } as unknown as FileSystemEntry
}

async function names(...dropped: FileSystemEntry[]): Promise<string[]> {
  return (await walked(dropped)).parcels.map((one) => one.name)
}

describe('what was dropped', () => {
  it('takes files as they are, and of folders what may be a conversation', async () => {
    const folder = entry('talks', {
      'b.jsonl': '',
      'a.json': '',
      'c.png': '',
      deep: { 'd.txt': '' },
      node_modules: { 'x.json': '' },
    })
    expect(await names(entry('any.bin', ''), folder)).toEqual(['any.bin', 'a.json', 'b.jsonl', 'd.txt'])
  })

  it('does not take a conversation apart that is a folder', async () => {
    const one = { 'messages.jsonl': 'said', 'notes.txt': '', backups: { x: 'old' } }
    const found = await walked([entry('all', { one, two: { '0.md': '' }, 'three.jsonl': '' })])
    expect(found.parcels.map(({ name, folder, size }) => [name, folder, size])).toEqual([
      ['three.jsonl', false, 0],
      ['one', true, 7],
      ['two', true, 0],
    ])
  })

  it('packs a folder as a list of its files and their bytes', async () => {
    const { body } = packed('one', [
      ['messages.jsonl', new File(['said'], 'messages.jsonl')],
      ['backups/x', new File(['old'], 'x')],
    ])
    expect(body.size).toBe('[["messages.jsonl",4],["backups/x",3]]\nsaidold'.length)
  })

  it('says when there is more than it looks at', async () => {
    const many = Object.fromEntries(Array.from({ length: MOST + 5 }, (_, at) => [`${at}.json`, '']))
    const found = await walked([entry('many', many)])
    expect([found.parcels.length, found.more]).toEqual([MOST, true])
    expect((await walked([entry('none', {})])).parcels).toEqual([])
  })
})
