/**
 * HTML can say by one word where a closed tree begins, into which nobody can look. The server takes
 * the word out of the page; here it is kept out of what the page writes into itself.
 */

const LOW = 'shadowrootmode'
const HIGH = 'SHADOWROOTMODE'
const { apply } = Reflect

/** Before anything of the artifact runs. */
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
 * The text with that word made another; a part of it at the end is closed off, as more may follow.
 * Sign by sign, as an artifact can replace whatever else a text could be searched with.
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
