import { Command } from 'commander'
import { printable, printableLines } from '../../domain/text/printable.ts'
import { exitWith, UserError, withUsageExit } from '../../maintenance/user-error.ts'
import { TransientError } from '../client/backoff.ts'
import { serverOf, serverOption, serviceClient, unauthorized, type ServiceClient } from '../client/service-client.ts'
import { writeStdout } from '../terminal/stdout.ts'
import { untilStopped } from '../terminal/stop-signals.ts'
import { fetchReceipt, NoReceipt, receiptPath, saveReceipt } from './save-receipt.ts'
import { makeFolder } from '../terminal/make-folder.ts'

type Options = { readonly server?: string; readonly out?: string; readonly cosigned?: true }

export const receiptCommand = (): Command =>
  withUsageExit(new Command('receipt'))
    .argument('<run-id...>', 'runs whose receipts to download; a single one is printed unless a folder is given')
    .addOption(serverOption())
    .option(
      '--out <folder>',
      'write each receipt to a file in this folder, named after the run; existing files are not replaced',
    )
    .option('--cosigned', 'only receipts that enough witnesses have cosigned; waits about half a minute for them')
    .addHelpText(
      'after',
      '\nA receipt proves that a run document was recorded, and when. "ers check-receipt" checks it without a server. SERVICE_TOKEN is the bearer token: only who uploaded a run, or an admin, may have its receipt.\n\nA receipt contains the id of the run, its project and suite, the account that uploaded it, and the network address of the uploader. Give it only to people who may know them.\n\nExit code 0: all receipts are there; 1: some are not; 2: the command could not start, or had to stop; 130: interrupted.',
    )
    .action((ids: string[], options: Options) =>
      exitWith(() => untilStopped(({ signal }) => downloadReceipts(ids, options, signal))),
    )

const downloadReceipts = async (ids: readonly string[], options: Options, signal: AbortSignal): Promise<number> => {
  const { out } = options
  if (ids.length > 1 && out === undefined) throw new UserError('several runs need --out')
  const token = process.env['SERVICE_TOKEN']
  const client = serviceClient(serverOf(options.server, process.env), token, { signal })
  if (out !== undefined) await makeFolder(out)
  let missing = 0
  for (const id of ids) {
    if (signal.aborted) break
    try {
      await download(client, id, { out, isCosigned: options.cosigned ?? false, signal })
    } catch (error) {
      if (error instanceof NoReceipt && error.status === 401)
        throw unauthorized(client.url, error.status, error.message, token)
      // Without a response from the service, no other receipt can be downloaded either.
      if (error instanceof TransientError && error.status === null) throw new UserError(error.message, { cause: error })
      if (!(error instanceof NoReceipt || error instanceof TransientError)) throw error
      missing += 1
      process.stderr.write(`${printable(`${id}: ${error.message}`)}\n`)
    }
  }
  return missing > 0 ? 1 : 0
}

type Target = { readonly out: string | undefined; readonly isCosigned: boolean; readonly signal: AbortSignal }

const download = async (client: ServiceClient, id: string, { out, ...asked }: Target): Promise<void> => {
  if (out === undefined) {
    const receipt = await fetchReceipt(client, id, asked)
    // A file gets every byte as it came. A terminal obeys some of them, and names in a note may have those.
    return writeStdout(process.stdout.isTTY ? printableLines(receipt) : receipt)
  }
  const path = receiptPath(out, id)
  const isNew = await saveReceipt(client, id, out, asked)
  const line = isNew ? path : `${id}: ${path} exists and is kept; move it away to download another`
  process.stderr.write(`${printable(line)}\n`)
}
