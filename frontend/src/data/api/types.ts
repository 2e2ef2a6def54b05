// Written by `make docs` from the server's shapes; changes here are lost.
/* eslint-disable */

// The output of the renderer: pieces of a message, ready to be shown.

/** A short fact about a message. */
export interface Chip {
  /** model, author, tag, cwd, git, version, agent, hash, device ... */
  name: string;
  text: string;
  tone: "bad" | "good" | "plain";
}

/** A piece of a message, ready to be shown. */
export interface MessageBlock {
  kind: "artifact" | "call" | "chip" | "divider" | "file" | "image" | "result" | "text" | "thinking" | "todos" | "unknown";
  /** Safe HTML; for a folded block, its content. */
  html: string;
  /** Plain text: the line that is always visible. */
  title: string;
  /** Plain text, dimmed, after the title. */
  detail: string;
  /** The tool of a call, or the name of a file. */
  name: string;
  outcome: "" | "failed" | "ok" | "waiting";
  /** Whether it is unfolded by default. */
  open: boolean;
  /** Number of characters left out; the message on its own page has all of them. */
  cut: number;
  /** The number of the part, for images, files and artifacts. */
  number: number;
  media_type: string;
  size: number | null;
  /** The address of external content; it is never loaded automatically. */
  remote: string;
  /** For a call that started a sub-agent: the last message of its conversation. */
  leaf: string;
  /** For an artifact: whether it can be run in the sandbox. */
  runs: boolean;
}

// The studio itself, the login, and long-running jobs.

/** The token from the address, to be exchanged for a cookie and the page key. A remembered browser sends its id and a signed challenge instead. */
export interface Login {
  token?: string;
  browser?: string;
  nonce?: string;
  proof?: string;
}

/** What a remembered browser signs; valid once, for a minute. */
export interface Challenge {
  nonce: string;
}

/** The public key of a browser: a point of the curve P-256, base64url. */
export interface RememberBrowser {
  public_key: string;
  /** A label by which the user recognises the browser. */
  label?: string;
}

/** The name that the browser sends at its next login. */
export interface BrowserName {
  browser: string;
}

/** What the page needs besides the cookie, because other ports of this host receive the cookie too. */
export interface LoginResult {
  /** Sent as `X-Talktree-Key` with every request, and used to sign addresses. */
  key: string;
}

/** What opens an encrypted library: its passphrase, or the text of an age identity file. */
export interface Unlock {
  passphrase?: string;
  identity?: string;
}

/** Whether the library is encrypted, whether it is locked, and what unlocks it. */
export interface LockState {
  encrypted: boolean;
  locked: boolean;
  /** Whether a passphrase unlocks it. */
  passphrase: boolean;
  /** Whether an age identity unlocks it. */
  identity: boolean;
  /** Seconds until the next attempt is possible. */
  wait: number;
  /** How many jobs still hold the key and are about to end. */
  ending: number;
}

/** A format that can be read, and maybe written. */
export interface FormatSummary {
  slug: string;
  title: string;
  folder: boolean;
  writes: boolean;
  /** Other names for it. */
  aliases: string[];
  /** The program that writes its files. */
  origin: string;
}

/** How much the library holds. */
export interface LibraryInfo {
  conversations: number;
  bytes: number;
  /** Its size on disk in bytes. */
  stored: number;
  places: string[];
  /** How many files were not imported, or only in part; `GET /failures` lists them. */
  failures: number;
  /** Milliseconds since 1970, like all times of the API. */
  last_import: number | null;
}

/** What the page needs before anything else. */
export interface StudioInfo {
  version: string;
  read_only: boolean;
  /** Whether the library is encrypted, so that it can be locked. */
  encrypted: boolean;
  /** The paths named at the start; empty if the whole library is served. */
  given: string[];
  formats: FormatSummary[];
  library: LibraryInfo;
  /** Why the configured retention rules are not applied, if there are any. */
  retention: string | null;
  /** The import that is still running. */
  job: string | null;
}

