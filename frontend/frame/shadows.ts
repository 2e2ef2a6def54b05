/**
 * An HTML attribute can declare a closed shadow tree, which cannot be inspected. The server removes the attribute from
 * the page; this keeps it out of what the page writes into itself.
 */

const LOW = 'shadowrootmode'
const HIGH = 'SHADOWROOTMODE'
const { apply } = Reflect

/** Runs before any code of the artifact. */
export function keepDeclaredShadowsOut(): void {
  for (const owner of [Element.prototype, ShadowRoot.prototype, Document, Document.prototype]) {
    for (const name of Object.getOwnPropertyNames(owner))
      if (name.includes('HTMLUnsafe')) Reflect.deleteProperty(owner, name)
  }
  for (const name of ['write', 'writeln'] as const) {
    const write = Document.prototype[name]
    Document.prototype[name] = function (...texts: unknown[]): void {
      let text = ''
      for (let number = 0; number < texts.length; number++) text += `${texts[number] as string}`
      apply(write, this, [undeclared(text)])
    }
  }
}

/**
 * Returns the text with that attribute renamed; a partial match at the end is closed, because more text may follow.
 * Compares character by character, because an artifact can replace all search functions.
 */
export function undeclared(text: string): string {
  let made = ''
  let met = 0
  for (let at = 0; at < text.length; at++) {
    const sign = text[at]
    if (sign === LOW[met] || sign === HIGH[met]) met++
    else met = sign === LOW[0] || sign === HIGH[0] ? 1 : 0
    made += sign
    if (met < LOW.length) continue
    made += '-'
    met = 0
  }
  return met > 0 ? `${made} ` : made
}
