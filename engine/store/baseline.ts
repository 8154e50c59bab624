import { UsageError } from '../json.ts'
import type { RunDocument } from '../runner/run-document.ts'
import type { Suite } from '../suite/suite.ts'
import { MAX_MERGED_RUNS, compositeRun } from './composite.ts'
import { mayBeId, resolveRun } from './resolve-run.ts'
import type { RunStore } from './run-store.ts'

/** What a results service knows of the baselines of a suite. Its functions throw an error with a message for people. */
export type BaselineServer = {
  /** The run with an id; null if the service has none that the caller may see. */
  readonly run: (id: string) => Promise<RunDocument | null>
  /** The pinned run of a suite; null if the suite is unknown or has no pin. */
  readonly pinned: (suite: SuiteName) => Promise<RunDocument | null>
  /** The newest result of each case on a branch, without those of `exclude`; null if the branch has no runs. */
  readonly onBranch: (suite: SuiteName, branch: string, exclude: string) => Promise<RunDocument | null>
}

export type SuiteName = { readonly project: string; readonly suite: string }

type Reference =
  | { readonly kind: 'none' }
  | { readonly kind: 'pinned' }
  | { readonly kind: 'server_branch'; readonly branch: string }
  | { readonly kind: 'branch'; readonly branch: string }
  | { readonly kind: 'latest' }
  | { readonly kind: 'run'; readonly reference: string }

/**
 * What a baseline reference leads to. `absent`: there is no baseline yet, and the run continues without a comparison.
 * `failed`: it was named but cannot be used, which is an error after the run.
 */
export type Baseline =
  | { readonly kind: 'none' }
  | { readonly kind: 'found'; readonly run: RunDocument }
  | { readonly kind: 'absent'; readonly reason: string }
  | { readonly kind: 'failed'; readonly reason: string }

/** What a baseline is looked for with. */
export type BaselineContext = {
  /** The run that is compared: it is never its own baseline. */
  readonly run: RunDocument
  readonly store: RunStore
  /** Null: no service is configured. */
  readonly server: BaselineServer | null
}

/**
 * The reference that a run is compared with: the given one, else the branch that the suite names, on the service if one
 * is configured and the suite has a project and a name there. Null: no comparison.
 */
export const baselineReference = (
  given: string | undefined,
  { project, suite, baseline }: Pick<Suite, 'project' | 'suite' | 'baseline'>,
  hasServer: boolean,
): string | null => {
  if (given !== undefined) return given === 'none' ? null : given
  if (baseline?.branch === undefined) return null
  const isOnServer = hasServer && project !== undefined && suite !== undefined
  return `${isOnServer ? 'server:' : ''}branch:${baseline.branch}`
}

/** Checks a baseline reference before a run starts. Throws `UsageError`. */
export const checkBaselineReference = (reference: string): void => void parseReference(reference)

const parseReference = (reference: string): Reference => {
  if (reference === 'none' || reference === 'latest') return { kind: reference }
  if (reference === 'server:baseline') return { kind: 'pinned' }
  const [, server, branch] = /^(server:)?branch:(.+)$/s.exec(reference) ?? []
  if (branch !== undefined) return { kind: server === undefined ? 'branch' : 'server_branch', branch }
  if (reference.startsWith('server:') || reference === 'branch:' || reference === '')
    throw new UsageError(
      `the baseline ${JSON.stringify(reference)} is not known: give none, server:baseline, server:branch:<name>, branch:<name>, latest, or a run`,
    )
  return { kind: 'run', reference }
}

/** Finds the run that a run is compared with. Throws `UsageError` for a reference that is no reference. */
export const resolveBaseline = async (reference: string, context: BaselineContext): Promise<Baseline> => {
  const parsed = parseReference(reference)
  if (parsed.kind === 'none') return { kind: 'none' }
  try {
    const found = await find(parsed, context)
    if (found.kind !== 'found' || isSameSuite(found.run, context.run)) return found
    const [theirs, ours] = [found.run, context.run].map(suiteText)
    return { kind: 'failed', reason: `the baseline ${found.run.run_id} is a run of ${theirs}, not of ${ours}` }
  } catch (error) {
    if (!(error instanceof Error)) throw error
    return { kind: 'failed', reason: `the baseline ${reference} cannot be read: ${error.message}` }
  }
}

