import type { StudioInfo, Share } from '../../data/api/types'
import { many } from '../../lib/amounts'
import { useConversation } from '../../data/conversation/ConversationProvider'
import { DETAILS, hiddenWords, IMAGES, targets, type Choice, type Scope } from './choices'

/** Which part to share. */
export function ScopeField({
  value,
  ids,
  onChange,
}: {
  value: Scope
  ids: readonly string[]
  onChange: (scope: Scope) => void
}): React.JSX.Element {
  const { conversation } = useConversation()
  const options: [Scope, string, boolean][] = [
    ['branch', 'This branch', true],
    ['selection', ids.length ? `${many(ids.length, 'message')} chosen` : 'Chosen messages', ids.length > 0],
    ['everything', `Everything, ${many(conversation?.branches_total ?? 1, 'branch', 'branches')}`, true],
  ]
  return (
    <fieldset className="work-options">
      <legend>What</legend>
      {options
        .filter(([, , there]) => there)
        .map(([scope, text]) => (
          <label key={scope} className="work-option">
            <input type="radio" name="scope" checked={value === scope} onChange={() => onChange(scope)} />
            <span>{text}</span>
          </label>
        ))}
    </fieldset>
  )
}

interface FormatProps {
  choice: Choice
  about: StudioInfo | undefined
  onChange: (part: Partial<Choice>) => void
}

/** The format, images and colours. */
export function FormatFields({ choice, about, onChange }: FormatProps): React.JSX.Element {
  const all = targets(about)
  const groups = [...new Set(all.map((target) => target.group))]
  return (
    <>
      <label className="work-field">
        <span>As</span>
        <select data-autofocus value={choice.to} onChange={(event) => onChange({ to: event.target.value })}>
          {groups.map((group) => (
            <optgroup key={group} label={group}>
              {all
                .filter((target) => target.group === group)
                .map((target) => (
                  <option key={target.value} value={target.value}>
                    {target.text}
                  </option>
                ))}
            </optgroup>
          ))}
        </select>
      </label>
      <label className="work-field">
        <span>Images</span>
        <select value={choice.images} onChange={(event) => onChange({ images: event.target.value as Share['images'] })}>
          {IMAGES.map(([value, text]) => (
            <option key={value} value={value}>
              {text}
            </option>
          ))}
        </select>
      </label>
      {choice.to === 'html' && (
        <label className="work-field">
          <span>Colours</span>
          <select value={choice.theme} onChange={(event) => onChange({ theme: event.target.value as Share['theme'] })}>
            <option value="system">as the reader has them</option>
            <option value="light">light</option>
            <option value="dark">dark</option>
          </select>
        </label>
      )}
    </>
  )
}

/** The detail of tools and thinking. */
export function DetailField({
  value,
  onChange,
}: {
  value: Share['detail']
  onChange: (detail: Share['detail']) => void
}): React.JSX.Element {
  return (
    <fieldset className="work-options">
      <legend>How much</legend>
      {DETAILS.map(([detail, text]) => (
        <label key={detail} className="work-option">
          <input type="radio" name="detail" checked={value === detail} onChange={() => onChange(detail)} />
          <span>
            <strong>{detail}</strong> <span className="work-soft">{text}</span>
          </span>
        </label>
      ))}
    </fieldset>
  )
}

/** Whether deleted and hidden items are shared, too, and how many there are. */
export function DeletedField({
  hidden,
  value,
  onChange,
}: {
  hidden: Readonly<Record<string, number>>
  value: boolean
  onChange: (value: boolean) => void
}): React.JSX.Element | null {
  const words = hiddenWords(hidden)
  if (!words) return null
  return (
    <label className="work-check">
      <input type="checkbox" checked={value} onChange={(event) => onChange(event.target.checked)} />
      <span>
        Include deleted messages{' '}
        <span className="work-soft" role="status">
          {words} {value ? 'in the file' : 'left out'}
        </span>
      </span>
    </label>
  )
}
