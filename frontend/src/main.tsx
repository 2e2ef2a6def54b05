// The entry point: applies the theme before rendering, then the token, then renders the page.

import { createRoot } from 'react-dom/client'
import '../../src/talktree/views/html/style/tokens.css'
import '../../src/talktree/views/html/style/content.css'
import './ui/base.css'
import { App } from './app/App'
import { takeToken } from './app/login'
import { isLoadingAhead } from './ui/overlay/lazyPart'
import { apply } from './lib/theme'

// A missing chunk means that the page was rebuilt: reload it. Only once, not in a loop.
addEventListener('vite:preloadError', () => {
  if (isLoadingAhead()) return
  const last = Number(sessionStorage.getItem('talktree.reloaded') ?? 0)
  if (Date.now() - last < 10_000) return
  sessionStorage.setItem('talktree.reloaded', String(Date.now()))
  location.reload()
})

apply()
const token = takeToken()
const root = document.getElementById('root')
if (root) createRoot(root).render(<App token={token} />)
