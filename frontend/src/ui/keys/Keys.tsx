// Keys, drawn as keys.

import { words } from './match'
import './keys.css'

export function Keys({ keys }: { keys: string }) {
  return (
    <span className="keys">
      {words(keys).map((stroke, at) => (
        <span className="keys-stroke" key={at}>
          {stroke.map((part) => (
            <kbd key={part}>{part}</kbd>
          ))}
        </span>
      ))}
    </span>
  )
}
