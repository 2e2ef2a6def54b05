// Shown instead of a conversation that was forgotten, in this window or another one.

import { go } from '../../lib/router'
import { Button } from '../../ui/Button'
import { Empty } from '../../ui/Empty'

export function Forgotten() {
  return (
    <section className="conv-pane" aria-label="Conversation" role="status">
      <Empty
        icon="message"
        title="This conversation was forgotten"
        action={<Button onClick={() => go({})}>To the overview</Button>}
      >
        The library does not have it any more. Its file was not changed.
      </Empty>
    </section>
  )
}
