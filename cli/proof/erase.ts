import { Command, InvalidArgumentError } from 'commander'
import { z } from 'zod'
import { counted } from '../../domain/plain/counted.ts'
import { MAX_ERASED } from '../../commands/erasure/erase-records.ts'
import type { ErasureTarget } from '../../commands/erasure/erasable.ts'
import { printable } from '../../domain/text/printable.ts'
import { isReference, REFERENCE } from '../../domain/reference.ts'
import { exitWith, UserError, withUsageExit } from '../../maintenance/user-error.ts'
import { CLI } from '../../queries/access/viewer.ts'
import { untilStopped } from '../terminal/stop-signals.ts'
import { onTarget, withAdminTarget, type AdminTarget } from '../store/admin-target.ts'

type Options = AdminTarget & {
  readonly run?: string
  readonly user?: string
  readonly record?: readonly number[]
  readonly reference: string
  readonly dryRun?: boolean
  readonly json?: boolean
}

const Erased = z.object({
  erasure_id: z.string(),
  records: z.number(),
  kept: z.number(),
  documents: z.number(),
  // Earlier versions have no evidence.
  parts: z.number().default(0),
  shared_parts: z.number().default(0),
  objects_pending: z.number().default(0),
  dry_run: z.boolean(),
})

/** Reads `--reference` of a command. */
export const parseReference = (text: string): string => {
  if (!isReference(text))
    throw new InvalidArgumentError(`It must be 1 to 64 of the characters ${REFERENCE.characters}.`)
  return text
}

export const eraseCommand = (): Command =>
  withAdminTarget(
    withUsageExit(new Command('erase'))
      .option('--run <id>', 'erase a run: it is deleted, and so is what the log says about it')
      .option('--user <id>', 'erase an account that was deleted: what it did, and what was recorded about it')
      .option('--record <number...>', `erase some records of the log, at most ${MAX_ERASED}`, parseRecord)
      .requiredOption(
        '--reference <text>',
        'where the reason is written down, such as a ticket; it stays in the log for ever',
        parseReference,
      )
      .option('--dry-run', 'only count what would be erased'),
  )
    .option('--json', 'print the counts as JSON')
    .addHelpText(
      'after',
      '\nNumber, time, type and hashes of an erased record stay, so that receipts and checkpoints stay valid. Backups, standbys, exports and receipts are not erased. ' +
        'SERVICE_TOKEN is the bearer token, of scope admin. Exit code 0: erased; 2: nothing could be erased; 130: interrupted.',
    )
    .action((options: Options) => exitWith(() => erase(options)))

const parseRecord = (text: string, earlier: readonly number[] = []): readonly number[] => {
  const seq = Number(text)
  if (!/^[1-9]\d{0,14}$/.test(text)) throw new InvalidArgumentError('It must be the number of a record.')
  return [...earlier, seq]
}

const erasureTarget = ({ run, user, record }: Options): ErasureTarget => {
  const [target, another] = [
    ...(run === undefined ? [] : [{ run_id: run }]),
    ...(user === undefined ? [] : [{ user_id: user }]),
    ...(record === undefined ? [] : [{ seqs: record }]),
  ]
  if (!target || another) throw new UserError('give exactly one of --run, --user and --record')
  if (record !== undefined && record.length > MAX_ERASED)
    throw new UserError(`--record: at most ${MAX_ERASED} records can be erased at once`)
  return target
}

const erase = (options: Options): Promise<number> => {
  const target = erasureTarget(options)
  const { reference, dryRun = false, json = false } = options
  return untilStopped(async ({ signal }) => {
    const erased = await onTarget(options, signal, {
      method: 'POST',
      path: '/erasures',
      body: { ...target, reference, dry_run: dryRun },
      parse: (body) => Erased.parse(body),
      onStore: async (service) => {
        const [{ erase: eraseInStore }, { newIds }] = await Promise.all([
          import('../../runtime/proof/erase.ts'),
          import('../../http/identity/ids.ts'),
        ])
        const erasure_id = newIds()()
        const counts = await eraseInStore(service, CLI, { erasure_id, reference, target, dry_run: dryRun })
        return { erasure_id, ...counts, dry_run: dryRun }
      },
    })
    console.log(printable(json ? JSON.stringify(erased) : erasureText(erased)))
    return 0
  })
}

const erasureText = ({
  erasure_id,
  records,
  kept,
  documents,
  parts,
  shared_parts,
  objects_pending,
  dry_run,
}: z.infer<typeof Erased>): string => {
  // Then the log has no such erasure.
  if (records === 0 && documents === 0) return 'nothing to erase: everything was erased earlier'
  const counts = `${counted(records, 'record')} and ${counted(documents, 'document')}`
  const left = kept === 0 ? '' : `; ${kept} of the records ${kept === 1 ? 'leaves' : 'leave'} facts that lists need`
  const evidence =
    (parts === 0 ? '' : `; ${dry_run ? 'with' : 'and'} ${counted(parts, 'part')} of evidence`) +
    (shared_parts === 0
      ? ''
      : `; ${counted(shared_parts, 'part')} of evidence ${shared_parts === 1 ? 'stays' : 'stay'}, because another run has ${shared_parts === 1 ? 'it' : 'them'}`) +
    (objects_pending === 0 || dry_run
      ? ''
      : `; the sealed bytes of ${counted(objects_pending, 'object')}, whose keys are erased, are removed by the service within the hour`)
  return (dry_run ? `would erase ${counts}${left}` : `erased ${counts} (erasure ${erasure_id})${left}`) + evidence
}
