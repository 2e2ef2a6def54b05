// Put into the page: looks at what is there, opens what is folded, goes on to the end.
// What would act only when it is touched is found by looking: no element has a way to act.
(() => {
  const SOURCES = /^(?:\/img\/|\/api\/v1\/|\/artifact\/|\/icon|blob:|data:image\/(?:png|jpeg|gif|webp|svg\+xml)[;,])/
  const LINKS = /^(?:https?:\/\/|mailto:|#|\/api\/v1\/)/i
  const NEVER = new Set('script iframe frame frameset object embed applet base meta link style form math template portal marquee video audio source picture foreignobject use image animate set slot'.split(' '))

  function faultOf(element) {
    const tag = element.localName
    if (NEVER.has(tag) && !(tag === 'iframe' && element.src.includes('/artifact/'))) return `<${tag}>`
    const inside = element.closest('.tt-content') !== null
    for (const { name, value } of element.attributes) {
      const bad =
        name.startsWith('on') || /^(?:srcdoc|formaction|action|ping|srcset|background|poster|xlink:href|is|nonce)$/.test(name) ||
        (name === 'href' && !LINKS.test(value)) || (name === 'src' && !SOURCES.test(value)) ||
        (inside && /^(?:style|id|name|autofocus|popover|slot|part)$/.test(name)) ||
        (inside && name === 'class' && value.split(/\s+/).some((each) => each && !/^(?:tt|conv|find)-/.test(each)))
      if (bad) return `<${tag} ${name}="${value.slice(0, 80)}">`
    }
    if (tag === 'a' && /^https?:/i.test(element.getAttribute('href') ?? '') && !/noopener/.test(element.rel)) return `<a> without rel`
    return null
  }

  const faults = new Set()
  const marks = new Set()
  const looked = new WeakSet()

  function look(root = document.body) {
    let fresh = false
    for (const element of root.querySelectorAll('*')) {
      if (looked.has(element)) continue
      looked.add(element)
      fresh = true
      const fault = faultOf(element)
      if (fault) faults.add(fault)
    }
    if (fresh) for (const mark of root.outerHTML.match(/zq[a-z]+qz/g) ?? []) marks.add(mark)
    return { faults: [...faults], marks: [...marks] }
  }

  const frame = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done)))
  const closed = (root) => root.querySelectorAll('[aria-expanded=false]:not([aria-haspopup]):not(:disabled), details:not([open]) > summary')

  async function settled(box) {
    for (let turn = 0; turn < 400; turn++) {
      await frame()
      if (!box.querySelector('[data-empty], [aria-label=Loading]')) return
    }
    throw new Error('what is asked for does not come')
  }

  /** Through a list to its end, with everything opened; the names of what was there. */
  async function walk(selector, item) {
    const box = document.querySelector(selector)
    const seen = new Set()
    box.scrollTop = 0
    for (let steps = 0; steps < 20000; steps++) {
      await settled(box)
      for (let turn = 0; turn < 4 && item; turn++) {
        const folds = [...box.querySelectorAll(item)].flatMap((each) => [...closed(each)])
        if (!folds.length) break
        for (const fold of folds) fold.click()
        await settled(box)
      }
      for (const each of box.querySelectorAll(item ?? '*')) {
        seen.add(each.dataset.id ?? each.dataset.line ?? each.textContent)
        look(each)
      }
      const before = box.scrollTop
      box.scrollTop = before + box.clientHeight * 0.9
      await frame()
      if (box.scrollTop <= before + 1) break
    }
    return [...seen]
  }

  window.hostile = { look, walk, frame }
})()
