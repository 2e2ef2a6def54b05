/**
 * Removes APIs that not every browser can be configured to block: connections to other machines by WebRTC.
 *
 * Frames inside the artifact have them again, so they are removed immediately: a mutation observer runs before a frame
 * has a document of its own.
 */

import { keepDeclaredShadowsOut } from './shadows'

const CALLS = ['RTCPeerConnection', 'webkitRTCPeerConnection', 'RTCDataChannel', 'RTCIceTransport']
const FRAMES = 'iframe, frame, object, embed, fencedframe'

// An artifact may replace every name that it can reach, so everything needed later is saved before it runs.
const { apply } = Reflect
const { remove, attachShadow } = Element.prototype
const inDocument = Document.prototype.querySelectorAll
const inShadow = DocumentFragment.prototype.querySelectorAll
const frameCount = Object.getOwnPropertyDescriptor(window, 'length')?.get
const { observe } = MutationObserver.prototype
const Observer = MutationObserver

/** Runs before any code of the artifact. */
export function keepApart(): void {
  for (const name of CALLS) Reflect.deleteProperty(window, name)
  keepDeclaredShadowsOut()
  Element.prototype.attachShadow = function (init: ShadowRootInit): ShadowRoot {
    // A clone of such a tree would not be observed.
    const root = apply(attachShadow, this, [{ ...init, clonable: false }])
    whenever(root, () => removeAll(apply(inShadow, root, [FRAMES])))
    return root
  }
  whenever(document, () => {
    if (frameCount && apply(frameCount, window, []) === 0) return
    removeAll(apply(inDocument, document, [FRAMES]))
  })
}

function whenever(tree: Node, changed: () => void): void {
  apply(observe, new Observer(changed), [tree, { childList: true, subtree: true }])
}

/** Uses only indexes: an artifact can replace the length and the iterator. */
function removeAll(frames: NodeListOf<Element>): void {
  for (let number = 0; frames[number]; number++) apply(remove, frames[number], [])
}
