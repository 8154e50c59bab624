import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { Command } from 'commander'
import { ulid } from 'ulid'
import { projections } from '../projections/index.ts'
import type { Reached } from '../projections/replay.ts'
import { CLI } from '../queries/viewer.ts'
import { takeStateDirectory } from '../storage/instance-lock.ts'
import { paced } from './paced.ts'
import { rebuildTables } from './rebuild-tables.ts'
import { openWriteSide } from './write-side.ts'

export const rebuildCommand = (): Command =>
  new Command('rebuild')
    .description('make the read tables of a state directory anew from the log; no server may be using it')
    .option('--data-dir <folder>', 'state directory (default SERVICE_DATA_DIR, else /data)')
    .action(async ({ dataDir = process.env['SERVICE_DATA_DIR'] ?? '/data' }: { dataDir?: string }) => {
      // A mistyped folder must not become a new, empty record that was "rebuilt".
      if (!existsSync(join(dataDir, 'service.db'))) throw new Error(`there is no service.db in ${dataDir}`)
      const release = takeStateDirectory(dataDir, Date.now)
      try {
        const position = await rebuildAll(join(dataDir, 'service.db'), ({ position: done, size }) => console.error(`replayed ${done} of ${size} records, ${Math.floor((100 * done) / Math.max(size, 1))} %`))
        console.log(`rebuilt ${projections.map(({ name }) => name).join(', ')} from ${position} records`)
      } finally {
        release()
      }
    })

/** Makes the tables anew and records that it was done. */
const rebuildAll = async (file: string, tell: (reached: Reached) => void): Promise<number> => {
  const instance = ulid()
  const side = await openWriteSide({ file, instance, now: Date.now, onCommitted: () => {}, log: (message) => console.error(message), asTheyAre: true })
  try {
    const position = rebuildTables(side.writer, { progress: paced(() => performance.now(), tell) })
    const rebuilt = projections.map(({ name, version }) => ({ name, version, position }))
    await side.commit('recordRebuild', CLI, { instance, rebuilt } as never)
    return position
  } finally {
    await side.close()
  }
}
