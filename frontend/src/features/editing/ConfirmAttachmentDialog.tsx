import { DialogBody } from '../../ui/overlay/DialogBody'
import { Button } from '../../ui/Button'

interface Props {
  name: string
  warnings: readonly string[]
  onCancel: () => void
  onAttach: () => void
}

/** Shows why a file is suspicious, and offers to attach it anyway. */
export function ConfirmAttachmentDialog({ name, warnings, onCancel, onAttach }: Props): React.JSX.Element {
  const footer = (
    <>
      <Button onClick={onCancel}>Cancel</Button>
      <Button kind="primary" onClick={onAttach}>
        Attach anyway
      </Button>
    </>
  )
  return (
    <DialogBody footer={footer}>
      <p>{name} is suspicious:</p>
      <ul>
        {warnings.map((warning) => (
          <li key={warning}>{warning}</li>
        ))}
      </ul>
      <p>Attach it only if you know where it comes from.</p>
    </DialogBody>
  )
}
