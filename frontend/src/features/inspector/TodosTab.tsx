import { path } from '../../data/api/client'
import type { TodoItem, Todos } from '../../data/api/types'
import { useGet } from '../../data/api/use'
import { Empty } from '../../ui/Empty'
import { useConversation, useOpen } from '../../data/conversation/ConversationProvider'
import { many } from '../../lib/amounts'
import { Answered } from '../common/Answered'
import { goTo } from './places'
import { TodoChart } from './TodoChart'
import { usePlace } from './usePlace'
import './todos.css'

const SIGN: Record<string, string> = { completed: '✓', in_progress: '◐', cancelled: '×' }
const SAID: Record<string, string> = {
  completed: 'done',
  in_progress: 'being done',
  cancelled: 'cancelled',
  pending: 'to do',
}

/** The tasks at the selected message, and their history. */
export function TodosTab(): React.JSX.Element {
  const { cid, leaf, selected } = useConversation()
  const got = useGet<Todos>(cid && path`/c/${cid}/todos`, { leaf, at: selected }, { keep: true })
  return <Answered got={got}>{(todos) => <Known todos={todos} />}</Answered>
}

function Known({ todos }: { todos: Todos }): React.JSX.Element {
  const open = useOpen()
  const { items, steps } = todos
  const { selected } = useConversation()
  const row = usePlace()?.number
  if (steps.length === 0 && items.length === 0) return <Empty icon="todos" title="No task list on this branch" />
  const last = steps[steps.length - 1]
  return (
    <section aria-label="Tasks" className="todos">
      {last && <Bar label="Now" done={last.done} total={last.total} />}
      {steps.length > 1 && <TodoChart steps={steps} row={row ?? null} onGo={(message) => void goTo(open, message)} />}
      <h2 className="inspector-heading">{selected ? 'At the selected message' : 'At the end'}</h2>
      {items.length === 0 ? (
        <p className="inspector-note">There was no list yet.</p>
      ) : (
        <>
          {selected && (
            <Bar label="Here" done={items.filter((item) => item.status === 'completed').length} total={items.length} />
          )}
          <ul className="todos-list">
            {items.map((item, number) => (
              <Item key={number} item={item} />
            ))}
          </ul>
        </>
      )}
    </section>
  )
}

function Item({ item }: { item: TodoItem }): React.JSX.Element {
  const doing = item.status === 'in_progress'
  return (
    <li className={`todos-item todos-${item.status.replace(/[^a-z_]/g, '')}`}>
      <span className="todos-sign" role="img" aria-label={SAID[item.status] ?? item.status}>
        {SIGN[item.status] ?? '○'}
      </span>
      <span className="todos-text">
        {item.content}
        {doing && item.active && item.active !== item.content && <span className="todos-active">{item.active}</span>}
      </span>
    </li>
  )
}

function Bar({ label, done, total }: { label: string; done: number; total: number }): React.JSX.Element {
  return (
    <div className="todos-bar">
      <span>{label}</span>
      <progress max={Math.max(1, total)} value={done} aria-label={`${label}: ${done} of ${many(total, 'task')} done`} />
      <span className="todos-count">
        {done} of {total}
      </span>
    </div>
  )
}
