import { useState } from 'react'
import type { Choice } from './choices'

interface Props {
  choice: Choice
  onChange: (part: Partial<Choice>) => void
}

/** What is replaced besides secrets: personal data, and the user's own words. */
export function RedactionFields({ choice, onChange }: Props): React.JSX.Element {
  const [typed, setTyped] = useState(choice.words)
  return (
    <>
      <label className="work-check">
        <input
          type="checkbox"
          checked={choice.personal}
          onChange={(event) => onChange({ personal: event.target.checked })}
        />
        <span>
          Replace personal data{' '}
          <span className="work-soft">mail addresses, phone, card, bank and identity numbers, user names in paths</span>
        </span>
      </label>
      <label className="work-field">
        <span>Words to replace</span>
        <input
          type="text"
          value={typed}
          placeholder="Separated by commas"
          onChange={(event) => setTyped(event.target.value)}
          onBlur={() => typed !== choice.words && onChange({ words: typed })}
        />
      </label>
    </>
  )
}
