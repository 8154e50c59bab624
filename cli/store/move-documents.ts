import { existsSync } from 'node:fs'
import { Command, Option } from 'commander'
import { mebibytes } from '../../maintenance/backup/backup.ts'
import { noStoreIn } from '../../maintenance/no-store.ts'
import { throttled } from '../../maintenance/throttled.ts'
import { exitWith, UserError, withUsageExit } from '../../maintenance/user-error.ts'
import { listInPlace } from '../../queries/runs/moves.ts'
import { counted } from '../../domain/plain/counted.ts'
import { printable } from '../../domain/text/printable.ts'
import { ObjectsUnavailable } from '../../storage/errors.ts'
import { parseTime } from '../import/parse-time.ts'
import { asUserError } from '../terminal/log-failure.ts'
import { wholeNumber } from '../terminal/option-values.ts'
import { untilStopped } from '../terminal/stop-signals.ts'
import { openMoves, type OpenMoves } from './open-moves.ts'
import { namedStore, onStore, withStore, type StoreSelection } from './store-options.ts'

type Options = StoreSelection & {
  readonly to: 'objects' | 'database'
  readonly before?: number
  readonly limit?: number
  readonly dryRun?: boolean
}

/** Documents stay where they are, because they are not as they were recorded. */
const EXIT_SOME_FAILED = 1
const RUNS_PER_READ = 32

export const moveDocumentsCommand = (): Command =>
  withStore(withUsageExit(new Command('move-documents')))
    .addOption(
      new Option('--to <place>', 'where they go: objects of the bucket, or the database')
        .choices(['objects', 'database'])
        .makeOptionMandatory(),
    )
    .option('--before <time>', 'only documents of runs that finished before this time', parseTime)
    .option('--limit <number>', 'at most so many documents', wholeNumber(1, 1_000_000_000))
    .option('--dry-run', 'only count them')
    .addHelpText(
      'after',
      '\nThe bucket is that of SERVICE_OBJECT_STORE_URL. Small parts of evidence go with the document of their run. A service on PostgreSQL may run meanwhile; a state directory must not be in use. ' +
        'What was moved stays moved: after an interruption the same command goes on.\n\nExit code 0: done; 1: some documents stayed, because they are not as they were recorded; 2: it could not start, or had to stop; 130: interrupted.',
    )
    .action((given: Options) =>
      exitWith(() =>
        untilStopped(({ signal }) =>
          moveDocuments(given, signal).catch((error: unknown) => {
            throw asUserError(error)
          }),
        ),
      ),
    )

const moveDocuments = async (given: Options, signal: AbortSignal): Promise<number> => {
  const store = namedStore(given, process.env)
  // A mistyped folder must not become a new, empty store.
  if (store.kind === 'sqlite' && !existsSync(store.file)) throw new UserError(noStoreIn(store.dataDir))
  return onStore(store, async () => {
    const moves = await openMoves(store, process.env)
    try {
      return await moveAll(moves, given, signal)
    } finally {
      await moves.close()
    }
  })
}

const moveAll = async (
  { reader, mover }: OpenMoves,
  { to, before, limit = Infinity, dryRun = false }: Options,
  signal: AbortSignal,
): Promise<number> => {
  const from = to === 'objects' ? 'frames' : 'objects'
  const done = { documents: 0, bytes: 0, failed: 0 }
  const report = throttled(
    () => performance.now(),
    ({ position }) => console.error(`${dryRun ? 'counted' : 'moved'} ${position} documents`),
  )
  let seen = 0
  for (let after = 0; !signal.aborted && seen < limit;) {
    const runs = await reader.read(
      listInPlace(from, { after, before: before ?? null, limit: Math.min(RUNS_PER_READ, limit - seen) }),
    )
    const last = runs.at(-1)
    if (!last) break
    after = last.run_no
    seen += runs.length
    const sizes = new Map(runs.map(({ run_no, document_bytes }) => [run_no, document_bytes]))
    const failed = new Map<number, unknown>()
    if (!dryRun && to === 'objects') {
      const moved = await mover.moveRuns(runs, signal)
      for (const { run_no, error } of moved.failed) failed.set(run_no, error)
      done.documents += moved.moved
    } else if (!dryRun)
      for (const run of runs) {
        if (signal.aborted) break
        try {
          if (await mover.returnRun(run)) done.documents++
        } catch (error) {
          failed.set(run.run_no, error)
        }
      }
    else done.documents += runs.length
    for (const [run_no, error] of failed) {
      if (error instanceof ObjectsUnavailable) throw error
      done.failed++
      console.error(printable(`run ${run_no} stays: ${error instanceof Error ? error.message : String(error)}`))
    }
    for (const [run_no, bytes] of sizes) if (!failed.has(run_no)) done.bytes += bytes
    report({ position: done.documents, size: Infinity })
  }
  const where = to === 'objects' ? 'the bucket' : 'the database'
  const what = `${counted(done.documents, 'document')}, ${mebibytes(done.bytes)}`
  console.log(dryRun ? `would move to ${where}: ${what}` : `moved to ${where}: ${what}`)
  return done.failed > 0 ? EXIT_SOME_FAILED : 0
}
