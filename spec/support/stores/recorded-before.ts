import { hash } from 'node:crypto'
import { runIngested } from '../../../commands/run/events.ts'
import { storedRun } from '../../../commands/run/stored-run.ts'
import { prepareRun } from '../../../domain/run/prepare.ts'
import { project } from '../../../projections/index.ts'
import { markCurrent } from '../../../projections/models.ts'
import type { NewEvent, Numbers } from '../../../storage/command.ts'
import { framesOf, LARGE_FRAMES } from '../../../storage/documents/frames.ts'
import type { Store } from '../../../storage/open/reader.ts'
import { openPostgresWriter } from '../../../storage/postgres/storage.ts'
import { openSqliteWriter } from '../../../storage/sqlite/storage.ts'
import type { ADocument } from '../documents/documents.ts'
import { aCommand, migrate, steppingClock } from './store.ts'

// Writes content that earlier versions accepted, and that commands reject today, into a store.

export type EarlierEvents = (numbers: Numbers) => readonly NewEvent[]

/** Returns the event of an upload, with its document. */
export const uploadEvent = (document: ADocument, { nextRunNo }: Numbers): NewEvent => {
  const bytes = Buffer.from(JSON.stringify(document))
  const prepared = prepareRun(bytes)
  const { id, content_hash, hash_version, project: projectName, suite } = prepared.run
  const data = {
    case_count: prepared.cases.length,
    content_hash,
    document_bytes: bytes.length,
    document_sha256: hash('sha256', bytes, 'hex'),
    hash_version,
    project: projectName,
    run_no: nextRunNo(),
    suite,
  }
  return runIngested(id, data, storedRun(prepared, { withVectors: false }), framesOf(bytes, LARGE_FRAMES))
}

/** Records events and their projections in a store that is not open. */
export const recordEarlier = async (at: Store, decide: EarlierEvents): Promise<void> => {
  const command = aCommand([], { decide: (_facts, _prepared, numbers) => decide(numbers), result: () => null })
  const group = [{ command, prepared: null }]
  if (at.kind === 'sqlite') {
    migrate(at.file)
    const writer = openSqliteWriter({
      file: at.file,
      project,
      now: steppingClock(),
      instance: 'earlier',
      checkRows: true,
    })
    const outcomes = writer.commitGroup(group)
    for (const statement of markCurrent(writer.head().size)) writer.connection.run(statement)
    writer.close()
    throwFailures(outcomes)
  } else {
    const writer = await openPostgresWriter({
      url: at.url,
      connections: 2,
      statementTimeoutMs: 30_000,
      projectFor: () => project,
      now: steppingClock(),
    })
    const outcomes = await writer.commitGroup(group)
    const { size } = await writer.head()
    await writer.pool.withConnection(async ({ run }) => {
      for (const statement of markCurrent(size)) await run(statement)
    })
    await writer.close()
    throwFailures(outcomes)
  }
}

const throwFailures = (outcomes: ReadonlyArray<{ readonly ok: boolean; readonly error?: unknown }>): void => {
  for (const { ok, error } of outcomes) if (!ok) throw error
}
