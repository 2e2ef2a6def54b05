import { useKeys } from '../keys/use'
import { Button } from '../shell/Button'
import { Icon } from '../shell/Icon'
import { pick, stopPicking, usePicking, type Picking } from './picking'
import './work.css'

/** Says that a message is to be chosen, while one is. */
export function PickBanner(): React.JSX.Element | null {
  const picking = usePicking()
  return picking && <Banner picking={picking} />
}

function Banner({ picking }: { picking: Picking }): React.JSX.Element {
  useKeys([{ keys: 'Escape', text: 'Choose nothing', group: 'Editing', run: stopPicking }])
  const moving = picking.verb === 'move'
  return (
    <div className="work-banner" role="status">
      <Icon name={moving ? 'move' : 'swap'} />
      <span className="work-grow">
        {moving ? 'Choose the message it shall hang on.' : 'Choose the message to swap it with.'}
        <span className="work-soft"> Click a message, or go there and press Enter.</span>
      </span>
      {moving && <Button onClick={() => pick(null)}>Make it a beginning</Button>}
      <Button onClick={stopPicking}>Cancel (Esc)</Button>
    </div>
  )
}
