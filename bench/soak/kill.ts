import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { verifyLog } from '../../maintenance/verify/log.ts'
import { acknowledged } from '../../spec/support/http/acknowledged.ts'
import { smallDocument } from '../../spec/support/documents/small-document.ts'
import { randomOf } from '../documents.ts'
import { runErs, startSoakServer, temporaryFolder } from './server.ts'
import { setting, wait } from './soak.ts'
import type { Ground } from './soak.ts'

/** Every this many cycles a rebuild, and an import, is killed as well. */
const REBUILD_EVERY = 10
const IMPORT_EVERY = 10
const IMPORTED = 60

/**
 * `kill -9` at random moments: under uploads, deletes and pins, in a rebuild, in an import. Everything acknowledged is
 * there, whole.
 */
export const kill = async ({ say, seed }: Ground): Promise<void> => {
  const cycles = setting('SOAK_CYCLES', 2000)
  const random = randomOf(seed)
  const dataDir = temporaryFolder()
  const account = acknowledged()
  const inOrder = async (when: string): Promise<void> => {
    const { finding } = await verifyLog(join(dataDir, 'service.db'), null)
    if (finding) throw new Error(`verify finds ${finding.kind} ${when}: ${finding.message}`)
  }

  /** Kills a command of the command line some time after its start. */
  const killed = async (args: readonly string[], within: number): Promise<'killed' | 'ended'> => {
    const { code, text } = await runErs(
      args,
      (child) => void setTimeout(() => child.kill('SIGKILL'), random() * within),
    )
    if (code !== null && code !== 0) throw new Error(`ers ${args[0]} ended with ${code}: ${text}`)
    return code === null ? 'killed' : 'ended'
  }

  let rebuilds = 0
  let imports = 0
  let importedTo = 0
  for (let cycle = 1; cycle <= cycles; cycle++) {
    const server = await startSoakServer({ dataDir })
    await account.compareTouched(server)
    // Lanes go on while the process dies: after some acknowledged writes and some more milliseconds.
    let left = 1 + Math.floor(random() * 20)
    const died = Promise.withResolvers<void>()
    const lanes = [0, 1, 2, 3].map((lane) =>
      account.lane(server, lane, () => {
        if (--left === 0) died.resolve(wait(random() * 15).then(server.kill))
      }),
    )
    await Promise.allSettled([...lanes, died.promise])
    await inOrder(`after kill ${cycle}`)

    if (cycle % REBUILD_EVERY === 0) {
      if ((await killed(['rebuild', '--data-dir', dataDir], 1500)) === 'killed') rebuilds++
      await inOrder(`after a killed rebuild in cycle ${cycle}`)
    }
    if (cycle % IMPORT_EVERY === 5) {
      const folder = writeImport(importedTo)
      importedTo += IMPORTED
      while ((await killed(['import', folder, '--data-dir', dataDir], 1200)) === 'killed') {
        imports++
        await inOrder(`after a killed import in cycle ${cycle}`)
        // A machine that is slow today must not keep it from ever ending.
        if (random() < 0.3) break
      }
      const { code, text } = await runErs(['import', folder, '--data-dir', dataDir])
      if (code !== 0) throw new Error(`the import that was resumed ended with ${code}: ${text}`)
      await inOrder(`after a resumed import in cycle ${cycle}`)
    }
    if (cycle % 50 === 0) say(`${cycle} kills, ${account.count()} acknowledged runs`)
  }

  const server = await startSoakServer({ dataDir })
  await account.compareAll(server)
  const { run_count } = (await (
    await fetch(`${server.url}/api/v1/sets/chat/suites/imported`, { headers: server.headers })
  ).json()) as { run_count?: number }
  if ((run_count ?? 0) !== importedTo) throw new Error(`${run_count} of ${importedTo} imported runs are there`)
  await server.stop()
  await inOrder('at the end')
  say(
    `${cycles} kills of the server, ${rebuilds} of a rebuild, ${imports} of an import: ${account.count()} acknowledged and ${importedTo} imported runs, all whole; verify clean each time`,
  )
}

/** A folder of small documents that nobody has seen yet. */
const writeImport = (from: number): string => {
  const folder = join(temporaryFolder(), 'runs')
  mkdirSync(folder)
  for (let n = from; n < from + IMPORTED; n++)
    writeFileSync(join(folder, `i${n}.json`), smallDocument(`i${n}`, { suite: 'imported', cases: 5 }))
  return folder
}
