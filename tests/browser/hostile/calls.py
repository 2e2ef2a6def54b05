"""Ways for a page to reach another machine by WebRTC through frames, though the page itself cannot.

A frame has its own window with everything that was removed from the outer one.
"""

# ruff: noqa: E501  (texts that cannot be broken)
from __future__ import annotations

from base64 import b64encode
from html import escape

CALL = "const c = new RTCPeerConnection({iceServers: [{urls: 'stun:%s'}]}); c.createDataChannel('x'); c.setLocalDescription()"
WAYS = {
    "directly": "<script>CALL</script>",
    "in a frame": "<iframe srcdoc=\"NESTED\"></iframe>",
    "in a frame in a frame": "<iframe srcdoc=\"TWICE\"></iframe>",
    "by script": "<script>document.body.append(FRAME())</script>",
    "in a closed tree": "<div id=d></div><script>d.attachShadow({mode: 'closed'}).append(FRAME())</script>",
    "in a tree that grows": "<div id=d></div><script>const r = d.attachShadow({mode: 'closed'}); setTimeout(() => r.append(FRAME()), 50)</script>",
    "in a copied tree": "<script>const d = document.createElement('div'); d.attachShadow({mode: 'closed', clonable: true}).append(FRAME()); document.body.append(d.cloneNode(true))</script>",
    "in a declared tree": "<div><template ShadowRootMode=closed><iframe srcdoc=\"NESTED\"></iframe></template></div>",
    "in a written tree": "<script>document.write('<div><template shadowrootmode=closed>', FRAME().outerHTML, '</template></div>')</script>",
    "in a tree written in parts": "<script>document.write('<div><template shadowroot'); document.write('mode=closed>' + FRAME().outerHTML + '</template></div>')</script>",
    "in a tree written into the page": "<script>document.write('<div><template shadowro')</script>otmode=closed><iframe srcdoc=\"NESTED\"></iframe></template></div>",
    "in a tree set as HTML": "<div id=d></div><script>d.setHTMLUnsafe('<div><template shadowrootmode=closed>' + FRAME().outerHTML + '</template></div>')</script>",
    "with everything replaced": """<script>
      const frame = FRAME()
      Document.prototype.querySelectorAll = DocumentFragment.prototype.querySelectorAll = document.querySelectorAll = () => []
      Element.prototype.remove = Node.prototype.removeChild = () => {}
      Object.defineProperty(NodeList.prototype, 'length', { value: 0 })
      NodeList.prototype[Symbol.iterator] = Array.prototype[Symbol.iterator] = function* () {}
      MutationObserver.prototype.takeRecords = MutationObserver.prototype.observe = () => {}
      Reflect.apply = Function.prototype.call = Function.prototype.apply = () => {}
      window.length = 0
      document.body.append(frame)
    </script>""",
    "with names in the way": "<form name=querySelectorAll></form><img name=length><iframe name=remove srcdoc=\"NESTED\"></iframe>",
}  # fmt: skip
"""Each is a separate page."""


def pages(udp: str) -> dict[str, str]:
    """Return all of them, calling this address."""
    call = CALL % udp
    nested = f"<script>{call}</script>"
    twice = f'<iframe srcdoc="{escape(nested)}"></iframe>'
    frame = (
        "function FRAME() { const f = document.createElement('iframe');"
        f" f.srcdoc = atob('{b64encode(nested.encode()).decode()}'); return f }}"
    )
    made = {"CALL": call, "NESTED": escape(nested), "TWICE": escape(twice)}
    lead = f"<!doctype html><body><script>{frame}</script>"
    found = {}
    for name, text in WAYS.items():
        for word, value in made.items():
            text = text.replace(word, value)
        found[name] = lead + text
    return found
