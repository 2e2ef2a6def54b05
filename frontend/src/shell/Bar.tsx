// The bar: what is open, search, and what can be done with it.

import type { About } from '../api/types'
import { words } from '../keys/match'
import { chooseFiles } from '../importing/imports'
import { FormatMark } from '../library/FormatMark'
import { openPalette } from '../search/palette'
import { nextTheme, THEMES, useTheme } from '../theme/theme'
import Actions from '../work/Actions'
import { Button } from './Button'
import { useCurrent } from './current'
import { openHelp } from './help'
import { Icon } from './Icon'
import { MoreMenu } from './MoreMenu'
import { toggle, usePanes } from './panes'
import { hrefOf } from './router'
import './bar.css'

export function Bar({ about }: { about: About | null }) {
  const { cid, conversation, error } = useCurrent()
  const panes = usePanes()
  const theme = useTheme()
  const [themeIcon, themeName] = THEMES[theme]
  return (
    <header className="bar">
      <div className="bar-start">
        <Button kind="quiet" icon="left" label="Library" shortcut="Mod+B" pressed={!panes.leftFolded} className="bar-wide" onClick={() => toggle('left')} />
        <Button kind="quiet" icon="menu" label="Library" className="bar-narrow" onClick={() => toggle('left')} />
        <a className="bar-home" href={hrefOf({})} title="Overview">
          <Icon name="graph" label="Overview" size={18} />
        </a>
        <h1 className="bar-title" title={conversation?.path}>
          {cid === null || (error && !conversation) ? 'Talktree studio' : (conversation?.title ?? '…')}
        </h1>
        {conversation && <FormatMark slug={conversation.format} formats={about?.formats} long />}
        {about?.read_only && <span className="bar-badge">read only</span>}
      </div>
      <button type="button" className="bar-search" onClick={() => openPalette()} aria-keyshortcuts="Control+K">
        <Icon name="search" />
        <span className="bar-search-text">Search all conversations</span>
        <kbd aria-hidden="true">{words('Mod+K').flat().join(' ')}</kbd>
      </button>
      <div className="bar-end">
        {conversation && (
          <div className="bar-actions">
            <Actions />
          </div>
        )}
        <Button kind="quiet" icon="import" label="Import" className="bar-wide" onClick={() => chooseFiles()} disabled={about?.read_only ?? true} />
        <Button kind="quiet" icon={themeIcon} label={`Theme: ${themeName}`} className="bar-wide" onClick={nextTheme} />
        <Button kind="quiet" icon="help" label="Help and keys" shortcut="?" className="bar-wide" onClick={openHelp} />
        {conversation && <Button kind="quiet" icon="right" label="Inspector" shortcut="Mod+." pressed={!panes.rightFolded} className="bar-wide" onClick={() => toggle('right')} />}
        <div className="bar-narrow">
          <MoreMenu readOnly={about?.read_only ?? false} />
        </div>
      </div>
    </header>
  )
}
