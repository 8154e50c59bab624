import { MAX_DEPTH } from '../../../domain/run/scan.ts'
import { NO_LOSSES, type Losses } from '../../document/losses.ts'
import { SourceRefused } from '../../document/source-refused.ts'
import { jsonElements } from '../../read/json/json-elements.ts'
import { objectsAt, objectAt, textAt } from '../../read/members.ts'
import { isObject, type JsonObject } from '../../read/row.ts'
import type { SourceFile } from '../../read/source-file.ts'

/** A trajectory: what it says of itself, and its steps, with the trajectories to which it refers. */
export type Trajectory = {
  readonly root: JsonObject
  readonly steps: readonly JsonObject[]
  /** Trajectories of sub-agents, by the id or the name of the file that a reference has. */
  readonly others: ReadonlyMap<string, Trajectory>
  /** The trajectory that continues it. */
  readonly next: Trajectory | null
}

/** Finds a file next to a trajectory, by its name; null if there is none. */
export type Siblings = (name: string) => SourceFile | null

/** Numbers of tokens and their probabilities, which may be most of a file. */
const TOKEN_MEMBERS = ['prompt_token_ids', 'completion_token_ids', 'logprobs']

/** A trajectory and those that continue it, one after the other. */
export const segmentsOf = (first: Trajectory): readonly Trajectory[] => {
  const found = [first]
  for (let { next } = first; next !== null; next = next.next) found.push(next)
  return found
}

/** Maximum bytes of the files to which a trajectory refers: all are in memory at once. */
const MAX_JOINED_BYTES = 256 * 1024 * 1024

/** The files that were read, and the bytes that further ones may have. */
type Reading = { readonly names: Set<string>; bytesLeft: number }

/**
 * Reads a trajectory with all to which it refers, as far as those files have at most `maxBytes` together: what is beyond is
 * recorded. Throws `SourceRefused`.
 */
export const readTrajectory = (
  file: SourceFile,
  siblings: Siblings,
  losses: Losses,
  maxBytes = MAX_JOINED_BYTES,
): Promise<Trajectory> => readFrom(file, siblings, losses, { names: new Set([file.name]), bytesLeft: maxBytes })

const readFrom = async (
  file: SourceFile,
  siblings: Siblings,
  losses: Losses,
  reading: Reading,
): Promise<Trajectory> => {
  const steps: JsonObject[] = []
  let root: JsonObject = {}
  const shape = { arrays: [['steps']] }
  for await (const { value } of jsonElements(
    file.bytes(),
    shape,
    losses,
    (rest) => (root = isObject(rest) ? rest : {}),
  ))
    if (isObject(value)) steps.push(withoutTokens(value, losses))
    else losses.add('left_out', 'steps.*', value, 'no step')
  const { steps: _, ...members } = root
  const read: ReadNamed = async (name) => {
    if (reading.names.has(name)) return 'passed over'
    const found = siblings(name)
    if (found === null) return null
    reading.names.add(name)
    if (found.size > reading.bytesLeft) {
      losses.addBytes('cut', '(joined trajectories)', found.size, TOO_MANY_BYTES)
      return 'passed over'
    }
    reading.bytesLeft -= found.size
    return readFrom(found, siblings, losses, reading)
  }
  return linked(members, steps, read, losses)
}

const TOO_MANY_BYTES = 'a trajectory to which another refers: the files that are joined are too large together'

/** Each file is read once, where it is referred to first. Null if there is none. */
type ReadNamed = (name: string) => Promise<Trajectory | 'passed over' | null>

const linked = async (
  { subagent_trajectories: embedded, ...root }: JsonObject,
  steps: readonly JsonObject[],
  read: ReadNamed,
  losses: Losses,
  depth = 0,
): Promise<Trajectory> => {
  if (depth > MAX_DEPTH) throw new SourceRefused('sub-agents are nested too deep')
  const others = new Map<string, Trajectory>()
  for (const [index, value] of (Array.isArray(embedded) ? embedded : []).entries()) {
    if (!isObject(value)) {
      losses.add('left_out', 'subagent_trajectories.*', value, 'no trajectory')
      continue
    }
    const { steps: own, ...members } = value
    const inner = objectsAt({ own }, 'own').map((step) => withoutTokens(step, losses))
    const id = textAt(members, 'trajectory_id') ?? textAt(members, 'session_id') ?? `(${index + 1})`
    others.set(others.has(id) ? `${id} (${index + 1})` : id, await linked(members, inner, read, losses, depth + 1))
  }
  for (const reference of steps.flatMap(referencesOf)) {
    const key = keysOf(reference).find((name) => others.has(name))
    const path = textAt(reference, 'trajectory_path')
    if (key !== undefined || path === null) continue
    const found = await read(path)
    if (found === null)
      losses.addBytes('left_out', `${REFERENCES}.trajectory_path`, 0, 'no trajectory next to the source')
    else if (found !== 'passed over') others.set(path, found)
  }
  const continued = textAt(root, 'continued_trajectory_ref')
  const next = continued === null ? null : await read(continued)
  if (continued !== null && next === null)
    losses.addBytes('cut', 'continued_trajectory_ref', 0, 'the trajectory that continues it is not next to the source')
  return { root, steps, others, next: next === 'passed over' ? null : next }
}

const REFERENCES = 'steps.*.observation.results.*.subagent_trajectory_ref'

/** The results of a step. */
export const resultsOf = (step: JsonObject): readonly JsonObject[] =>
  objectsAt(objectAt(step, 'observation'), 'results')

/** The references of a result to trajectories of sub-agents: a list, or one. */
export const referencesIn = (result: JsonObject): readonly JsonObject[] => {
  const found = result['subagent_trajectory_ref']
  return isObject(found) ? [found] : objectsAt({ found: found ?? null }, 'found')
}

const referencesOf = (step: JsonObject): readonly JsonObject[] => resultsOf(step).flatMap(referencesIn)

/** What a reference may name a trajectory by, the surest first. */
export const keysOf = (reference: JsonObject): readonly string[] =>
  ['trajectory_id', 'trajectory_path', 'session_id'].flatMap((key) => textAt(reference, key) ?? [])

/** The names of the files to which a trajectory refers. */
const namesIn = ({ root, steps }: Pick<Trajectory, 'root' | 'steps'>): readonly string[] => [
  ...steps.flatMap(referencesOf).flatMap((reference) => textAt(reference, 'trajectory_path') ?? []),
  ...[textAt(root, 'continued_trajectory_ref')].filter((name) => name !== null),
]

/** The names of the files to which a file refers; none if it cannot be read, which is reported when it is imported. */
export const namesInFile = async (file: SourceFile): Promise<readonly string[]> => {
  try {
    return namesIn(await readTrajectory(file, () => null, NO_LOSSES))
  } catch (error) {
    if (error instanceof SourceRefused) return []
    throw error
  }
}

const withoutTokens = (step: JsonObject, losses: Losses): JsonObject => {
  const { metrics } = step
  if (!isObject(metrics) || !TOKEN_MEMBERS.some((key) => Object.hasOwn(metrics, key))) return step
  const rest = { ...metrics }
  for (const key of TOKEN_MEMBERS) {
    if (rest[key] !== undefined && rest[key] !== null)
      losses.add('left_out', `steps.*.metrics.${key}`, rest[key], 'of tokens')
    delete rest[key]
  }
  return { ...step, metrics: rest }
}
