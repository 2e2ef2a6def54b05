// Written by `make docs` from the server's shapes; changes here are lost.
/* eslint-disable */

// What the renderer gives: pieces of a message, ready to be shown.

/** A small fact beside a message. */
export interface Chip {
  /** model, author, tag, cwd, git, version, agent, hash, device ... */
  name: string;
  text: string;
  tone: "bad" | "good" | "plain";
}

/** A piece of a message, ready to be shown. */
export interface MessageBlock {
  kind: "artifact" | "call" | "chip" | "divider" | "file" | "image" | "result" | "text" | "thinking" | "todos" | "unknown";
  /** Safe HTML; of a folded block what is inside. */
  html: string;
  /** Plain text: the line that is always there. */
  title: string;
  /** Plain text, fainter, behind the title. */
  detail: string;
  /** Of a call the tool, of a file its name. */
  name: string;
  outcome: "" | "failed" | "ok" | "waiting";
  /** Whether it is unfolded unless somebody folds it. */
  open: boolean;
  /** How many characters are left out; the message by itself has all. */
  cut: number;
  /** Which part it is, for images, files and artifacts. */
  number: number;
  media_type: string;
  size: number | null;
  /** The address of what is not here; never loaded by itself. */
  remote: string;
  /** Of a call that began a sub-agent: the leaf of its conversation. */
  leaf: string;
  /** Of an artifact: whether it can be run in the sandbox. */
  runs: boolean;
}

// What the studio is, how it is entered, and work that takes long.

/** The token from the address, to be exchanged for a cookie and the page key. A remembered browser sends its id and a signed challenge instead. */
export interface Login {
  token?: string;
  browser?: string;
  nonce?: string;
  proof?: string;
}

/** What a remembered browser signs, once and within a minute. */
export interface Challenge {
  nonce: string;
}

/** The public key of a browser: a point of the curve P-256, base64url. */
export interface RememberBrowser {
  public_key: string;
  /** What the user recognises the browser by. */
  label?: string;
}

/** What the browser calls itself when it enters the next time. */
export interface BrowserName {
  browser: string;
}

/** What the page needs beside the cookie, which other ports of this host receive too. */
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
  /** How many jobs still have the key and are about to end. */
  ending: number;
}

/** A format that can be read, and perhaps written. */
export interface FormatSummary {
  slug: string;
  title: string;
  folder: boolean;
  writes: boolean;
  /** Other names for it. */
  aliases: string[];
  /** Where its files come from. */
  origin: string;
}

/** How much the library holds. */
export interface LibraryInfo {
  conversations: number;
  bytes: number;
  /** What it takes on the disk. */
  stored: number;
  places: string[];
  /** How many files were not imported, or only in part; `GET /failures` gives them. */
  failures: number;
  /** Milliseconds since 1970, as all times on the wire. */
  last_import: number | null;
}

/** What the page has to know before anything else. */
export interface StudioInfo {
  version: string;
  read_only: boolean;
  /** Whether the library is encrypted, so that it can be locked. */
  encrypted: boolean;
  /** The paths that were named at the start; none if all of the library is served. */
  given: string[];
  formats: FormatSummary[];
  library: LibraryInfo;
  /** Why retention rules of the configuration are not applied, if there are any. */
  retention: string | null;
  /** The import that is still going on. */
  job: string | null;
}

/** What went wrong, for people. */
export interface ErrorDetails {
  kind: string;
  message: string;
  hint: string | null;
  exit_code: number;
  /** The current stamp, if another one was the matter. */
  stamp: string | null;
}

/** The body of every error. */
export interface ErrorBody {
  error: ErrorDetails;
}

/** Work that goes on while the page lives. */
export interface JobState {
  id: string;
  kind: "convert" | "import" | "share" | "upload";
  state: "cancelled" | "done" | "failed" | "running";
  done: number;
  /** In which `done` is counted; None while it is not known. */
  total: number | null;
  /** What it is at. */
  text: string;
  /** The name of the file it made; `GET /jobs/{job}/file` gives it. */
  file: string | null;
  size: number | null;
  /** The conversation that came of it. */
  cid: string | null;
  error: ErrorDetails | null;
}

// Conversations as they are listed and found, and files that are brought in.

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
  /** Of the source, with all conversations in it. */
  size: number;
  /** How many conversations the source holds. */
  several: number;
  /** `damaged` if a part of the source cannot be read, `unreadable` if nothing can. */
  state: "damaged" | "gone" | "here" | "unreadable";
  trouble: string | null;
  /** Whether it grew a short while ago. */
  live: boolean;
  /** Whether it has edits that are not saved. */
  edited: boolean;
  /** When its own program deletes it. */
  kept_until: number | null;
}

