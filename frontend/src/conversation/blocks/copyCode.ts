// A button on each piece of code to copy it; made when the reader comes near, so that scrolling costs nothing.

/** Adds the buttons to the code of a row that has none yet. */
export function addCopyButtons(row: HTMLElement | null): void {
  for (const code of row?.querySelectorAll<HTMLElement>('.tt-content pre') ?? []) {
    if (code.dataset['copy'] !== undefined || code.closest('.conv-code')) continue
    code.dataset['copy'] = ''
    const button = document.createElement('button')
    button.type = 'button'
    button.className = 'conv-copy'
    button.textContent = 'Copy'
    button.addEventListener('click', () => void copied(code, button))
    const frame = document.createElement('div')
    frame.className = 'conv-code'
    code.replaceWith(frame)
    frame.append(code, button)
  }
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
