import type { AnyCommand, NewEvent, Outcome, Ready, Recorded } from '../command.ts'
import { BeingBuilt, Unavailable } from '../errors.ts'
import { seal } from '../log/event.ts'
import { findLastVersion } from '../log/erasures.ts'
import { appendLeaf, encodeFrontier, treeRoot, type Frontier } from '../log/merkle.ts'
import { storeNode, type TreeNode } from '../log/nodes.ts'
import type { MissingTables } from '../missing-tables.ts'
import { sql, statement, withValues } from '../sql.ts'
import type { Head, Statement } from '../storage.ts'
import { ask, askAll, write, type Steps } from './steps.ts'

/** The end of the log, and the last run number that was allocated. */
export type LogHead = { readonly frontier: Frontier; readonly recorded_at: number; readonly run_no: number }

export const asHead = ({ frontier, recorded_at }: LogHead): Head => ({
  size: frontier.size,
  root: treeRoot(frontier),
  recorded_at,
})

/** The steps of a group commit that `observe` receives. */
export type CommitStep =
  | 'begin'
  | 'facts'
  | 'decide'
  | 'append'
  | 'project'
  /** A command of the group starts. */
  | 'command'
  | 'before commit'
  | 'committed'
  | 'rolled back'

type Parts = {
  /** The statements of all read models for one event, in order. */
  readonly project: (recorded: Recorded) => Iterable<Statement>
  /** Throws if a query reads what is not built yet. Then only the command that needs it fails. */
  readonly checkRead: MissingTables['check']
  readonly observe: (step: CommitStep) => void
}

type CommandResult = { readonly head: LogHead; readonly recorded: readonly Recorded[]; readonly outcome: Outcome }

const INSERT_EVENT = sql.unsafe`
  INSERT INTO events (seq, recorded_at, type, commitment, leaf) VALUES (${0}, ${0}, ${''}, ${''}, ${''})`
const INSERT_BODY = sql.unsafe`
  INSERT INTO event_bodies (seq, stream, version, salt, body) VALUES (${0}, ${''}, ${0}, ${''}, ${''})`

/** Appends and projects one event on the open transaction; returns the new head. */
function* append(
  { project, observe }: Parts,
  head: LogHead,
  { actor, request_id }: AnyCommand,
  newEvent: NewEvent,
  recorded_at: number,
): Steps<{ head: LogHead; recorded: Recorded }> {
  const { stream, type, data, attached, statements } = newEvent
  const version = (yield* ask(findLastVersion(stream))) + 1
  const seq = head.frontier.size + 1
  const sealed = seal({ actor, data, request_id, stream, version }, type, recorded_at)
  observe('append')
  yield* write(withValues(INSERT_EVENT, seq, recorded_at, type, sealed.commitment, sealed.leaf))
  yield* write(withValues(INSERT_BODY, seq, stream, version, sealed.salt, sealed.body))
  const completed: TreeNode[] = []
  const frontier = appendLeaf(head.frontier, sealed.leaf, (node) => completed.push(node))
  for (const node of completed) yield* write(storeNode(node))
  for (const statement of statements ?? []) yield* write(statement)
  const recorded: Recorded = { stream, type, data, attached, seq, version, recorded_at, actor, request_id }
  observe('project')
  for (const statement of project(recorded)) yield* write(statement)
  return { head: { ...head, frontier, recorded_at }, recorded }
}

/**
 * Runs one command on the open transaction: facts, decision, events and read tables. Any error of `decide` becomes the
 * command's own outcome.
 */
export function* commitCommand(
  parts: Parts,
  head: LogHead,
  { command, prepared }: Ready,
  recorded_at: number,
): Steps<CommandResult> {
  parts.observe('facts')
  const queries = command.facts(prepared as never)
  try {
    for (const query of Object.values(queries)) parts.checkRead(query)
  } catch (error) {
    return { head, recorded: [], outcome: { ok: false, error } }
  }
  const facts = yield* askAll(queries)
  let run_no = head.run_no
  let newEvents: readonly NewEvent[]
  parts.observe('decide')
  try {
    newEvents = command.decide(facts as never, prepared as never, { nextRunNo: () => ++run_no })
  } catch (error) {
    return { head, recorded: [], outcome: { ok: false, error } }
  }
  for (const statement of command.statements ?? []) yield* write(statement)
  for (const statement of command.writes?.(facts as never, prepared as never) ?? []) yield* write(statement)
  const recorded: Recorded[] = []
  let newHead: LogHead = { ...head, run_no }
  for (const newEvent of newEvents) {
    const appended = yield* append(parts, newHead, command, newEvent, recorded_at)
    newHead = appended.head
    recorded.push(appended.recorded)
  }
  return {
    head: newHead,
    recorded,
    outcome: { ok: true, result: command.result(recorded, prepared as never, facts as never) },
  }
}

/**
 * For a group that is committed one by one: the outcome of the next command if the store failed the previous one, else
 * null. Such a store may take long to fail, so it is not tried again for each command.
 */
export const failedStore = (outcomes: readonly Outcome[]): [Outcome] | null => {
  const last = outcomes.at(-1)
  if (!last || last.ok || last.error instanceof BeingBuilt) return null
  return last.error instanceof Unavailable ? [last] : null
}

/** Stores the head after a group. */
export function* storeHead(from: LogHead, to: LogHead): Steps<void> {
  if (to.frontier.size !== from.frontier.size)
    yield* write(statement`
      UPDATE log_head SET size = ${to.frontier.size}, frontier = ${sql.binary(encodeFrontier(to.frontier))},
        recorded_at = ${to.recorded_at}
      WHERE one = 1`)
  if (to.run_no !== from.run_no)
    yield* write(statement`UPDATE sequences SET value = ${to.run_no} WHERE name = 'run_no'`)
}
