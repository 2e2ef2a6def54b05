// The filter as terms: `role:user`, `tool:Bash`. The same name twice means either, different names mean both.

/** Returns the terms in the form for the server. */
export function showOf(terms: readonly string[]): string {
  return terms.toSorted().map(encoded).join(',')
}

function encoded(term: string): string {
  return term.replaceAll('%', '%25').replaceAll(',', '%2C')
}

/** Adds the term, or removes it if it is there. */
export function toggled(terms: readonly string[], term: string): string[] {
  return terms.includes(term) ? terms.filter((each) => each !== term) : [...terms, term]
}

/** Returns a term in words. */
export function termWords(term: string): string {
  const [name = '', ...rest] = term.split(':')
  const value = rest.join(':')
  const words = CHOICES.flatMap((group) => group.terms).find((each) => each.term === term)
  return words ? words.text : `${name} ${value}`
}

interface Choice {
  term: string
  text: string
}

/** The choices that need no typing. */
export const CHOICES: readonly { name: string; terms: readonly Choice[] }[] = [
  {
    name: 'Who',
    terms: [
      { term: 'role:user', text: 'User' },
      { term: 'role:assistant', text: 'Assistant' },
      { term: 'role:tool', text: 'Tool' },
      { term: 'role:system', text: 'System' },
    ],
  },
  {
    name: 'With',
    terms: [
      { term: 'kind:text', text: 'Text' },
      { term: 'kind:thinking', text: 'Thinking' },
      { term: 'kind:call', text: 'Tool calls' },
      { term: 'kind:image', text: 'Images' },
      { term: 'kind:file', text: 'Files' },
      { term: 'kind:artifact', text: 'Artifacts' },
      { term: 'kind:todos', text: 'Tasks' },
      { term: 'kind:divider', text: 'Compactions' },
    ],
  },
  {
    name: 'State',
    terms: [
      { term: 'flag:failed', text: 'Failed' },
      { term: 'flag:deleted', text: 'Deleted' },
      { term: 'flag:aborted', text: 'Aborted' },
      { term: 'flag:sidechain', text: 'Sub-agent' },
    ],
  },
]
