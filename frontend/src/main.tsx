// The beginning: the theme before anything is drawn, then the token, then the page.

import { createRoot } from 'react-dom/client'
import '../../src/talktree/views/html/style/tokens.css'
import '../../src/talktree/views/html/style/content.css'
import './theme/base.css'
import { App } from './shell/App'
import { takeToken } from './shell/login'
import { apply } from './theme/theme'

apply()
const token = takeToken()
const root = document.getElementById('root')
if (root) createRoot(root).render(<App token={token} />)
