import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { Command } from 'commander'
import { ulid } from 'ulid'
import { projections } from '../projections/index.ts'
import { rebuild } from '../projections/replay.ts'
import { CLI } from '../queries/viewer.ts'
import { takeStateDirectory } from '../storage/instance-lock.ts'
import { openWriteSide } from './write-side.ts'

export const rebuildCommand = (): Command =>
  new Command('rebuild')
    .description('empty the read tables of a state directory and replay the log into them; no server may be using it')
    .option('--data-dir <folder>', 'state directory (default SERVICE_DATA_DIR, else /data)')
    .action(async ({ dataDir = process.env['SERVICE_DATA_DIR'] ?? '/data' }: { dataDir?: string }) => {
      // A mistyped folder must not become a new, empty record that was "rebuilt".
      if (!existsSync(join(dataDir, 'service.db'))) throw new Error(`there is no service.db in ${dataDir}`)
      const release = takeStateDirectory(dataDir, Date.now)
      try {
        const position = await rebuildAll(join(dataDir, 'service.db'), (done, of) => console.error(`replayed ${done} of ${of} records`))
        console.log(`rebuilt ${projections.map(({ name }) => name).join(', ')} from ${position} records`)
      } finally {
        release()
      }
    })

/** Replays in one transaction: broken off at any point, the tables are as they were. Records that it was done. */
const rebuildAll = async (file: string, progress: (done: number, of: number) => void): Promise<number> => {
  const instance = ulid()
  const side = await openWriteSide({ file, instance, now: Date.now, onCommitted: () => {}, log: (message) => console.error(message) })
  try {
    const position = side.writer.exclusively(() => rebuild(side.writer.connection, progress))
    const rebuilt = projections.map(({ name, version }) => ({ name, version, position }))
    await side.commit('recordRebuild', CLI, { instance, rebuilt } as never)
    return position
  } finally {
    await side.close()
  }
}
