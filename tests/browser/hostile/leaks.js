// Everything a running page can try to tell another place something, or to reach what is around it.
(async (to, udp) => {
  const reached = []
  const say = (text) => parent.postMessage({ talktree: 'error', text }, '*')
  const wait = (time) => new Promise((done) => setTimeout(done, time))
  const at = (name) => `${to}/${name}`
  const add = (tag, set) => document.body.append(Object.assign(document.createElement(tag), set))
  const style = (text) => add('style', { textContent: text })
  const named = to.replace('127.0.0.1', 'named.leak.example')
  const worker = () => URL.createObjectURL(new Blob([`fetch('${at('worker')}')`]))
  const channels = {
    fetch: () => fetch(at('fetch'), { mode: 'no-cors' }),
    xhr: () => { const ask = new XMLHttpRequest(); ask.open('GET', at('xhr')); ask.send() },
    websocket: () => new WebSocket(at('websocket').replace('http', 'ws')),
    events: () => new EventSource(at('events')),
    beacon: () => navigator.sendBeacon(at('beacon'), 'x'),
    image: () => { new Image().src = at('image') },
    picture: () => add('img', { srcset: `${at('picture')} 1x` }),
    background: () => (style(`body{background:url(${at('background')})}`)),
    css_import: () => style(`@import url(${at('css_import')});`),
    font: () => (style(`@font-face{font-family:leak;src:url(${at('font')})}`), add('p', { textContent: 'x', style: 'font-family:leak' })),
    script: () => add('script', { src: at('script') }),
    module: () => import(at('module')),
    stylesheet: () => add('link', { rel: 'stylesheet', href: at('stylesheet') }),
    prefetch: () => add('link', { rel: 'prefetch', href: at('prefetch') }),
    preload: () => add('link', { rel: 'preload', as: 'image', href: at('preload') }),
    modulepreload: () => add('link', { rel: 'modulepreload', href: at('modulepreload') }),
    icon: () => add('link', { rel: 'icon', href: at('icon') }),
    manifest: () => add('link', { rel: 'manifest', href: at('manifest') }),
    preconnect: () => add('link', { rel: 'preconnect', href: named }),
    dns_prefetch: () => add('link', { rel: 'dns-prefetch', href: named.replace('named', 'prefetched') }),
    anchor_name: () => add('a', { href: named.replace('named', 'anchor'), textContent: 'x' }),
    speculation: () => add('script', { type: 'speculationrules', textContent: JSON.stringify({ prefetch: [{ source: 'list', urls: [at('speculation')] }] }) }),
    iframe: () => add('iframe', { src: at('iframe') }),
    srcdoc: () => add('iframe', { srcdoc: `<img src="${at('srcdoc')}">` }),
    object: () => add('object', { data: at('object') }),
    embed: () => add('embed', { src: at('embed') }),
    video: () => add('video', { src: at('video'), poster: at('poster'), autoplay: true }),
    audio: () => add('audio', { src: at('audio'), autoplay: true }),
    svg_use: () => add('div', { innerHTML: `<svg><image href="${at('svg_image')}"/><use href="${at('svg_use')}#x"/></svg>` }),
    form: () => { const form = Object.assign(document.createElement('form'), { action: at('form'), method: 'post', target: 'elsewhere' }); document.body.append(form); form.submit() },
    open: () => window.open(at('open')),
    click: () => { const link = Object.assign(document.createElement('a'), { href: at('click'), target: '_blank', ping: at('ping') }); document.body.append(link); link.click() },
    worker: () => new Worker(worker()),
    shared_worker: () => new SharedWorker(worker()),
    service_worker: () => navigator.serviceWorker.register(at('service_worker')),
    stun: async () => {
      const call = new RTCPeerConnection({ iceServers: [{ urls: `stun:${udp}` }] })
      call.createDataChannel('x')
      await call.setLocalDescription(await call.createOffer())
    },
    storage: () => { localStorage.setItem('x', '1'); reached.push('storage') },
    cookie: () => { document.cookie = 'x=1'; if (document.cookie !== undefined) reached.push('cookie') },
    parent: () => { if (parent.document.body) reached.push('parent') },
    database: () => { if (indexedDB.open('x')) reached.push('database') },
    top_address: () => { if (top.location.href) reached.push('address') },
    clipboard: async () => { await navigator.clipboard.readText(); reached.push('clipboard') },
  }
  for (const [name, run] of Object.entries(channels)) {
    try { await Promise.race([run(), wait(300)]) } catch { /* refused */ }
  }
  await wait(700)
  say(`tried ${Object.keys(channels).length}, reached: ${reached.join(' ') || 'nothing'}`)
})
