// Copy buttons for code; added when the pointer comes near, so that scrolling is not slowed down.

/** Adds the buttons to the code of a row that has none yet. */
export function addCopyButtons(row: HTMLElement | null): void {
  for (const code of row?.querySelectorAll<HTMLElement>('.tt-content pre') ?? []) {
    const frame = code.closest<HTMLElement>('.tt-code, .tt-shell, .conv-code') ?? framed(code)
    if (frame.dataset['copy'] !== undefined) continue
    frame.dataset['copy'] = ''
    frame.classList.add('conv-code')
    const button = document.createElement('button')
    button.type = 'button'
    button.className = 'conv-copy'
    button.textContent = 'Copy'
    button.addEventListener('click', () => void copied(code, button))
    frame.append(button)
  }
}

function framed(code: HTMLElement): HTMLElement {
  const frame = document.createElement('div')
  code.replaceWith(frame)
  frame.append(code)
  return frame
}

async function copied(code: HTMLElement, button: HTMLButtonElement): Promise<void> {
  try {
    await navigator.clipboard.writeText(code.innerText)
    button.textContent = 'Copied'
  } catch {
    button.textContent = 'Not allowed'
  }
  setTimeout(() => (button.textContent = 'Copy'), 1500)
}