/**
 * The run that a reference names: a local one, else the one of the service with this id. Throws `UsageError` if there is
 * none.
 */
export const findRun = async (
  reference: string,
  { store, server }: Pick<BaselineContext, 'store' | 'server'>,
): Promise<RunDocument> => {
  try {
    return (await resolveRun(reference, store)).run
  } catch (error) {
    if (!(error instanceof UsageError) || !mayBeId(reference)) throw error
    const found = await server?.run(reference)
    if (found) return found
    const hint =
      server === null
        ? 'for a run of a service, give --server-url or SERVICE_SERVER_URL'
        : 'the service has no such run'
    throw new UsageError(`${error.message}; ${hint}`, { cause: error })
  }
}

const find = async (
  reference: Exclude<Reference, { readonly kind: 'none' }>,
  context: BaselineContext,
): Promise<Baseline> => {
  const { run } = context
  switch (reference.kind) {
    case 'pinned':
    case 'server_branch':
      return findOnServer(reference, context)
    case 'branch': {
      const runs = await newest(context, MAX_MERGED_RUNS, reference.branch)
      return runs.length === 0
        ? { kind: 'absent', reason: `no other stored run of ${suiteText(run)} is on the branch ${reference.branch}` }
        : { kind: 'found', run: compositeRun(reference.branch, runs as [RunDocument, ...RunDocument[]]) }
    }
    case 'latest': {
      const [latest] = await newest(context, 1)
      return latest === undefined
        ? { kind: 'absent', reason: `there is no other stored run of ${suiteText(run)}` }
        : { kind: 'found', run: latest }
    }
    case 'run':
      return { kind: 'found', run: await findRun(reference.reference, context) }
  }
}

const findOnServer = async (
  reference: Extract<Reference, { readonly kind: 'pinned' | 'server_branch' }>,
  { run, server }: BaselineContext,
): Promise<Baseline> => {
  if (server === null) throw new UsageError('no service is named: give --server-url or SERVICE_SERVER_URL')
  const { project, suite } = run
  if (project === undefined || suite === undefined)
    throw new UsageError('a baseline on a service needs a suite with project and suite')
  const baseline =
    reference.kind === 'pinned'
      ? await server.pinned({ project, suite })
      : await server.onBranch({ project, suite }, reference.branch, run.run_id)
  if (baseline !== null) return { kind: 'found', run: baseline }
  return {
    kind: 'absent',
    reason:
      reference.kind === 'pinned'
        ? `the service has no baseline for ${suiteText(run)}`
        : `the service has no run of ${suiteText(run)} on the branch ${reference.branch}`,
  }
}

/** The newest whole runs of the same suite in the store, at most `limit`, on one branch or on any. */
const newest = async ({ run, store }: BaselineContext, limit: number, branch?: string): Promise<RunDocument[]> => {
  const found: RunDocument[] = []
  for await (const stored of store.list()) {
    if (stored.isPartial || stored.run.run_id === run.run_id || !isSameSuite(stored.run, run)) continue
    if (branch !== undefined && stored.run.git?.branch !== branch) continue
    const document = await store.read(stored.id)
    if (document !== null && found.push(document) === limit) break
  }
  return found
}

type SuiteOf = Pick<RunDocument, 'project' | 'suite'>

/** Whether two runs are of one suite: the same project and the same suite, or the same lack of them. */
export const isSameSuite = (a: SuiteOf, b: SuiteOf): boolean => a.project === b.project && a.suite === b.suite

const suiteText = ({ project, suite }: SuiteOf): string =>
  suite === undefined ? 'a suite without a name' : project === undefined ? suite : `${project}/${suite}`
