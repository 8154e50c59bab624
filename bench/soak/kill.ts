import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { verifyLog } from '../../maintenance/verify/log.ts'
import { acknowledgedWrites } from '../../spec/support/http/acknowledged.ts'
import { smallDocument } from '../../spec/support/documents/small-document.ts'
import { randomOf } from '../documents.ts'
import { runErs, startSoakServer, temporaryFolder } from './server.ts'
import { setting, wait, type SoakContext } from './soak.ts'

/** Number of cycles between kills of a rebuild, and of an import. */
const REBUILD_EVERY = 10
const IMPORT_EVERY = 10
const IMPORTED = 60

/**
 * `kill -9` at random moments: during uploads, deletes and pins, during a rebuild, and during an import. Afterwards all
 * acknowledged writes must be present and complete.
 */
export const kill = async ({ print, seed }: SoakContext): Promise<void> => {
  const cycles = setting('SOAK_CYCLES', 2000)
  const random = randomOf(seed)
  const dataDir = temporaryFolder()
  const account = acknowledgedWrites()
  const requireCleanLog = async (when: string): Promise<void> => {
    const { finding } = await verifyLog(join(dataDir, 'service.db'), null)
    if (finding) throw new Error(`verify finds ${finding.kind} ${when}: ${finding.message}`)
  }

  /** Starts a command of `ers` and kills it at a random time within `maxMs`. */
  const startAndKill = async (args: readonly string[], maxMs: number): Promise<'killed' | 'ended'> => {
    const { code, text } = await runErs(args, (child) => void setTimeout(() => child.kill('SIGKILL'), random() * maxMs))
    if (code !== null && code !== 0) throw new Error(`ers ${args[0]} ended with ${code}: ${text}`)
    return code === null ? 'killed' : 'ended'
  }

  let rebuilds = 0
  let imports = 0
  let importedCount = 0
  for (let cycle = 1; cycle <= cycles; cycle++) {
    const server = await startSoakServer({ dataDir })
    await account.compareTouched(server)
    // Kills the server a few milliseconds after a random number of acknowledged writes, while the lanes still write.
    let writesLeft = 1 + Math.floor(random() * 20)
    const killed = Promise.withResolvers<void>()
    const lanes = [0, 1, 2, 3].map((lane) =>
      account.lane(server, lane, () => {
        if (--writesLeft === 0) killed.resolve(wait(random() * 15).then(server.kill))
      }),
    )
    await Promise.allSettled([...lanes, killed.promise])
    await requireCleanLog(`after kill ${cycle}`)

    if (cycle % REBUILD_EVERY === 0) {
      if ((await startAndKill(['rebuild', '--data-dir', dataDir], 1500)) === 'killed') rebuilds++
      await requireCleanLog(`after a killed rebuild in cycle ${cycle}`)
    }
    if (cycle % IMPORT_EVERY === 5) {
      const folder = writeImport(importedCount)
      importedCount += IMPORTED
      while ((await startAndKill(['import', folder, '--data-dir', dataDir], 1200)) === 'killed') {
        imports++
        await requireCleanLog(`after a killed import in cycle ${cycle}`)
        // Ends the loop on a slow machine, where the import never finishes in time.
        if (random() < 0.3) break
      }
      const { code, text } = await runErs(['import', folder, '--data-dir', dataDir])
      if (code !== 0) throw new Error(`the resumed import ended with ${code}: ${text}`)
      await requireCleanLog(`after a resumed import in cycle ${cycle}`)
    }
    if (cycle % 50 === 0) print(`${cycle} kills, ${account.count()} acknowledged runs`)
  }

  const server = await startSoakServer({ dataDir })
  await account.compareAll(server)
  const { run_count } = (await (
    await fetch(`${server.url}/api/v1/sets/chat/suites/imported`, { headers: server.headers })
  ).json()) as { run_count?: number }
  if ((run_count ?? 0) !== importedCount) throw new Error(`${run_count} of ${importedCount} imported runs are present`)
  await server.stop()
  await requireCleanLog('at the end')
  print(
    `${cycles} kills of the server, ${rebuilds} of a rebuild, ${imports} of an import: ${account.count()} acknowledged and ${importedCount} imported runs, all complete; verify was clean each time`,
  )
}

/** Writes a folder with small documents that have not been imported yet. */
const writeImport = (from: number): string => {
  const folder = join(temporaryFolder(), 'runs')
  mkdirSync(folder)
  for (let n = from; n < from + IMPORTED; n++)
    writeFileSync(join(folder, `i${n}.json`), smallDocument(`i${n}`, { suite: 'imported', cases: 5 }))
  return folder
}
