// The toolbar: the open content, search, and actions.

import type { StudioInfo } from '../data/api/types'
import { words } from '../ui/keys/match'
import { chooseFiles } from '../features/importing/imports'
import { FormatMark } from '../features/library/FormatMark'
import { openPalette } from '../features/search/openPalette'
import { nextTheme, THEMES, useTheme } from '../lib/theme'
import Actions from './Actions'
import { Button } from '../ui/Button'
import { useConversation } from '../data/conversation/ConversationProvider'
import { openHelp } from './Help'
import { Icon } from '../ui/Icon'
import { LOCK, lockNow } from './Lock'
import { MoreMenu } from './MoreMenu'
import { toggle, usePanes } from '../ui/panes'
import { hrefOf } from '../lib/router'
import './bar.css'

export function Bar({ about }: { about: StudioInfo | null }) {
  const { cid, conversation, error } = useConversation()
  const panes = usePanes()
  const theme = useTheme()
  const [themeIcon, themeName] = THEMES[theme]
  return (
    <header className="bar">
      <div className="bar-start">
        <Button
          kind="quiet"
          icon="left"
          label="Library"
          shortcut="Mod+B"
          pressed={!panes.leftFolded}
          className="bar-wide"
          onClick={() => toggle('left')}
        />
        <Button kind="quiet" icon="menu" label="Library" className="bar-narrow" onClick={() => toggle('left')} />
        <a className="bar-home" href={hrefOf({})} title="Overview">
          <Icon name="graph" label="Overview" size={18} />
        </a>
        <h1 className="bar-title" dir="auto" title={conversation?.path}>
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
        <Button
          kind="quiet"
          icon="import"
          label="Import"
          className="bar-wide"
          onClick={() => chooseFiles()}
          disabled={about?.read_only ?? true}
        />
        {about?.encrypted && (
          <Button kind="quiet" icon="lock" label={LOCK} className="bar-wide" onClick={() => void lockNow()} />
        )}
        <Button kind="quiet" icon={themeIcon} label={`Theme: ${themeName}`} className="bar-wide" onClick={nextTheme} />
        <Button kind="quiet" icon="help" label="Help and keys" shortcut="?" className="bar-wide" onClick={openHelp} />
        {conversation && (
          <Button
            kind="quiet"
            icon="right"
            label="Inspector"
            shortcut="Mod+."
            pressed={!panes.rightFolded}
            className="bar-wide"
            onClick={() => toggle('right')}
          />
        )}
        <div className="bar-narrow">
          <MoreMenu readOnly={about?.read_only ?? false} encrypted={about?.encrypted ?? false} />
        </div>
      </div>
    </header>
  )
}
