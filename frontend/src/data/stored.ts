/** What the page keeps in the storage of the tab that may quote a conversation. */

export const DRAFT = 'talktree.draft.'

/** Removes it: before an encrypted library is shown, and when it is locked. */
export function forgetDrafts(): void {
  try {
    const names = Object.keys(sessionStorage).filter((name) => name.startsWith(DRAFT))
    for (const name of names) sessionStorage.removeItem(name)
  } catch {
    return // storage may be disabled; then it is empty
  }
}
