import { describe, expect, it } from 'vitest'
import { safe } from './SafeHtml'

function made(html: string): HTMLElement {
  const box = document.createElement('div')
  box.innerHTML = String(safe(html))
  return box
}

describe('links', () => {
  it('open elsewhere and know nothing of us', () => {
    const link = made('<a href="https://example.org/x" target="_top">x</a>').querySelector('a')
    expect(link?.getAttribute('target')).toBe('_blank')
    expect(link?.getAttribute('rel')).toContain('noopener')
  })

  it.each([
    'javascript:alert(1)',
    ' java\nscript:alert(1)',
    'data:text/html,x',
    'vbscript:x',
    '/api/v1/about',
    '#/c/1',
    '//evil',
    'file:///x',
  ])('lead nowhere for %j', (href) => {
    const link = made('').appendChild(document.createElement('a'))
    link.setAttribute('href', href)
    expect(made(link.outerHTML).querySelector('a')?.hasAttribute('href')).toBe(false)
  })
})

describe('images', () => {
  it('of ours are shown', () => {
    expect(made('<img src="/img/1/a/0" alt="x">').querySelector('img')?.getAttribute('data-unsigned')).toBe(
      '/img/1/a/0',
    )
  })

  it('have no say in which address is signed', () => {
    const own = made('<img src="/img/1/a/0" data-unsigned="https://evil/x.png">').querySelector('img')
    expect(own?.getAttribute('data-unsigned')).toBe('/img/1/a/0')
    const inline = made('<img src="data:image/png;base64,AA==" data-unsigned="/img/1/a/0">').querySelector('img')
    expect(inline?.hasAttribute('data-unsigned')).toBe(false)
  })

  it.each(['https://evil/x.png', '//evil/x.png', 'x.png', '/login', 'data:image/svg+xml;base64,PHN2Zz4='])(
    'from elsewhere are words: %s',
    (src) => {
      const box = made(`<p><img src="${src}" alt="what"></p>`)
      expect(box.querySelector('img')).toBeNull()
      expect(box.querySelector('.tt-remote')?.textContent).toContain('what')
    },
  )
})

it.each([
  '<script>alert(1)</script>',
  '<style>*{display:none}</style>',
  '<p style="position:fixed">x</p>',
  '<p onclick="x()" id="root" name="x">x</p>',
  '<iframe src="/artifact/1/a/0"></iframe>',
  '<svg><script>x</script></svg>',
  '<form action="/x"><input type="text" autofocus></form>',
  '<button popovertarget="x" formaction="/x">b</button>',
  '<math><mtext><table><mglyph><style><img src=x onerror=alert(1)>',
])('takes the teeth out of %s', (html) => {
  const text = String(safe(html))
  expect(text).not.toMatch(
    /<(script|style|iframe|svg|form|math)|style=|on\w+=|\bid=|name=|action|popover|autofocus|type="text"/i,
  )
})

it('keeps only classes of content', () => {
  expect(made('<b class="tt-x layout-main card">x</b>').innerHTML).toBe('<b class="tt-x">x</b>')
  expect(made('<b class="bar">x</b>').innerHTML).toBe('<b>x</b>')
})

it('shows boxes of task lists', () => {
  const box = made('<li><input type="checkbox" checked> done</li>').querySelector('input')
  expect([box?.disabled, box?.checked]).toEqual([true, true])
})
