// Everything that a page can try to get an answer out of an address.
async (target) => {
  const tried = [], got = []
  const attempt = async (name, run) => {
    tried.push(name)
    try { const said = await run(); if (said) got.push(`${name}: ${said}`) } catch { /* refused */ }
  }
  const text = async (answer) => (answer.type === 'opaque' || !answer.ok ? '' : answer.text())
  const include = { credentials: 'include' }
  // The key is in the storage of the studio's own page; others have to guess.
  const key = localStorage.getItem('talktree.key') ?? 'guessed'
  const element = (tag, set) => new Promise((resolve) => {
    const made = Object.assign(document.createElement(tag), set)
    made.onload = () => resolve(tag === 'iframe' ? read(made) : 'loaded')
    made.onerror = () => resolve('')
    setTimeout(() => resolve(''), 1500)
    document.body.append(made)
  })
  const read = (frame) => {
    try { return frame.contentDocument.body.innerText } catch { return '' }
  }
  await attempt('fetch', async () => text(await fetch(target, include)))
  await attempt('no-cors', async () => text(await fetch(target, { mode: 'no-cors', ...include })))
  for (const type of ['text/plain', 'application/x-www-form-urlencoded'])
    await attempt(`post ${type}`, async () => text(await fetch(target, {
      method: 'POST', mode: 'no-cors', body: '{}', headers: { 'Content-Type': type }, ...include })))
  for (const method of ['GET', 'POST', 'DELETE', 'PUT'])
    await attempt(`own headers ${method}`, async () => text(await fetch(target, {
      method, body: method === 'GET' ? null : '{}', ...include,
      headers: { 'X-Talktree': '1', 'X-Talktree-Key': key, 'Content-Type': 'application/json' } })))
  for (const [tag, set] of [['img', { src: target }], ['script', { src: target }],
      ['iframe', { src: target }], ['object', { data: target }], ['embed', { src: target }],
      ['link', { rel: 'stylesheet', href: target }], ['video', { src: target }]])
    await attempt(tag, () => element(tag, set).then((said) => (tag === 'iframe' ? said : '')))
  await attempt('form', async () => {
    await element('iframe', { name: 'into', srcdoc: '' })
    const form = document.createElement('form')
    Object.assign(form, { method: 'post', action: target, target: 'into' })
    document.body.append(form)
    form.submit()
    await new Promise((resolve) => setTimeout(resolve, 300))
  })
  await attempt('beacon', async () => { navigator.sendBeacon(target, '{}') })
  await attempt('events', () => new Promise((resolve) => {
    const events = new EventSource(target, { withCredentials: true })
    events.onopen = () => resolve('open')
    events.onerror = () => { events.close(); resolve('') }
  }))
  await attempt('socket', () => new Promise((resolve) => {
    const socket = new WebSocket(target.replace('http', 'ws'))
    socket.onopen = () => resolve('open')
    socket.onerror = () => resolve('')
  }))
  await attempt('window', async () => { window.open(target) })
  await new Promise((resolve) => setTimeout(resolve, 500))
  return { tried: tried.length, got }
}