/** What went wrong, for the user. */
export interface ErrorDetails {
  kind: string;
  message: string;
  hint: string | null;
  exit_code: number;
  /** The current stamp, if the request was based on another one. */
  stamp: string | null;
}

/** The body of every error. */
export interface ErrorBody {
  error: ErrorDetails;
}

/** A running or finished job. */
export interface JobState {
  id: string;
  kind: "convert" | "import" | "share" | "upload";
  state: "cancelled" | "done" | "failed" | "running";
  done: number;
  /** The total for `done`; None while it is unknown. */
  total: number | null;
  /** What it is doing. */
  text: string;
  /** The name of the file it made; `GET /jobs/{job}/file` returns it. */
  file: string | null;
  size: number | null;
  /** The conversation it made. */
  cid: string | null;
  error: ErrorDetails | null;
}

// Conversations in lists and search results, and uploaded files.

/** A conversation in the list. */
export interface Card {
  cid: string;
  id: string;
  title: string;
  format: string;
  project: string | null;
  git_branch: string | null;
  path: string;
  first: number | null;
  last: number | null;
  messages: number;
  branches: number;
  sidechains: number;
  errors: number;
  /** Size of the source with all its conversations, in bytes. */
  size: number;
  /** How many conversations the source holds. */
  several: number;
  /** `damaged` if a part of the source cannot be read, `unreadable` if nothing can. */
  state: "damaged" | "gone" | "here" | "unreadable";
  trouble: string | null;
  /** Whether it grew recently. */
  live: boolean;
  /** Whether it has unsaved edits. */
  edited: boolean;
  /** When its own program will delete it. */
  kept_until: number | null;
}

/** A value to filter by, and how many conversations have it. */
export interface Count {
  name: string;
  count: number;
}

/** A range of the list. */
export interface CardList {
  total: number;
  cards: Card[];
  formats: Count[];
  projects: Count[];
}

/** A file that was not imported, or only in part, and why. */
export interface FailedSource {
  path: string;
  state: "damaged" | "unreadable" | "unrecognized";
  reason: string;
}

/** Files that are not in the library, or only in part. */
export interface Failures {
  total: number;
  sources: FailedSource[];
}

/** A span of text, marked or unmarked. */
export interface MarkedText {
  text: string;
  mark: boolean;
}

/** A match of a search. */
export interface SearchHit {
  cid: string;
  message: string | null;
  title: string;
  format: string;
  project: string | null;
  role: string;
  kind: string;
  time: number | null;
  /** `current`, `abandoned`, `compacted` or `deleted`. */
  state: string;
  excerpt: MarkedText[];
}

/** A range of the search results. */
export interface SearchResults {
  total: number;
  exact: boolean;
  hits: SearchHit[];
}

/** What to import: all places so far, or also the known ones of this machine. */
export interface ImportPlaces {
  known?: boolean;
}

/** The findings in an uploaded file. */
export interface UploadedFindings {
  errors: number;
  warnings: number;
  notes: number;
  examples: string[];
}

/** An uploaded file, before anything of it is kept. */
export interface Upload {
  upload: string;
  name: string;
  size: number;
  format: string | null;
  confidence: number;
  reason: string;
  conversations: number;
  messages: number;
  findings: UploadedFindings | null;
  /** For an attachment: why it is suspicious; attaching it must be confirmed then. */
  warnings: string[];
}

/** Keep the upload, as it is or converted. */
export interface KeepUpload {
  to?: string | null;
}

// A conversation and its messages, as shown.

/** A branch by its last message. */
export interface BranchInfo {
  leaf: string;
  fork: string | null;
  kind: "active" | "fork" | "root" | "sidechain";
  messages: number;
  /** The name a user gave it. */
  name: string | null;
  /** The first words that belong only to this branch, in one line. */
  label: string;
  last: number | null;
}

/** What may be done with this conversation. */
export interface AllowedActions {
  edit: boolean;
  attach: boolean;
  /** Whether messages can be marked as deleted, and restored. */
  delete: boolean;
  /** The roles a message can be changed to. */
  roles: string[];
  save: boolean;
  /** Whether its files can be undone, redone and restored. */
  session: boolean;
  why_not: string | null;
}

