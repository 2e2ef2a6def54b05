// Remember or forget this browser: the command in the palette, in the menu and in the help.

import { useEffect } from 'react'
import { forgetBrowser, isRemembered, lookForBrowser, rememberBrowser } from '../data/api/browser'
import { asApiError } from '../data/api/client'
import { useStore } from '../lib/store'
import { useKeys } from '../ui/keys/use'
import { toast } from '../ui/Toast'

export interface BrowserCommand {
  text: string
  about: string
  run: () => void
}

/** Returns the available command for this browser; null while its state is unknown, or in a read-only studio. */
export function useBrowserCommand(readOnly: boolean): BrowserCommand | null {
  const remembered = useStore(isRemembered)
  useEffect(() => void lookForBrowser(), [])
  if (readOnly || remembered === null) return null
  return remembered
    ? {
        text: 'Forget this browser',
        about: 'This browser enters the studio without a link. Forget it, and it needs one again.',
        run: () => void act(forgetBrowser, 'This browser needs a link again.'),
      }
    : {
        text: 'Remember this browser',
        about:
          'From the next start on, this browser enters the studio without a link. ' +
          'Do not use this if others have accounts on this machine.',
        run: () => void act(rememberBrowser, 'This browser enters without a link from now on.'),
      }
}

export function BrowserKeys({ readOnly }: { readOnly: boolean }): null {
  const command = useBrowserCommand(readOnly)
  useKeys(command ? [{ text: command.text, group: 'Everywhere', run: command.run }] : [])
  return null
}

async function act(what: () => Promise<void>, done: string): Promise<void> {
  try {
    await what()
    toast(done, 'good')
  } catch (error) {
    toast(asApiError(error).message, 'error')
  }
}
