// Put into the page after look.js: goes to many places one after the other. Asked for from outside,
// each of them would take as long as a hundred do here.
(() => {
  const { look, calm, frame } = window.hostile
  const all = (selector) => [...document.querySelectorAll(selector)]
  const shows = (text) => document.body.textContent.includes(text)

  /** Until something is so; a page that never shows it is told of. */
  async function until(holds) {
    const end = performance.now() + 300_000
    do {
      if (performance.now() > end) throw new Error(`never: ${holds}`)
      await calm()
    } while (!holds())
  }

  /** Addresses of the page; at how many of them the text was seen that goes with each. */
  async function visit(places) {
    let shown = 0
    for (const [address, text] of places) {
      location.hash = address
      await calm()
      look(document.body, false)
      if (shows(text)) shown++
    }
    return { ...look(), shown }
  }

  function type(input, text) {
    Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set.call(input, text)
    input.dispatchEvent(new Event('input', { bubbles: true }))
  }

  /** Questions in the palette, which is open; how many answers each has. */
  async function search(questions) {
    const input = document.querySelector('.palette-input')
    const shown = []
    for (const question of questions) {
      type(input, question)
      await until(() => document.querySelector('.palette-told').textContent !== '…')
      look(document.body, false)
      shown.push(all('.palette-hit').length)
    }
    return { ...look(), shown }
  }

  /** Files of these names, dropped on the page; how many of them it lists. */
  async function bring(names) {
    const held = new DataTransfer()
    for (const name of names) held.items.add(new File(['<script>alert(1)</script>'], name, { type: 'text/html' }))
    document.body.dispatchEvent(new DragEvent('drop', { dataTransfer: held, bubbles: true, cancelable: true }))
    await until(() => all('.import-item').length >= names.length && all('.import-trouble').length >= names.length)
    const told = { ...look(), shown: all('.import-name').length }
    document.querySelector('dialog [aria-label=Close]').click()
    await calm()
    return told
  }

  /** Files of the list beside the messages, opened: so many of the first, and the last. */
  async function files(most) {
    const listed = all('.inspector-file').length
    const chosen = [...all('.inspector-file').keys()].filter((number) => number < most || number === listed - 1)
    for (const number of chosen) {
      all('.inspector-file')[number].click()
      await calm()
      look(document.body, false)
      document.querySelector('[aria-label="All files"]').click()
      await frame()
    }
    return { ...look(), shown: chosen.length }
  }

  /** Artifacts in frames as the page makes them; how many came. */
  async function run(frames) {
    let shown = 0
    const made = frames.map(([name, address]) => {
      const frame = document.createElement('iframe')
      Object.assign(frame, { name, sandbox: 'allow-scripts', src: address, onload: () => shown++ })
      document.body.append(frame)
      return frame
    })
    for (let turn = 0; turn < 4000 && shown < made.length; turn++) await frame()
    await new Promise((done) => setTimeout(done, 100))
    for (const frame of made) frame.remove()
    return { faults: [], marks: [], shown: Math.min(shown, made.length) }
  }

  Object.assign(window.hostile, { visit, search, bring, files, run })
})()
