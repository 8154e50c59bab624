import { openNamedBucket } from './named-bucket.ts'
import { Command } from 'commander'
import { printableLines } from '../../domain/text/printable.ts'
import { restoreBackup, restoredText } from '../../maintenance/backup/restore.ts'
import { DEFAULT_DATA_DIR } from '../../maintenance/no-store.ts'
import { exitWith, withUsageExit } from '../../maintenance/user-error.ts'
import { asUserError } from '../terminal/log-failure.ts'
import { DATA_DIR_HELP } from './store-options.ts'
import { EXIT_CODES, findingText, verifyDirectory } from './verify.ts'

export const restoreCommand = (): Command =>
  withUsageExit(new Command('restore'))
    .argument('<folder>', 'a backup, or a folder of backups, of which the newest is restored')
    .option('--data-dir <folder>', DATA_DIR_HELP)
    .addHelpText(
      'after',
      '\nThe state directory must be empty or missing. The copy is verified against the head of the backup, as "ers verify" does, before it becomes the store.' +
        '\n\nExit code 0: restored; 2: the restore could not start, or had to stop; 10 to 20: the backup is not in order, as "ers verify" says. Then nothing was restored.',
    )
    .action((folder: string, { dataDir = process.env['SERVICE_DATA_DIR'] || DEFAULT_DATA_DIR }: { dataDir?: string }) =>
      exitWith(() => restore(folder, dataDir)),
    )

const restore = async (folder: string, dataDir: string): Promise<number> => {
  let code = 0
  const restored = await restoreBackup({
    folder,
    dataDir,
    now: Date.now,
    verify: async (copy, { size, root }) => {
      const bucket = (await openNamedBucket(process.env)) ?? 'unchecked'
      const { finding, notes } = await verifyDirectory(copy, { size, root, by: folder }, undefined, { bucket })
      for (const note of notes) console.error(printableLines(note))
      if (finding === null) return true
      console.error(printableLines(`nothing was restored: ${findingText(finding)}`))
      code = EXIT_CODES[finding.kind]
      return false
    },
  }).catch((error: unknown) => {
    throw asUserError(error)
  })
  if (restored === null) return code
  console.log(`${restoredText(restored, dataDir)}, verified, head ${restored.manifest.size}:${restored.manifest.root}`)
  console.error(
    'If the service recorded or signed anything after this backup, or still runs elsewhere, give this store a key of another origin before its first start ' +
      '(docs/record.md, "Restoring an older backup").' +
      (restored.manifest.files['checkpoint-key'] === undefined
        ? ' The backup has no signing key: otherwise put the key of the service in place as checkpoint-key.'
        : ''),
  )
  return 0
}
