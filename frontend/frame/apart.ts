/** Takes away what no policy of the browser can refuse: calls to other machines by WebRTC. */

const CALLS = ['RTCPeerConnection', 'webkitRTCPeerConnection', 'RTCDataChannel', 'RTCIceTransport']

/** Before anything of the artifact runs. Frames within it have the same, so they go at once. */
export function keepApart(): void {
  for (const name of CALLS) Reflect.deleteProperty(window, name)
  new MutationObserver(removeFrames).observe(document, { childList: true, subtree: true })
}

function removeFrames(): void {
  if (window.length === 0) return
  for (const frame of document.querySelectorAll('iframe, frame, object, embed')) frame.remove()
}
