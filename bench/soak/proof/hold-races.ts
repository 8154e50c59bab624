import { join } from 'node:path'
import { verifyLog } from '../../../maintenance/verify/log.ts'
import { openService } from '../../../runtime/open-service.ts'
import { startPostgres } from '../../../spec/support/postgres/server.ts'
import { ALL_ACTS, holdRaces, ingest } from '../../../spec/support/proof/hold-races.ts'
import { sqlOnDatabase, sqlOnFile } from '../../../spec/support/stores/plain-sql.ts'
import { randomOf } from '../../documents.ts'
import { temporaryFolder } from '../server.ts'
import { setting, type SoakContext } from '../soak.ts'

/**
 * Holds, deletions, retention and erasures of one run at the same time, 10,000 times on SQLite, and as often on PostgreSQL
 * by two replicas. SOAK_RACES shortens it. No run that is held may be lost, and the log must show none.
 */
export const holdRacesOnBoth = async (context: SoakContext): Promise<void> => {
  const folder = temporaryFolder()
  const service = await openService({ dataDir: folder })
  const file = join(folder, 'service.db')
  const onFile = sqlOnFile(file)
  await raceAll('SQLite', context, [service], onFile)
  await onFile.close()
  await service.close()
  const { finding } = await verifyLog(file, null)
  context.expect(finding === null, `the log on SQLite is ${finding?.message ?? 'in order'}`)

  const server = await startPostgres()
  try {
    const url = server.url()
    const database = { kind: 'postgres', url, readUrl: null, connections: 4, statementTimeoutMs: 30_000 } as const
    const first = await openService({ database })
    const second = await openService({ database })
    const sql = sqlOnDatabase(url)
    await raceAll('PostgreSQL, two replicas', context, [first, second], sql)
    for (const opened of [sql, second, first]) await opened.close()
  } finally {
    await server.stop()
  }
}

const raceAll = async (
  name: string,
  { expect, fail, print, seed }: SoakContext,
  replicas: Parameters<typeof holdRaces>[0],
  sql: Parameters<typeof holdRaces>[1],
): Promise<void> => {
  const races = setting('SOAK_RACES', 10_000)
  const random = randomOf(seed)
  const below = (n: number): number => Math.floor(random() * n)
  // All other runs are older, so retention may delete them.
  await ingest(replicas[0], 'newest', '2027-01-01T00:00:00Z')
  const race = holdRaces(replicas, sql)
  const started = performance.now()
  let [held, lost, broken] = [0, 0, 0]
  for (let n = 0; n < races; n++) {
    const entrants = Array.from({ length: 2 + below(5) }, () => ({
      act: ALL_ACTS[below(ALL_ACTS.length)] ?? 'remove',
      replica: below(replicas.length),
    }))
    const { problem, isHeld, isStored } = await race(entrants)
    if (isHeld) held++
    if (!isStored) lost++
    if (problem === null) continue
    broken++
    fail(problem)
  }
  print(
    `${name}: ${races} races in ${Math.round((performance.now() - started) / 1000)} s, ${held} held, ${lost} deleted`,
  )
  expect(broken === 0, `${name}: ${broken} lost what was held`)
}
