/**
 * Takes away what not every browser can be told to refuse: calls to other machines by WebRTC.
 *
 * A frame inside the artifact has them again, so frames go at once: what observes changes is told
 * before any frame has a document of its own.
 */

import { keepDeclaredShadowsOut } from './shadows'

const CALLS = ['RTCPeerConnection', 'webkitRTCPeerConnection', 'RTCDataChannel', 'RTCIceTransport']
const FRAMES = 'iframe, frame, object, embed, fencedframe'

// An artifact may replace every name that it can reach; what is needed while it runs is taken before.
const { apply } = Reflect
const { remove, attachShadow } = Element.prototype
const inDocument = Document.prototype.querySelectorAll
const inShadow = DocumentFragment.prototype.querySelectorAll
const frameCount = Object.getOwnPropertyDescriptor(window, 'length')?.get
const { observe } = MutationObserver.prototype
const Observer = MutationObserver

/** Before anything of the artifact runs. */
export function keepApart(): void {
  for (const name of CALLS) Reflect.deleteProperty(window, name)
  keepDeclaredShadowsOut()
  Element.prototype.attachShadow = function (init: ShadowRootInit): ShadowRoot {
    // A copy of such a tree would be one that nobody observes.
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

/** By index only: how many there are, and how one goes through them, an artifact can replace. */
function removeAll(frames: NodeListOf<Element>): void {
  for (let number = 0; frames[number]; number++) apply(remove, frames[number], [])
}
