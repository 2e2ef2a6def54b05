// The fields of a query that the palette shows; all are in the documentation.

export interface Field {
  field: string
  example: string
  text: string
}

export const FIELDS: readonly Field[] = [
  { field: 'role:', example: 'role:user', text: 'who said it: user, assistant, system' },
  { field: 'tool:', example: 'tool:Bash', text: 'calls of a tool and their results' },
  { field: 'file:', example: 'file:main.py', text: 'what touched a file' },
  { field: 'branch:', example: 'branch:main', text: 'said on a git branch' },
  { field: 'before:', example: 'before:2w', text: 'before a day, a month, or so long ago' },
  { field: 'after:', example: 'after:2026-01', text: 'from then on' },
  { field: 'project:', example: 'project:web', text: 'in a project' },
  { field: 'tag:', example: 'tag:urgent', text: 'messages with a tag' },
  { field: 'author:', example: 'author:ada', text: 'who wrote it, by name' },
  { field: 'topic:', example: 'topic:physics', text: 'messages about a topic, where that is recorded' },
  { field: 'sentiment:', example: 'sentiment:negative', text: 'positive, neutral, negative' },
  { field: 'language:', example: 'language:en', text: 'the language that was detected' },
  { field: 'safe:', example: 'safe:false', text: 'the result of the safety check' },
  { field: 'is:', example: 'is:error', text: 'error, sidechain, abandoned, deleted' },
  { field: '"…"', example: '"connection reset"', text: 'these words as they stand' },
]