/** A value to filter by, and how many have it. */
export interface Count {
  name: string;
  count: number;
}

/** A stretch of the list. */
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

/** Files of which the library has nothing, or not all. */
export interface Failures {
  total: number;
  sources: FailedSource[];
}

/** A stretch of text, marked or not. */
export interface MarkedText {
  text: string;
  mark: boolean;
}

/** A place where what was asked for is said. */
export interface SearchHit {
  cid: string;
  message: string | null;
  title: string;
  format: string;
  project: string | null;
  role: string;
  kind: string;
  time: number | null;
  /** current, abandoned, compacted, or deleted. */
  state: string;
  excerpt: MarkedText[];
}

/** A stretch of what was found. */
export interface SearchResults {
  total: number;
  exact: boolean;
  hits: SearchHit[];
}

/** What is to be taken in: all places so far, or also the known ones of this machine. */
export interface ImportPlaces {
  known?: boolean;
}

/** How sound a file is that was brought in. */
export interface UploadedFindings {
  errors: number;
  warnings: number;
  notes: number;
  examples: string[];
}

/** A file that was brought in, before anything is kept of it. */
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
  /** Of a file to attach: why it is suspicious; attaching it must be confirmed then. */
  warnings: string[];
}

/** Keep it, as it is or converted. */
export interface KeepUpload {
  to?: string | null;
}

// A conversation and its messages, as they are shown.

/** A branch by its last message. */
export interface BranchInfo {
  leaf: string;
  fork: string | null;
  kind: "active" | "fork" | "root" | "sidechain";
  messages: number;
  /** What somebody called it. */
  name: string | null;
  /** How it begins where it goes its own way, in a line. */
  label: string;
  last: number | null;
}

/** What may be done with this conversation here. */
export interface AllowedActions {
  edit: boolean;
  attach: boolean;
  /** Marked as deleted, and restored. */
  delete: boolean;
  /** The types a message can be changed to. */
  roles: string[];
  save: boolean;
  /** Whether its files can be undone, redone and restored. */
  session: boolean;
  why_not: string | null;
}

/** How many findings of which weight. */
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

/** All of it but its messages. */
export interface ConversationDetails {
  cid: string;
  id: string;
  title: string;
  format: string;
  path: string;
  size: number;
  stamp: string;
  /** The current branch. */
  leaf: string | null;
  /** How many rows that has. */
  rows: number;
  messages: number;
  /** The current one first; at most 500. */
  branches: BranchInfo[];
  /** Without sidechains. */
  branches_total: number;
  sidechains_total: number;
  first: number | null;
  last: number | null;
  tokens: TokenUsage;
  /** What is wrong with it, by all rules; None for a large source that was not checked yet. */
  findings: Severities | null;
  /** Links that were inferred to show it; the file has them not. */
  repaired: number;
  live: boolean;
  edited: boolean;
  /** The number of the last entry in the log of edits, undos, redos and saves; it only grows. */
  log: number;
  can: AllowedActions;
  /** The cids of all conversations of the same source, if it has several. */
  siblings_in_source: string[];
}

/** The messages that stand at the same place. */
export interface SiblingMessages {
  /** Which of them this is, from 0. */
  number: number;
  /** For each the leaf to which its branch leads; at most 100. */
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
  /** How long a reply took: recorded, or since the request before it if that is below an hour. */
  seconds: number | null;
  todos: TodoCounts | null;
  /** How many files changed with it. */
  files: number;
  /** Codes of what is wrong with it. */
  findings: string[];
  /** Whether its place was inferred. */
  inferred: boolean;
  edited: "" | "changed" | "new";
  /** Its words as they are, if it can be edited; cut as the blocks are. */
  text: string;
}

/** A stretch of a branch. */
export interface RowRange {
  stamp: string;
  leaf: string;
  total: number;
  start: number;
  rows: Row[];
}

/** The end of the current branch. Numbers of rows count from the end: -1 is the last. */
export interface BranchTail {
  title: string;
  format: string;
  rows: Row[];
  stamp: string | null;
}

/** Where a message is. */
export interface MessagePlace {
  leaf: string;
  number: number;
  /** Of the row: a result is shown with its call. */
  id: string;
}

