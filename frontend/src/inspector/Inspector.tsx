import { Empty } from '../shell/Empty'
import { Tabs, type Tab } from '../shell/Tabs'
import { setInspectorTab, usePanes } from '../shell/panes'
import { useCurrent } from '../shell/current'
import SessionPanel from '../session/SessionPanel'
import { FilesTab } from './FilesTab'
import { HistoryTab } from './HistoryTab'
import { ProblemsTab } from './ProblemsTab'
import { RawTab } from './RawTab'
import { TodosTab } from './TodosTab'
import { UsageTab } from './UsageTab'
import './inspector.css'

const TABS: readonly Tab[] = [
  { key: 'files', text: 'Files' },
  { key: 'todos', text: 'Todos' },
  { key: 'usage', text: 'Usage' },
  { key: 'raw', text: 'Raw' },
  { key: 'problems', text: 'Problems' },
  { key: 'history', text: 'History' },
]

const PANELS: Record<string, () => React.JSX.Element> = {
  files: FilesTab,
  todos: TodosTab,
  usage: UsageTab,
  raw: RawTab,
  problems: ProblemsTab,
  history: HistoryTab,
  session: SessionPanel,
}

/** Everything beside the words: files, tasks, what it cost, what is wrong, what was done. */
export default function Inspector(): React.JSX.Element {
  const { cid, conversation } = useCurrent()
  const { inspectorTab: wanted } = usePanes()
  if (!cid || !conversation) return <Empty title="Nothing is open" />
  const { findings } = conversation
  const wrong = findings ? findings.errors + findings.warnings : 0
  const tabs = TABS.map((tab) => (tab.key === 'problems' ? { ...tab, count: wrong } : tab))
  if (conversation.can.session) tabs.push({ key: 'session', text: 'Session' })
  const active = tabs.some((tab) => tab.key === wanted) ? wanted : 'files'
  const Panel = PANELS[active] ?? FilesTab
  return (
    <Tabs className="inspector" label="Inspector" tabs={tabs} active={active} onChange={setInspectorTab}>
      <Panel key={`${cid} ${active}`} />
    </Tabs>
  )
}
