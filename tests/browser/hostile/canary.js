// Put into every frame before anything else: whatever runs there tells of itself.
(() => {
  const told = (what) => {
    let name = ''
    try {
      for (let here = window; ; here = here.parent) {
        name = here.name || name
        if (here === here.parent) break
      }
    } catch {
      // A frame of nobody: its own name is all there is.
    }
    window.canary(`${name}|${what}`)
  }
  for (const name of ['alert', 'confirm', 'prompt', 'print', 'open', 'msgbox']) {
    window[name] = (...given) => (told(`${name}(${given})`), null)
  }
  addEventListener('submit', (event) => (event.preventDefault(), told('submit')), true)
})()