/** Number of findings by severity. */
export interface Severities {
  errors: number;
  warnings: number;
  notes: number;
}

/** Tokens that were spent. */
export interface TokenUsage {
  input: number;
  output: number;
  cache_read: number;
  cache_write: number;
}

/** A conversation without its messages. */
export interface ConversationDetails {
  cid: string;
  id: string;
  title: string;
  format: string;
  path: string;
  size: number;
  stamp: string;
  /** The current branch, by its last message. */
  leaf: string | null;
  /** Number of rows of the current branch. */
  rows: number;
  messages: number;
  /** The current branch first; at most 500. */
  branches: BranchInfo[];
  /** Without sidechains. */
  branches_total: number;
  sidechains_total: number;
  first: number | null;
  last: number | null;
  tokens: TokenUsage;
  /** Findings of all rules; None for a large source that was not checked yet. */
  findings: Severities | null;
  /** Number of links that were inferred to show it; they are not in the file. */
  repaired: number;
  live: boolean;
  edited: boolean;
  /** The number of the last entry in the log of edits, undos, redos and saves; it only increases. */
  log: number;
  can: AllowedActions;
  /** The cids of all conversations of the same source, if there are several. */
  siblings_in_source: string[];
}

/** Siblings: messages with the same parent. */
export interface SiblingMessages {
  /** The index of this one, from 0. */
  number: number;
  /** For each, the last message of its branch; at most 100. */
  leaves: string[];
  total: number;
}

/** A sub-agent's conversation that starts here. */
export interface SidechainLink {
  leaf: string;
  messages: number;
  label: string;
}

/** How many tasks are done. */
export interface TodoCounts {
  done: number;
  total: number;
}

/** A message in the list. */
export interface Row {
  number: number;
  id: string;
  parent: string | null;
  role: string;
  speaker: string;
  time: number | null;
  kind: "divider" | "message" | "note";
  flags: string[];
  chips: Chip[];
  blocks: MessageBlock[];
  siblings: SiblingMessages | null;
  sides: SidechainLink[];
  tokens: TokenUsage | null;
  /** Duration of a reply: recorded, or since the request before it if that is below an hour. */
  seconds: number | null;
  todos: TodoCounts | null;
  /** Number of files that changed with it. */
  files: number;
  /** Codes of its findings. */
  findings: string[];
  /** Whether its parent was inferred. */
  inferred: boolean;
  edited: "" | "changed" | "new";
  /** Its text verbatim, if it can be edited; cut like the blocks. */
  text: string;
}

/** A range of a branch. */
export interface RowRange {
  stamp: string;
  leaf: string;
  total: number;
  start: number;
  rows: Row[];
}

/** The end of the current branch. Row numbers count from the end: -1 is the last. */
export interface BranchTail {
  title: string;
  format: string;
  rows: Row[];
  stamp: string | null;
}

/** The place of a message. */
export interface MessagePlace {
  leaf: string;
  number: number;
  /** The id of the row: a result is shown with its call. */
  id: string;
}

/** Rows that contain a text. */
export interface FoundRows {
  total: number;
  /** At most 1,000. */
  numbers: number[];
  complete: boolean;
  /** The row from which to continue if it is not complete. */
  next: number;
}

/** A message as it is in its source. */
export interface Raw {
  path: string;
  line: number | null;
  size: number;
  /** Highlighted; cut if it is large. */
  html: string;
  text: string;
  cut: number;
  /** The ids of all records that are shown in the same row, including its own. */
  beside: string[];
}

/** A conversation is in another state. */
export interface ConversationChanged {
  stamp: string;
  /** Its file grew or was replaced, or it was edited, saved or forgotten, in any window. */
  cause: "edit" | "file" | "forgotten" | "save";
  /** Whether there are edits that are not saved. */
  edited: boolean;
  /** As in `ConversationDetails`: ignore an event with a smaller number than the one shown. */
  log: number;
  leaf: string | null;
  /** Whether another branch is the current one now and the previous one still exists. */
  forked: boolean;
  rows: number;
  messages: number;
  size: number;
  last: number | null;
}

