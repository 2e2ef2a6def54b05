import { Empty } from '../../ui/Empty'
import { Tabs, type Tab } from '../../ui/Tabs'
import { setInspectorTab, useInspectorTab } from '../../ui/panes'
import { useConversation } from '../../data/conversation/ConversationProvider'
import SessionPanel from './restore/SessionPanel'
import { FilesTab } from './FilesTab'
import { HistoryTab } from './HistoryTab'
import { ProblemsTab } from './ProblemsTab'
import { RawTab } from './RawTab'
import { TodosTab } from './TodosTab'
import { UsageTab } from './UsageTab'
import './inspector.css'

const TABS: readonly Tab[] = [
  { key: 'files', text: 'Files', narrowIcon: 'files' },
  { key: 'todos', text: 'Todos', narrowIcon: 'todos' },
  { key: 'usage', text: 'Usage', narrowIcon: 'usage' },
  { key: 'raw', text: 'Raw', narrowIcon: 'raw' },
  { key: 'problems', text: 'Problems', narrowIcon: 'warning' },
  { key: 'history', text: 'History', narrowIcon: 'history' },
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

/** The inspector: files, tasks, usage, problems, edits, and the source. */
export default function Inspector(): React.JSX.Element {
  const { cid, conversation } = useConversation()
  const wanted = useInspectorTab()
  if (!cid || !conversation) return <Empty title="Nothing is open" />
  const { findings } = conversation
  const wrong = findings ? findings.errors + findings.warnings : 0
  const tabs = TABS.map((tab) => (tab.key === 'problems' ? { ...tab, count: wrong } : tab))
  if (conversation.can.session) tabs.push({ key: 'session', text: 'Session', narrowIcon: 'restore' })
  const active = tabs.some((tab) => tab.key === wanted) ? wanted : 'files'
  const Panel = PANELS[active] ?? FilesTab
  return (
    <Tabs className="inspector" label="Inspector" tabs={tabs} active={active} onChange={setInspectorTab}>
      <Panel key={`${cid} ${active}`} />
    </Tabs>
  )
}
