import { useEffect, useRef, useState } from 'react'
import { path } from '../../data/api/client'
import { useSigned } from '../../data/api/key'
import type { MessageBlock } from '../../data/api/types'
import { Button } from '../../ui/Button'
import { Icon } from '../../ui/Icon'
import { SafeHtml } from '../common/SafeHtml'
import { isDark } from '../../lib/theme'
import { heard } from './messages'
import './artifact.css'

interface Props {
  cid: string
  id: string
  block: MessageBlock
}

const FIRST_HEIGHT = 160

/** An artifact: its source first; it runs only on request, in a sandbox. */
export default function ArtifactFrame({ cid, id, block }: Props): React.JSX.Element {
  const [running, setRunning] = useState(false)
  const svg = block.media_type === 'image/svg+xml'
  const [picture, setPicture] = useState(false)
  return (
    <section className="artifact" aria-label={block.title || 'Artifact'}>
      <header className="artifact-head">
        <Icon name={svg ? 'image' : block.runs ? 'play' : 'file'} />
        <span className="artifact-title">{block.title || block.name || 'Artifact'}</span>
        {block.detail && <span className="artifact-detail">{block.detail}</span>}
        <span className="artifact-gap" />
        {svg && (
          <Button small icon="image" pressed={picture} onClick={() => setPicture(!picture)}>
            Picture
          </Button>
        )}
        {block.runs && !svg && !running && (
          <Button small icon="play" onClick={() => setRunning(true)}>
            Run
          </Button>
        )}
        {running && (
          <Button small icon="stop" onClick={() => setRunning(false)}>
            Stop
          </Button>
        )}
      </header>
      {running ? (
        <Frame
          address={`${path`/artifact/${cid}/${id}/${block.number}`}?theme=${isDark() ? 'dark' : 'light'}`}
          title={block.title || 'Artifact'}
        />
      ) : picture ? (
        <Picture address={path`/img/${cid}/${id}/${block.number}`} title={block.title || 'Picture'} />
      ) : (
        <div
          className="artifact-source"
          tabIndex={0}
          role="region"
          aria-label={`Source of ${block.title || block.name || 'artifact'}`}
        >
          <SafeHtml className="tt-content" html={block.html} />
        </div>
      )}
    </section>
  )
}

function Picture({ address, title }: { address: string; title: string }): React.JSX.Element {
  return <img className="artifact-picture" src={useSigned(address)} alt={title} />
}

/** The frame has no origin of its own: it cannot access the page, its cookie, or the network. */
function Frame({ address, title }: { address: string; title: string }): React.JSX.Element {
  const frame = useRef<HTMLIFrameElement>(null)
  const source = useSigned(address)
  const [height, setHeight] = useState(FIRST_HEIGHT)
  const [problem, setProblem] = useState('')
  const [ready, setReady] = useState(false)
  useEffect(() => {
    const listen = (event: MessageEvent): void => {
      if (!frame.current || event.source !== frame.current.contentWindow) return
      const said = heard(event.data)
      if (said?.talktree === 'height') setHeight(said.value)
      else if (said?.talktree === 'error') setProblem(said.text)
      else if (said?.talktree === 'ready') setReady(true)
    }
    window.addEventListener('message', listen)
    return () => window.removeEventListener('message', listen)
  }, [])
  return (
    <>
      <iframe
        ref={frame}
        className="artifact-frame"
        title={`${title}, running`}
        sandbox="allow-scripts"
        referrerPolicy="no-referrer"
        src={source}
        style={{ height }}
        aria-busy={!ready}
      />
      {problem && (
        <p className="artifact-problem" role="status">
          <Icon name="error" /> {problem}
        </p>
      )}
    </>
  )
}