/** A finding. */
export interface FindingShape {
  code: string;
  name: string;
  severity: "error" | "note" | "warning";
  message: string;
  entry: string | null;
  path: string;
  line: number | null;
  fix: "safe" | "unsafe" | null;
  url: string;
}

/** A range of the findings. */
export interface Findings {
  stamp: string;
  counts: Severities;
  total: number;
  findings: FindingShape[];
  reachable: number;
  messages: number;
  /** How many have a safe fix. */
  fixable: number;
}

// The tree with its linear runs folded, and the comparison of two branches.

/** Messages in a line, from the first to a fork or the end. */
export interface Segment {
  first: string;
  last: string;
  /** The `first` of its parent segment. */
  parent: string | null;
  /** The message in the parent segment after which it branches off. */
  at: string | null;
  kind: "fork" | "line" | "problem" | "sidechain";
  messages: number;
  /** The last message of the line that continues from here. */
  leaf: string;
  /** Whether it is on the current branch. */
  current: boolean;
  label: string;
  /** One letter for each message, at most 200, evenly sampled if there are more: u(ser) a(ssistant) t(ool) s(ystem) o(ther), in capitals where it is deleted or aborted. */
  roles: string;
  start: number | null;
  end: number | null;
  compactions: number;
}

/** All segments in the order in which they begin; at most 5,000. */
export interface Graph {
  stamp: string;
  total: number;
  messages: number;
  segments: Segment[];
}

/** A message of a run, in one line. */
export interface TreeNode {
  id: string;
  role: string;
  /** Who wrote it, as in `Row`. */
  speaker: string;
  label: string;
  time: number | null;
  flags: string[];
}

/** A range of a folded run. */
export interface FoldedRun {
  total: number;
  start: number;
  nodes: TreeNode[];
}

/** One of two branches after the fork. */
export interface ComparedSide {
  leaf: string;
  name: string;
  messages: number;
  tokens: number;
  first: number | null;
  last: number | null;
}

/** Aligned rows: equal, changed, or only on one side. */
export interface ComparedRow {
  kind: "added" | "changed" | "moved" | "removed" | "same";
  a: string | null;
  b: string | null;
  a_label: string;
  b_label: string;
  /** How the words differ, for changed rows. */
  html: string;
  what: string[];
}

/** Two branches: what they share, and the rest of both. */
export interface BranchComparison {
  ancestor: string | null;
  shared: number;
  a: ComparedSide;
  b: ComparedSide;
  /** At most 1,000. */
  rows: ComparedRow[];
  total: number;
}

// Data about a conversation: files, tasks, tokens.

/** One change of a file. */
export interface FileTouch {
  message: string;
  /** The row it belongs to. */
  number: number | null;
  kind: "created" | "deleted" | "modified" | "read" | "unknown";
  time: number | null;
  added: number | null;
  removed: number | null;
}

/** A file that was worked on. */
export interface FileItem {
  path: string;
  kind: "created" | "deleted" | "modified" | "read" | "unknown";
  touches: FileTouch[];
  /** Whether contents are available, from snapshots or from the calls themselves. */
  known: boolean;
  /** A missing backup or a hash that differs. */
  warning: string;
}

/** The files of a branch. */
export interface Files {
  stamp: string;
  files: FileItem[];
  total: number;
}

/** How a file changed between two points. */
export interface FileDiff {
  path: string;
  since: string | null;
  until: string | null;
  state: "binary" | "created" | "deleted" | "missing" | "same" | "text";
  html: string;
  added: number;
  removed: number;
  hunks: number;
  note: string;
}

/** A task. */
export interface TodoItem {
  content: string;
  status: string;
  active: string;
}

/** A change of the task list. */
export interface TodoStep {
  message: string;
  number: number | null;
  time: number | null;
  done: number;
  total: number;
}

/** The task list at a message, and its history. */
export interface Todos {
  at: string | null;
  items: TodoItem[];
  steps: TodoStep[];
}

/** Some rows of a branch, aggregated. */
export interface UsagePoint {
  /** The first row. */
  start: number;
  time: number | null;
  tokens: TokenUsage;
  /** The longest duration of a reply among them. */
  seconds: number | null;
  cost: number | null;
}

