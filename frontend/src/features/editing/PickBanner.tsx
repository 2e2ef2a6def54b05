import { useKeys } from '../../ui/keys/use'
import { Button } from '../../ui/Button'
import { Icon } from '../../ui/Icon'
import { useLocal, useOpen } from '../../data/conversation/ConversationProvider'
import type { MoveMode } from '../../data/conversation/OpenConversation'
import { chooseTarget, stopMoving } from './moveMode'
import '../common/work.css'

/** Asks to choose a message, in move mode. */
export function PickBanner(): React.JSX.Element | null {
  const picking = useLocal((local) => local.moveMode)
  return picking && <Banner picking={picking} />
}

function Banner({ picking }: { picking: MoveMode }): React.JSX.Element {
  const open = useOpen()
  useKeys([{ keys: 'Escape', text: 'Choose nothing', group: 'Editing', run: () => stopMoving(open) }])
  const moving = picking.verb === 'move'
  return (
    <div className="work-banner" role="status">
      <Icon name={moving ? 'move' : 'swap'} />
      <span className="work-grow">
        {moving ? 'Choose the message it shall hang on.' : 'Choose the message to swap it with.'}
        <span className="work-soft"> Click a message, or go there and press Enter.</span>
      </span>
      {moving && <Button onClick={() => chooseTarget(open, null)}>Make it a beginning</Button>}
      <Button onClick={() => stopMoving(open)}>Cancel (Esc)</Button>
    </div>
  )
}
