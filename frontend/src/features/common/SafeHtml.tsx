// The one place where HTML becomes elements. The server has already sanitized it; it is sanitized again, so that a bug
// there has no effect here.

import DOMPurify, { type Config } from 'dompurify'
import { memo, useCallback, type Ref } from 'react'
import { sign } from '../../data/api/key'
import './safe-html.css'

interface Props {
  html: string
  className?: string
  inline?: boolean
  ref?: Ref<HTMLDivElement>
}

export const SafeHtml = memo(function SafeHtml({ html, className, inline, ref }: Props) {
  const content = { __html: safe(html) }
  const attach = useCallback(
    (box: HTMLDivElement | null) => {
      if (box) loadImages(box)
      if (typeof ref === 'function') return ref(box)
      if (ref) ref.current = box
      return undefined
    },
    // oxlint-disable-next-line react/exhaustive-deps -- the elements are new when the HTML is
    [ref, html],
  )
  if (inline) return <span className={className} dangerouslySetInnerHTML={content} />
  return <div ref={attach} className={className} dangerouslySetInnerHTML={content} />
})

const LINKS = /^(?:https?|mailto):/i
const SERVED_IMAGES = /^\/(?:img|api\/v1\/c)\//i
const INLINE_IMAGES = /^(?:blob:|data:image\/(?:png|jpeg|gif|webp|avif);base64,)/i
/** The attribute with the address of an image that needs a ticket. */
const UNSIGNED = 'data-unsigned'
const OPTIONS: Config = {
  FORBID_TAGS: [
    'style',
    'form',
    'textarea',
    'select',
    'option',
    'iframe',
    'object',
    'embed',
    'link',
    'meta',
    'base',
    'svg',
    'math',
    'video',
    'audio',
    'source',
    'picture',
    'template',
    'dialog',
  ],
  FORBID_ATTR: [
    'style',
    'id',
    'name',
    'srcset',
    'formaction',
    'action',
    'background',
    'poster',
    'ping',
    'popover',
    'popovertarget',
    'commandfor',
    'command',
    'autofocus',
  ],
  ALLOW_ARIA_ATTR: true,
  RETURN_TRUSTED_TYPE: true,
}

const purifier = DOMPurify(window)
purifier.addHook('afterSanitizeAttributes', (node) => {
  if (node instanceof HTMLAnchorElement) mendLink(node)
  else if (node instanceof HTMLImageElement) mendImage(node)
  else if (node instanceof HTMLInputElement) mendInput(node)
  else if (node instanceof HTMLButtonElement) node.type = 'button'
  mendClasses(node)
})

// Line numbers are in columns made of spaces, which would be trimmed otherwise.
purifier.addHook('uponSanitizeAttribute', (_node, attribute) => {
  if (attribute.attrName === 'data-line' && /^[\d\s]*$/.test(attribute.attrValue)) attribute.forceKeepAttr = true
})

/** Links open a new tab without access to this one, and only to the web or to a mail program. */
function mendLink(link: HTMLAnchorElement): void {
  const href = link.getAttribute('href')
  if (href === null || !LINKS.test(href.trim())) {
    link.removeAttribute('href')
    return
  }
  link.target = '_blank'
  link.rel = 'noopener noreferrer nofollow'
  link.title = href
}

/** Nothing is loaded from elsewhere: images that are not the studio's are shown as their address. */
function mendImage(image: HTMLImageElement): void {
  const source = image.getAttribute('src') ?? ''
  image.removeAttribute(UNSIGNED)
  if (SERVED_IMAGES.test(source)) {
    image.setAttribute(UNSIGNED, source)
    image.removeAttribute('src')
  }
  if (SERVED_IMAGES.test(source) || INLINE_IMAGES.test(source)) {
    image.loading = 'lazy'
    image.decoding = 'async'
    return
  }
  const placeholder = document.createElement('span')
  placeholder.className = 'tt-remote'
  placeholder.textContent = [image.alt, source].filter(Boolean).join(' · ') || 'Image'
  image.replaceWith(placeholder)
}

/** Adds tickets to the studio's images, which the server requires. */
function loadImages(box: HTMLElement): void {
  for (const image of box.querySelectorAll<HTMLImageElement>(`img[${UNSIGNED}]`)) {
    void sign(image.getAttribute(UNSIGNED) ?? '').then((signed) => (image.src = signed))
  }
}

/** Boxes of task lists are shown; all other inputs are disabled. */
function mendInput(input: HTMLInputElement): void {
  if (input.type === 'checkbox') input.disabled = true
  else input.remove()
}

/** Content cannot use the classes of the page itself. */
function mendClasses(node: Element): void {
  const classes = node.getAttribute('class')
  if (classes === null) return
  const ours = classes.split(/\s+/).filter((name) => name.startsWith('tt-'))
  if (ours.length > 0) node.setAttribute('class', ours.join(' '))
  else node.removeAttribute('class')
}

const KEPT = 400
const made = new Map<string, string>()

/** Returns HTML that is safe to set; a TrustedHTML where the browser requires it. */
export function safe(html: string): string {
  const known = made.get(html)
  if (known !== undefined) return known
  // The type says string: React passes it on unchanged, and the browser checks it.
  const clean = purifier.sanitize(html, OPTIONS) as unknown as string
  made.set(html, clean)
  if (made.size > KEPT) made.delete(made.keys().next().value as string)
  return clean
}