/** A value and its number of occurrences. */
export interface UsageCount {
  name: string;
  count: number;
  failures: number;
  seconds: number | null;
  tokens: number;
  cost: number | null;
}

/** Recorded words about messages: tags, topics, languages. */
export interface MeasuredWords {
  name: string;
  /** Its display name. */
  title: string;
  /** Most frequent first. */
  values: UsageCount[];
  /** How many different values there are. */
  distinct: number;
}

/** Recorded numbers about messages. */
export interface MeasuredNumbers {
  name: string;
  /** Its display name. */
  title: string;
  count: number;
  median: number;
  p90: number;
  max: number;
}

/** A compaction or restoration of a branch, or its beginning. */
export interface UsageCompaction {
  row: number;
  kind: "compacted" | "compacting" | "restored" | "restoring";
  /** Its numbers in words. */
  detail: string;
  messages_before: number | null;
  messages_after: number | null;
  tokens_before: number | null;
  tokens_after: number | null;
  ratio: number | null;
}

/** The usage of a branch, in at most 400 points. */
export interface UsageOver {
  totals: TokenUsage;
  cost: number | null;
  points: UsagePoint[];
  tools: UsageCount[];
  models: UsageCount[];
  topics: UsageCount[];
  /** Row and value, if the format records it. */
  sentiment: [number, number][];
  seconds_median: number | null;
  seconds_p90: number | null;
  words: MeasuredWords[];
  numbers: MeasuredNumbers[];
  /** The first 200 of them. */
  compactions: UsageCompaction[];
}

/** The usage of one day in all conversations. */
export interface DayUsage {
  day: string;
  messages: number;
  tokens: TokenUsage;
  cost: number | null;
}

/** The usage of all conversations together. */
export interface UsageStatistics {
  conversations: number;
  messages: number;
  tokens: TokenUsage;
  cost: number | null;
  days: DayUsage[];
  models: UsageCount[];
  tools: UsageCount[];
  projects: UsageCount[];
  /** Messages by hour of the week, Monday first, 168 of them; empty if not known. */
  hours: number[];
  words: MeasuredWords[];
  numbers: MeasuredNumbers[];
}

// User actions: edits, saving, conversion, and moving a session's files.

/** Add a new message below another one. */
export interface DoReply {
  do: "reply";
  parent: string | null;
  text: string;
  role?: string;
}

/** Rewrite a message as a new branch beside the old one. */
export interface DoRevise {
  do: "revise";
  about: string;
  text: string;
}

/** Rewrite the message itself. */
export interface DoReplace {
  do: "replace";
  about: string;
  text: string;
}

/** Copy a message beside it, alone or with everything below it. */
export interface DoClone {
  do: "clone";
  about: string;
  below?: boolean;
}

/** Move a message with everything below it under another one; None makes it a root. */
export interface DoMove {
  do: "move";
  about: string;
  to: string | null;
}

/** Swap two messages. */
export interface DoSwap {
  do: "swap";
  about: string;
  other: string;
}

/** Move a message under its grandparent, beside its parent. */
export interface DoPopUp {
  do: "pop_up";
  about: string;
}

/** Change the role of a message. */
export interface DoRetype {
  do: "retype";
  about: string;
  role: string;
}

/** Mark a message as deleted. */
export interface DoDelete {
  do: "delete";
  about: string;
}

/** Remove the deleted mark. */
export interface DoUndelete {
  do: "undelete";
  about: string;
}

/** Remove a message; its children become children of its parent. */
export interface DoRemove {
  do: "remove";
  about: string;
}

/** Attach an uploaded file to a message. */
export interface DoAttach {
  do: "attach";
  about: string;
  upload: string;
  /** Whether to attach it although it is suspicious: macros, scripts, a wrong media type. */
  accept?: boolean;
  /** The declared media type, if any. */
  type?: string;
}

/** The stamp that an action is based on. */
export interface StateReference {
  stamp: string;
}