/** Rows with a text in them. */
export interface FoundRows {
  total: number;
  /** At most 1,000. */
  numbers: number[];
  complete: boolean;
  /** The row from which to go on if it is not complete. */
  next: number;
}

/** A message as it stands in its source. */
export interface Raw {
  path: string;
  line: number | null;
  size: number;
  /** Highlighted; cut if it is large. */
  html: string;
  text: string;
  cut: number;
  /** The ids of all records that are shown in the same row, its own included. */
  beside: string[];
}

/** That a conversation is in another state. */
export interface ConversationChanged {
  stamp: string;
  /** Its file grew or became another, or it was edited, saved or forgotten, in any window. */
  cause: "edit" | "file" | "forgotten" | "save";
  /** Whether there are edits that are not saved. */
  edited: boolean;
  /** As in `ConversationDetails`: an event with a smaller number than is shown comes too late. */
  log: number;
  leaf: string | null;
  /** Whether another branch is the current one now, while the one before is still there. */
  forked: boolean;
  rows: number;
  messages: number;
  size: number;
  last: number | null;
}

/** Something that is wrong. */
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

/** A stretch of what is wrong. */
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

// The tree with its linear runs folded, and what differs between two branches.

/** Messages in a line, from where it begins to where it forks or ends. */
export interface Segment {
  first: string;
  last: string;
  /** The `first` of the segment it hangs on. */
  parent: string | null;
  /** The message in that segment after which it leaves it. */
  at: string | null;
  kind: "fork" | "line" | "problem" | "sidechain";
  messages: number;
  /** Where the line ends that goes on from here. */
  leaf: string;
  /** Whether it is on the current branch. */
  current: boolean;
  label: string;
  /** A letter a message, at most 200, evenly chosen if there are more: u(ser) a(ssistant) t(ool) s(ystem) o(ther), in capitals where it is deleted or aborted. */
  roles: string;
  start: number | null;
  end: number | null;
  compactions: number;
}

/** All segments in the order they begin; at most 5,000. */
export interface Graph {
  stamp: string;
  total: number;
  messages: number;
  segments: Segment[];
}

/** A message of a run, in a line. */
export interface TreeNode {
  id: string;
  role: string;
  /** Who wrote it, as in `Row`. */
  speaker: string;
  label: string;
  time: number | null;
  flags: string[];
}

/** A stretch of a folded run. */
export interface FoldedRun {
  total: number;
  start: number;
  nodes: TreeNode[];
}

/** One of two branches from where they part. */
export interface ComparedSide {
  leaf: string;
  name: string;
  messages: number;
  tokens: number;
  first: number | null;
  last: number | null;
}

/** What stands beside each other: the same, changed, or only on one side. */
export interface ComparedRow {
  kind: "added" | "changed" | "moved" | "removed" | "same";
  a: string | null;
  b: string | null;
  a_label: string;
  b_label: string;
  /** How the words differ, for what changed. */
  html: string;
  what: string[];
}

/** Two branches: what they share, and both tails. */
export interface BranchComparison {
  ancestor: string | null;
  shared: number;
  a: ComparedSide;
  b: ComparedSide;
  /** At most 1,000. */
  rows: ComparedRow[];
  total: number;
}

// What goes with a conversation: files, tasks, tokens.

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
  /** Whether contents are at hand, from snapshots or from the calls themselves. */
  known: boolean;
  /** A backup that is missing, a hash that differs. */
  warning: string;
}

/** The files of a branch. */
export interface Files {
  stamp: string;
  files: FileItem[];
  total: number;
}

/** What became of a file between two points. */
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

/** The list changed here. */
export interface TodoStep {
  message: string;
  number: number | null;
  time: number | null;
  done: number;
  total: number;
}

/** The list at a message, and how it came to be. */
export interface Todos {
  at: string | null;
  items: TodoItem[];
  steps: TodoStep[];
}

/** Some rows of a branch, together. */
export interface UsagePoint {
  /** The row. */
  start: number;
  time: number | null;
  tokens: TokenUsage;
  /** The longest answer among them. */
  seconds: number | null;
  cost: number | null;
}

/** A thing and how often it was. */
export interface UsageCount {
  name: string;
  count: number;
  failures: number;
  seconds: number | null;
  tokens: number;
  cost: number | null;
}

/** What a format records about messages in words: tags, topics, languages. */
export interface MeasuredWords {
  name: string;
  /** Its name for people. */
  title: string;
  /** The most frequent first. */
  values: UsageCount[];
  /** How many different values there are. */
  distinct: number;
}

