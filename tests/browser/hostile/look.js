// Put into the page: looks at what is there, opens what is folded, goes on to the end.
// What would act only when it is touched is found by looking: no element has a way to act.
(() => {
  const SOURCES = /^(?:\/img\/|\/api\/v1\/|\/artifact\/|\/icon|blob:|data:image\/(?:png|jpeg|gif|webp|svg\+xml)[;,])/
  const LINKS = /^(?:https?:\/\/|mailto:|#|\/api\/v1\/)/i
  const NEVER = new Set('script iframe frame frameset object embed applet base meta link style form math template portal marquee video audio source picture foreignobject use image animate set slot'.split(' '))

  const inside = (element) => element.closest('.tt-content') !== null

  function faultOf(element) {
    const tag = element.localName
    if (NEVER.has(tag) && !(tag === 'iframe' && element.src.includes('/artifact/'))) return `<${tag}>`
    for (const { name, value } of element.attributes) {
      const bad =
        name.startsWith('on') || /^(?:srcdoc|formaction|action|ping|srcset|background|poster|xlink:href|is|nonce)$/.test(name) ||
        (name === 'href' && !LINKS.test(value)) || (name === 'src' && !SOURCES.test(value)) ||
        (/^(?:style|id|name|autofocus|popover|slot|part)$/.test(name) && inside(element)) ||
        (name === 'class' && /(?:^|\s)(?!(?:tt|conv|find)-)\S/.test(value) && inside(element))
      if (bad) return `<${tag} ${name}="${value.slice(0, 80)}">`
    }
    if (tag === 'a' && /^https?:/i.test(element.getAttribute('href') ?? '') && !/noopener/.test(element.rel)) return `<a> without rel`
    return null
  }

  const faults = new Set()
  const marks = new Set()

  /** All of it each time: an element that is there already may show another text now. */
  function look(root = document.body, marking = true) {
    for (const element of root.querySelectorAll('*')) {
      const fault = faultOf(element)
      if (fault) faults.add(fault)
    }
    if (marking) for (const mark of root.outerHTML.match(/zq[a-z]+qz/g) ?? []) marks.add(mark)
    return { faults: [...faults], marks: [...marks] }
  }

  const frame = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done)))

  let asked = 0
  const fetched = window.fetch
  window.fetch = (...given) => {
    asked++
    return fetched(...given).finally(() => asked--)
  }

  /** Until nothing is asked for any more, and nothing waits to be shown. */
  async function calm() {
    for (let turn = 0, quiet = 0; quiet < 2; turn++) {
      if (turn > 2000) throw new Error('what is asked for does not come')
      await frame()
      quiet = asked || document.querySelector('[data-empty], [aria-label^=Loading], .answer-wait') ? 0 : quiet + 1
    }
  }
  const closed = (root) => root.querySelectorAll('[aria-expanded=false]:not([aria-haspopup]):not(:disabled), details:not([open]) > summary')

  /** Through a list to its end, with everything opened; the names of what was there. */
  async function walk(selector, item, marking = true) {
    const box = document.querySelector(selector)
    const seen = new Set()
    box.scrollTop = 0
    for (let steps = 0; steps < 20000; steps++) {
      await calm()
      for (let turn = 0; turn < 4 && item; turn++) {
        const folds = [...box.querySelectorAll(item)].flatMap((each) => [...closed(each)])
        if (!folds.length) break
        for (const fold of folds) fold.click()
        await calm()
      }
      for (const each of box.querySelectorAll(item ?? '*')) {
        seen.add(each.dataset.id ?? each.dataset.line ?? each.textContent)
        look(each, marking)
      }
      const before = box.scrollTop
      box.scrollTop = before + box.clientHeight * 0.9
      await frame()
      if (box.scrollTop <= before + 1) break
    }
    return [...seen]
  }

  window.hostile = { look, walk, frame, calm }
})()