/** An undo or redo, and the state it is based on. */
export interface UndoRequest {
  stamp: string;
  /** The edit to undo or redo; nothing happens if another one is next. None means the next one. */
  edit?: number | null;
}

/** An edit, and the state it is based on. */
export interface EditRequest {
  stamp: string;
  deed: DoReply | DoRevise | DoReplace | DoClone | DoMove | DoSwap | DoPopUp | DoRetype | DoDelete | DoUndelete | DoRemove | DoAttach;
}

/** An entry of the edit history. */
export interface EditLine {
  id: number;
  time: number;
  what: string;
  /** Settled: in the file for good. Dropped: undone, then replaced by another edit. */
  state: "done" | "dropped" | "settled" | "undone";
  about: string | null;
}

/** All edits, oldest first. */
export interface HistoryState {
  stamp: string;
  edits: EditLine[];
  can_undo: boolean;
  can_redo: boolean;
  saved: boolean;
}

/** The outcome of an edit, undo or redo, and the new state. */
export interface EditResult {
  stamp: string;
  /** The edit that was made, undone or redone. */
  edit: number;
  /** The branch to show now, by its last message. */
  leaf: string | null;
  /** The message that is new or was changed. */
  id: string | null;
  /** Its row on that branch. */
  number: number | null;
  what: string;
  conversation: ConversationDetails;
  history: HistoryState;
}

/** The files that were written, and the new state. */
export interface SaveResult {
  stamp: string;
  written: string[];
  conversation: ConversationDetails;
  history: HistoryState;
}

/** What to repair: these codes, or everything that has a safe fix. */
export interface FixRequest {
  stamp: string;
  codes?: string[];
  apply?: boolean;
}

/** One change of a repair. */
export interface FixStep {
  code: string;
  entry: string | null;
  before: string;
  after: string;
  safety: "safe" | "unsafe";
}

/** The plan of a repair, or what was done. */
export interface Fixes {
  stamp: string;
  applied: boolean;
  steps: FixStep[];
  total: number;
  kept_bytes: number;
  quarantined_bytes: number;
  reachable_before: number;
  reachable_after: number;
  backup: string | null;
  /** The state after a repair, with its edits; None for a plan. */
  conversation: ConversationDetails | null;
  history: HistoryState | null;
}

/** Losses of the same kind and fate. */
export interface LossLine {
  kind: string;
  kept: "beside" | "carried" | "lost" | "rendered" | string;
  count: number;
  examples: string[];
}

/** What a conversion would lose, embed and render. */
export interface LossSummary {
  to: string;
  losses: LossLine[];
  lost: number;
  carried: number;
  carried_bytes: number;
}

/** Write the conversation in another format, as a download. */
export interface SaveAs {
  to: string;
  /** `active`, `all`, or the last message of a branch. */
  branch?: string | null;
  clean?: boolean;
}

/** Name a branch; an empty name removes it. */
export interface NameBranch {
  leaf: string;
  name: string;
}

/** An entry of a session's history. */
export interface SessionOperation {
  id: string;
  kind: string;
  time: number | null;
  text: string;
  message: string | null;
}

/** The state of a session and its files. */
export interface SessionState {
  /** Whether Talktree recorded it, or its files come from Claude Code's own history. */
  kind: "claude-code" | "own";
  /** The folder its files are restored into; empty if the request must name one. */
  workspace: string;
  files_at: string | null;
  leaf: string | null;
  can_undo: boolean;
  can_redo: boolean;
  operations: SessionOperation[];
  notices: string[];
}

/** Where to move. */
export interface NavigationRequest {
  verb: "redo" | "restore" | "undo";
  /** The target message; by default, before the last step or prompt. A restore needs one. */
  to?: string | null;
  what?: "both" | "chat" | "files";
  /** How to resolve conflicts, by path: leave the file, use the session's content, keep both side by side, or merge both texts. */
  choices?: Record<string, "both" | "keep" | "merge" | "theirs">;
  /** A folder to restore the files into; the session itself does not move then. Sessions of Claude Code are always restored into a folder, by default one of Talktree's own. */
  into?: string | null;
}