/** What a format records about messages in numbers. */
export interface MeasuredNumbers {
  name: string;
  /** Its name for people. */
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

/** What a branch cost, at most 400 points. */
export interface UsageOver {
  totals: TokenUsage;
  cost: number | null;
  points: UsagePoint[];
  tools: UsageCount[];
  models: UsageCount[];
  topics: UsageCount[];
  /** Row and value, where the format has it. */
  sentiment: [number, number][];
  seconds_median: number | null;
  seconds_p90: number | null;
  words: MeasuredWords[];
  numbers: MeasuredNumbers[];
  /** The first 200 of them. */
  compactions: UsageCompaction[];
}

/** A day of all conversations. */
export interface DayUsage {
  day: string;
  messages: number;
  tokens: TokenUsage;
  cost: number | null;
}

/** What all conversations cost together. */
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

// What people do: edits, saving, conversion, and moving a session's files.

/** A new message below another one. */
export interface DoReply {
  do: "reply";
  parent: string | null;
  text: string;
  role?: string;
}

/** Other words, as a new branch beside the old message. */
export interface DoRevise {
  do: "revise";
  about: string;
  text: string;
}

/** Other words in the message itself. */
export interface DoReplace {
  do: "replace";
  about: string;
  text: string;
}

/** A copy beside it, alone or with all below. */
export interface DoClone {
  do: "clone";
  about: string;
  below?: boolean;
}

/** Hung on another message with all below it; None makes it a beginning. */
export interface DoMove {
  do: "move";
  about: string;
  to: string | null;
}

/** Two messages change places. */
export interface DoSwap {
  do: "swap";
  about: string;
  other: string;
}

/** Hung on its grandparent, beside its parent. */
export interface DoPopUp {
  do: "pop_up";
  about: string;
}

/** Another role. */
export interface DoRetype {
  do: "retype";
  about: string;
  role: string;
}

/** Marked as deleted. */
export interface DoDelete {
  do: "delete";
  about: string;
}

/** Not marked any more. */
export interface DoUndelete {
  do: "undelete";
  about: string;
}

/** Taken out; what hung on it hangs on its parent. */
export interface DoRemove {
  do: "remove";
  about: string;
}

/** A file that was uploaded before goes with a message. */
export interface DoAttach {
  do: "attach";
  about: string;
  upload: string;
  /** Whether it may go although it is suspicious: macros, scripts, a wrong media type. */
  accept?: boolean;
  /** The media type it is said to have, if any. */
  type?: string;
}

/** The stamp that something is done on. */
export interface StateReference {
  stamp: string;
}

/** An undo or a redo, and what it is made on. */
export interface UndoRequest {
  stamp: string;
  /** The edit that is meant; nothing happens if another one is next. None means the next one. */
  edit?: number | null;
}

/** An edit, and what it is made on. */
export interface EditRequest {
  stamp: string;
  deed: DoReply | DoRevise | DoReplace | DoClone | DoMove | DoSwap | DoPopUp | DoRetype | DoDelete | DoUndelete | DoRemove | DoAttach;
}

/** A line of the list of edits. */
export interface EditLine {
  id: number;
  time: number;
  what: string;
  /** Settled: in the file for good. Dropped: undone, and then something else was done. */
  state: "done" | "dropped" | "settled" | "undone";
  about: string | null;
}

/** All edits, the oldest first. */
export interface HistoryState {
  stamp: string;
  edits: EditLine[];
  can_undo: boolean;
  can_redo: boolean;
  saved: boolean;
}

/** What an edit, an undo or a redo came to, and the state it led to. */
export interface EditResult {
  stamp: string;
  /** The edit it is about. */
  edit: number;
  /** The branch to show now. */
  leaf: string | null;
  /** The message that is new or was changed. */
  id: string | null;
  /** Its row on that branch. */
  number: number | null;
  what: string;
  conversation: ConversationDetails;
  history: HistoryState;
}

/** The files that were written, and the state that led to. */
export interface SaveResult {
  stamp: string;
  written: string[];
  conversation: ConversationDetails;
  history: HistoryState;
}

/** What is to be repaired: these codes, or all that has a safe fix. */
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
  /** The state that a repair led to, with its edits; None for a plan. */
  conversation: ConversationDetails | null;
  history: HistoryState | null;
}

/** Losses of one kind and fate. */
export interface LossLine {
  kind: string;
  kept: "beside" | "carried" | "lost" | "rendered" | string;
  count: number;
  examples: string[];
}

