// The fields of a query.

import { FIELDS } from './fields'
import './fields.css'

/** With `onPick` the fields can be chosen. */
export function FieldHelp({ onPick }: { onPick?: (field: string) => void }) {
  return (
    <dl className="fields">
      {FIELDS.map(({ field, example, text }) => (
        <div key={field} className="fields-line">
          <dt>
            {onPick ? (
              <button type="button" className="fields-pick" onClick={() => onPick(field.startsWith('"') ? '"' : field)}>
                <code>{example}</code>
              </button>
            ) : (
              <code>{example}</code>
            )}
          </dt>
          <dd>{text}</dd>
        </div>
      ))}
    </dl>
  )
}