/** The change of one file. */
export interface PlanStep {
  action: string;
  path: string;
  reason: string;
  conflict: boolean;
  choices: string[];
  choice: string | null;
  /** How the file changes. */
  html: string;
}

/** What would happen; nothing was changed. */
export interface PlanPreview {
  digest: string;
  steps: PlanStep[];
  conflicts: number;
  uncovered: string[];
  /** What happens to the conversation, in words. */
  chat: string;
  moves_chat: boolean;
}

/** Apply the plan with this digest. */
export interface ApplyPlan {
  travel: NavigationRequest;
  digest: string;
}

/** What was done, and the new state. */
export interface ApplyResult {
  stamp: string;
  done: number;
  notices: string[];
  leaf: string | null;
  conversation: ConversationDetails;
  history: HistoryState;
}

/** What would be forgotten with a conversation. */
export interface ForgetPreview {
  path: string;
  /** Whether its file exists; if not, the library has the only copy. */
  on_disk: boolean;
  /** Whether its file is an uploaded copy, which is erased as well. */
  dropped: boolean;
  /** How many conversations its file holds; all of them are erased. */
  conversations: number;
  versions: number;
  /** Sub-agents, other files and copies that are erased with it. */
  files: string[];
}

/** What was erased. */
export interface ForgetSummary {
  /** Bytes freed on disk. */
  freed: number;
  /** What could not be erased yet; the next import or check erases it. */
  left: string[];
}

export type EditAction =
  | DoReply
  | DoRevise
  | DoReplace
  | DoClone
  | DoMove
  | DoSwap
  | DoPopUp
  | DoRetype
  | DoDelete
  | DoUndelete
  | DoRemove
  | DoAttach;

// What is shared, and the secrets in it.

/** What would be shared: a branch, some messages, or all; and what to search it for. */
export interface FindSecrets {
  leaf?: string | null;
  ids?: string[];
  include_deleted?: boolean;
  words?: string[];
  personal?: boolean;
}

/** A secret, masked. */
export interface SecretPlace {
  message: string;
  number: number | null;
  kind: string;
  what: string;
  /** Its first and last characters. */
  shown: string;
  placeholder: string;
}

/** What is searched for and replaced. */
export interface RedactionTarget {
  /** Number of kinds of keys, tokens and passwords. */
  kinds: number;
  /** Number of words, including those of the user's configuration. */
  words: number;
  patterns: number;
  /** Whether personal data is searched for. */
  personal: boolean;
}

/** The secrets in what would be shared. */
export interface Secrets {
  looked_for: RedactionTarget;
  total: number;
  distinct: number;
  /** At most 500. */
  places: SecretPlace[];
  /** Number of deleted messages, messages that are not shown to the user and hidden artifacts, by kind. They are left out unless requested. */
  hidden: Record<string, number>;
}

/** What to share, and how. */
export interface Share {
  /** `html`, `md`, `text`, or a format. */
  to: string;
  /** One branch; without it and without ids, the whole conversation. */
  leaf?: string | null;
  /** Only these messages. */
  ids?: string[];
  /** All branches. */
  everything?: boolean;
  detail?: "full" | "high" | "low" | "minimal" | "user-only";
  redact?: boolean;
  /** Words to replace in addition to secrets. */
  words?: string[];
  /** Whether to replace personal data, too. */
  personal?: boolean;
  images?: "drop" | "keep" | "link";
  theme?: "dark" | "light" | "system";
  /** Also deleted messages, messages that are not shown to the user, and hidden artifacts. */
  include_deleted?: boolean;
}

/** One of the files that would be shared. */
export interface PreviewFile {
  name: string;
  /** Its beginning, verbatim; null if it is not text, or is a page shown in a frame. */
  text: string | null;
}

/** The beginning of the file that would be shared, with the same bytes. */
export interface SharePreview {
  /** The file, or the first files of a folder. */
  files: PreviewFile[];
  /** The address at which an HTML page is shown in a frame. */
  page: string | null;
  /** Whether that is the whole file. */
  is_whole: boolean;
  /** How many different values are replaced. */
  replaced: number;
}