/** What a conversion would lose, carry and render. */
export interface LossSummary {
  to: string;
  losses: LossLine[];
  lost: number;
  carried: number;
  carried_bytes: number;
}

/** Write it in another format, to be downloaded. */
export interface SaveAs {
  to: string;
  /** active, all or a leaf. */
  branch?: string | null;
  clean?: boolean;
}

/** What a branch is called; empty takes the name away. */
export interface NameBranch {
  leaf: string;
  name: string;
}

/** A line of a session's history. */
export interface SessionOperation {
  id: string;
  kind: string;
  time: number | null;
  text: string;
  message: string | null;
}

/** Where a session and its files stand. */
export interface SessionState {
  /** Whether it is recorded by us, or its files come from Claude Code's own history. */
  kind: "claude-code" | "own";
  /** The folder its files are restored in; empty if one must be named. */
  workspace: string;
  files_at: string | null;
  leaf: string | null;
  can_undo: boolean;
  can_redo: boolean;
  operations: SessionOperation[];
  notices: string[];
}

/** Where to go. */
export interface NavigationRequest {
  verb: "redo" | "restore" | "undo";
  /** The message; without one, before the last step or prompt. A restore needs it. */
  to?: string | null;
  what?: "both" | "chat" | "files";
  /** By path what to do about a conflict: leave it, the session's content, both side by side, or both texts joined. */
  choices?: Record<string, "both" | "keep" | "merge" | "theirs">;
  /** A folder that the files go into, for a restore; the session stays where it is then. Sessions of Claude Code go there always, into one of ours if none is named. */
  into?: string | null;
}

/** What happens to one file. */
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

/** What would happen; nothing has. */
export interface PlanPreview {
  digest: string;
  steps: PlanStep[];
  conflicts: number;
  uncovered: string[];
  /** What happens to the talk, in words. */
  chat: string;
  moves_chat: boolean;
}

/** Do what the plan with this digest says. */
export interface ApplyPlan {
  travel: NavigationRequest;
  digest: string;
}

/** What was done, and the state that led to. */
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
  /** Whether its file is there; if not, the library has the only copy. */
  on_disk: boolean;
  /** Whether its file is the copy that was dropped into the studio, which goes as well. */
  dropped: boolean;
  /** How many conversations its file holds; all of them go. */
  conversations: number;
  versions: number;
  /** Sub-agents, other files and copies that go with it. */
  files: string[];
}

/** What was erased. */
export interface ForgetSummary {
  /** Bytes on the disk. */
  freed: number;
  /** What could not be erased yet; the next import or check does it. */
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

// What is given to others, and the secrets in it.

/** What would be shared: a branch, some messages, or all; and what is looked for in it. */
export interface FindSecrets {
  leaf?: string | null;
  ids?: string[];
  include_deleted?: boolean;
  words?: string[];
  personal?: boolean;
}

/** A secret, without showing it. */
export interface SecretPlace {
  message: string;
  number: number | null;
  kind: string;
  what: string;
  /** How it begins and ends. */
  shown: string;
  placeholder: string;
}

/** What is looked for in order to replace it. */
export interface RedactionTarget {
  /** Kinds of keys, tokens and passwords. */
  kinds: number;
  /** Words, those of the user's configuration included. */
  words: number;
  patterns: number;
  /** Whether personal data is looked for. */
  personal: boolean;
}

/** The secrets in what would be shared. */
export interface Secrets {
  looked_for: RedactionTarget;
  total: number;
  distinct: number;
  /** At most 500. */
  places: SecretPlace[];
  /** Deleted messages, messages that are not shown to the user and hidden artifacts, by kind. They are left out, unless they are asked for. */
  hidden: Record<string, number>;
}

/** How to share what. */
export interface Share {
  /** html, md, text, or a format. */
  to: string;
  /** One branch; without it and without ids all of it. */
  leaf?: string | null;
  /** Just these messages. */
  ids?: string[];
  /** All branches. */
  everything?: boolean;
  detail?: "full" | "high" | "low" | "minimal" | "user-only";
  redact?: boolean;
  /** Words to replace besides secrets. */
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
  /** How it begins, as it is; null if it is not text, and of a page, which is shown in a frame. */
  text: string | null;
}

/** How the file begins that would be shared: the same bytes. */
export interface SharePreview {
  /** The file, or the first ones of a folder. */
  files: PreviewFile[];
  /** Of an HTML page the address at which it is shown in a frame. */
  page: string | null;
  /** Whether that is all of it. */
  is_whole: boolean;
  /** How many different values are replaced. */
  replaced: number;
}
