import { sha256OfStream } from '../../document/identity.ts'
import { NO_LOSSES } from '../../document/losses.ts'
import { timeRange } from '../../document/time/time-range.ts'
import { timeMsOf, readTime } from '../../document/time/times.ts'
import { lookOrNull, type Look } from '../../read/look.ts'
import { textAt } from '../../read/members.ts'
import type { Folder, SourceFile } from '../../read/source-file.ts'
import type { Claim, Importer, SourceRun } from '../importer.ts'
import { atifCase } from './case.ts'
import { harborFiles, harborJobOf, harborKind, harborRun, isHarborConfig } from './harbor.ts'
import { namesInFile, readTrajectory, type Siblings } from './trajectory.ts'

const VERSION = /^ATIF-v(\d+)\.(\d+)$/
const MAX_MAJOR = 1

const detect = (look: Look): Claim | null => {
  const { kind, head } = look
  if (kind !== 'json') return null
  if (isHarborConfig(look)) return { reason: 'the configuration of a job of Harbor', isCompanion: true }
  const harbor = harborKind(look)
  if (harbor !== null) return { reason: `the result of a ${harbor} of Harbor` }
  const version = textAt(head, 'schema_version') ?? ''
  const [, major] = VERSION.exec(version) ?? []
  if (major === undefined) return null
  const reason = `schema_version ${version}`
  return Number(major) > MAX_MAJOR
    ? { reason, refused: `the trajectory has version ${version}; up to version ${MAX_MAJOR} can be read` }
    : { reason }
}

const isTrajectory = (look: Look | null): boolean =>
  look?.kind === 'json' && VERSION.test(textAt(look.head, 'schema_version') ?? '')

/** The trajectories of a folder to which others of it refer, with the files of those. */
const referred = new WeakMap<Folder, Promise<ReadonlyMap<string, readonly string[]>>>()

const referencesOf = (folder: Folder): Promise<ReadonlyMap<string, readonly string[]>> => {
  const known = referred.get(folder) ?? readReferences(folder)
  referred.set(folder, known)
  return known
}

const readReferences = async (folder: Folder): Promise<ReadonlyMap<string, readonly string[]>> => {
  const found = new Map<string, readonly string[]>()
  for (const file of folder.files.values())
    if (/\.json$/i.test(file.name) && isTrajectory(await lookOrNull(file)))
      found.set(
        file.name,
        (await namesInFile(file)).filter((name) => name !== file.name && folder.files.has(name)),
      )
  return found
}

/** The trajectories to which a file refers, and to which those refer. */
const companions: Importer['companions'] = async (file, look, folder) => {
  if (harborKind(look) === 'job') return harborFiles(file, look)
  const job = harborJobOf(file)
  if (job !== null) return { belongsTo: job }
  if (harborKind(look) !== null) return harborFiles(file, look)
  const references = await referencesOf(folder)
  const [owner] =
    [...references].find(([name, names]) => names.includes(file.name) && !isBelow(references, file.name, name)) ?? []
  if (owner !== undefined) return { belongsTo: owner, isNear: true }
  return [...below(references, file.name)].flatMap((name) => folder.files.get(name) ?? [])
}

const below = (references: ReadonlyMap<string, readonly string[]>, name: string): ReadonlySet<string> => {
  const found = new Set(references.get(name))
  // What is added to a set while it is gone through is gone through too.
  for (const other of found) for (const further of references.get(other) ?? []) found.add(further)
  return found
}

/** Whether two trajectories refer to each other: then the first of them is the run. */
const isBelow = (references: ReadonlyMap<string, readonly string[]>, from: string, name: string): boolean =>
  below(references, from).has(name) && from < name

const open: Importer['open'] = async function* (source, options): AsyncGenerator<SourceRun> {
  const { file, look, companions: others } = source
  if (harborKind(look) !== null) {
    yield await harborRun(source, options)
    return
  }
  const siblings: Siblings = (name) => others.find((other) => other.name === name) ?? null
  const { root, steps } = await readTrajectory(file, siblings, NO_LOSSES)
  const started = readTime(textAt(steps[0], 'timestamp') ?? '', options.timeZone)
  let times = timeRange()
  yield {
    identity: await identityOf(root, file),
    timeMs: timeMsOf(started),
    cases: async function* (losses) {
      times = timeRange(options, losses)
      const trajectory = await readTrajectory(file, siblings, losses)
      const reading = { path: file.name, name: 'trajectory', hasEvidence: options.evidence !== undefined }
      yield atifCase(trajectory, reading, times, losses)
    },
    head: () => ({
      formatVersion: textAt(root, 'schema_version'),
      suite: textAt(root, 'agent', 'name'),
      startedAt: times.first(),
      finishedAt: times.last(),
      origin: { version: textAt(root, 'agent', 'version') },
    }),
  }
}

/** Since version 1.7 several trajectories may have one session. */
const identityOf = async (root: Parameters<typeof textAt>[0], file: SourceFile): Promise<string> => {
  const id = textAt(root, 'trajectory_id')
  if (id !== null) return id
  const minor = Number(VERSION.exec(textAt(root, 'schema_version') ?? '')?.[2])
  const session = minor < 7 ? textAt(root, 'session_id') : null
  return session ?? (await sha256OfStream(file.bytes()))
}

/** Reads trajectories of agents in the format ATIF, and jobs of Harbor, whose trials have them. */
export const atif: Importer = {
  format: 'atif',
  converter: 1,
  hasTranscripts: true,
  reads: 'a trajectory of an agent (ATIF), or result.json of a job of Harbor in its folder',
  detect,
  companions,
  open,
}
