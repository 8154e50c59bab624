import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { Command } from 'commander'
import { verifyLog } from './verify-log.ts'
import type { Finding } from './verify-log.ts'

/** Exit codes: what a script needs to tell apart. */
const EXIT: Record<Finding['kind'], number> = { altered: 10, rolled_back: 11, missing: 12, unreadable: 20 }

export const verifyCommand = (): Command =>
  new Command('verify')
    .description('check the whole log of a state directory against itself; works while a server uses it')
    .option('--data-dir <folder>', 'state directory (default SERVICE_DATA_DIR, else /data)')
    .option('--against <size:root>', 'a size and root (hex) noted earlier, as the server logs them: was history rolled back or rewritten since?', parseAnchor)
    .addHelpText('after', '\nExit codes: 0 in order, 10 altered, 11 rolled back or rewritten against SIZE:ROOT, 12 something is missing, 20 unreadable.')
    .action(async ({ dataDir = process.env['SERVICE_DATA_DIR'] ?? '/data', against = null }: { dataDir?: string; against?: Anchor | null }) => {
      const file = join(dataDir, 'service.db')
      if (!existsSync(file)) {
        console.error(`unreadable: there is no service.db in ${dataDir}`)
        process.exitCode = EXIT.unreadable
        return
      }
      const { finding, size, root, documents } = await verifyLog(file, against)
      if (finding) {
        console.error(`${finding.kind.replace('_', ' ')}: ${finding.message}`)
        process.exitCode = EXIT[finding.kind]
        return
      }
      console.log(`ok: ${size} records, ${documents} documents, head ${size}:${root}`)
    })

export type Anchor = { readonly size: number; readonly root: string }

const parseAnchor = (text: string): Anchor => {
  const parts = /^(\d{1,15}):([0-9a-f]{64})$/i.exec(text)
  if (parts?.[1] === undefined || parts[2] === undefined) throw new Error('--against takes SIZE:ROOT, a number and 64 hex digits')
  return { size: Number(parts[1]), root: parts[2].toLowerCase() }
}
