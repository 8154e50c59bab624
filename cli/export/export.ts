import { existsSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { Command, Option } from 'commander'
import PQueue from 'p-queue'
import * as z from 'zod'
import { TransientError } from '../client/backoff.ts'
import { EXPORT_FORMAT_NAMES, EXPORT_FORMATS, type ExportFormat } from '../../domain/report/export-formats.ts'
import { printable } from '../../domain/text/printable.ts'
import { exportedBytes } from './forms.ts'
import { WrongLength, copyTo, exportFileName, printableText, runFileName, writeWhole, type Copy } from './write-file.ts'
import { exportedFileNames, exportWithParts } from '../evidence/export-parts.ts'
import { zippedFolder } from '../evidence/zip-folder.ts'
import { isExportedRun } from '../evidence/exported-run.ts'
import { errorText, readAnswer } from '../client/answer.ts'
import { serverOf, serverOption, serviceClient, unauthorized, type ServiceClient } from '../client/service-client.ts'
import { listenForStop } from '../terminal/stop-signals.ts'
import { UserError, exitWith, withUsageExit } from '../../maintenance/user-error.ts'
import { makeFolder } from '../terminal/make-folder.ts'
import { listPages, queryText } from '../client/pages.ts'
import { causeText } from '../../domain/plain/cause-text.ts'

type Options = {
  readonly server?: string
  readonly output?: string
  readonly outDir?: string
  readonly all?: true
  readonly project?: string
  readonly suite?: string
  readonly format?: ExportFormat
  readonly bom?: true
  readonly raw?: true
  readonly gzip?: true
  readonly force?: true
  readonly withParts?: true
}

const CONCURRENCY = 4
const Page = z.object({ runs: z.array(z.object({ id: z.string() })), next_cursor: z.string().nullable() })

export const exportCommand = (): Command =>
  withUsageExit(new Command('export'))
    .argument(
      '[run-id...]',
      'runs to export; a single run is printed to standard output unless a file or folder is given',
    )
    .addOption(serverOption())
    .option('-o, --output <file>', 'write the run to this file')
    .addOption(new Option('--out <file>').hideHelp().conflicts('output'))
    .option('--out-dir <folder>', 'write each run to a file in this folder, named after its id')
    .option('--all', 'export every run that the token may see')
    .option('--project <project>', 'with --all: only this project')
    .option('--suite <suite>', 'with --all: only this suite')
    .addOption(
      new Option(
        '--format <format>',
        'write runs in a format of other tools; without it, as they were uploaded, byte for byte',
      ).choices(EXPORT_FORMAT_NAMES),
    )
    .option('--bom', 'with --format csv: begin with a byte order mark')
    .option('--raw', 'with --format csv: put no apostrophe in front of what a spreadsheet may run as a formula')
    .option(
      '--with-parts',
      'with --out-dir: a folder for each run, with its document, its evidence and receipts, which "ers import" takes and "sha256sum -c" checks; with -o FILE.zip (or --out): the same as an archive',
    )
    .option('--gzip', 'compress the output with gzip')
    .option('--force', 'overwrite existing files; without this option they are skipped')
    .addHelpText(
      'after',
      '\nSERVICE_TOKEN is the bearer token. Exit code 0: all runs are exported; 1: some failed; 2: the export could not start, or had to stop; 130: interrupted.',
    )
    .action((ids: string[], { out, ...options }: Options & { readonly out?: string }) =>
      exitWith(() => runExport(ids, out === undefined ? options : { ...options, output: out })),
    )

/** Returns why ids and options cannot be combined, or null if they can. */
export const misuse = (
  ids: readonly string[],
  { all, project, suite, output, outDir, format, bom, raw, gzip, withParts }: Options,
): string | null => {
  const isZip = output !== undefined && /\.zip$/i.test(output)
  if (withParts && ((outDir === undefined && !isZip) || format !== undefined || gzip))
    return '--with-parts needs --out-dir or --out FILE.zip, and neither --format nor --gzip'
  if ((bom || raw) && format !== 'csv') return '--bom and --raw need --format csv'
  if (output !== undefined && outDir !== undefined) return '-o and --out-dir cannot be combined'
  if (all)
    return ids.length > 0 ? 'name runs or give --all, not both' : outDir === undefined ? '--all needs --out-dir' : null
  if (project !== undefined || suite !== undefined) return '--project and --suite need --all'
  if (ids.length === 0) return 'name the runs to export, or give --all'
  return ids.length > 1 && outDir === undefined ? 'several runs need --out-dir' : null
}

const runExport = async (ids: readonly string[], options: Options): Promise<number> => {
  const wrong = misuse(ids, options)
  if (wrong !== null) throw new UserError(wrong)
  const began = performance.now()
  const stop = listenForStop()
  const token = process.env['SERVICE_TOKEN']
  const client = serviceClient(serverOf(options.server, process.env), token, { signal: stop.signal })
  // `-` means standard output.
  const file = options.output === '-' ? undefined : options.output
  const counts = { exported: 0, skipped: 0, failed: 0 }
  const fatal: unknown[] = []
  const fail = (id: string, reason: string) => {
    counts.failed += 1
    console.error(printable(`${id}: ${reason}`))
  }

  const exportOne = async (id: string) => {
    if (stop.signal.aborted || fatal.length > 0) return
    if (options.withParts && file !== undefined) return exportZip(id, file)
    if (options.withParts) return exportFolder(id, join(options.outDir ?? '.', runFileName(id, '')))
    const path = file ?? (options.outDir === undefined ? null : join(options.outDir, fileNameOf(id, options)))
    if (path !== null && !options.force && existsSync(path)) {
      counts.skipped += 1
      return console.error(printable(`${id}: ${path} exists; give --force to overwrite it`))
    }
    await counted(id, () => download(client, id, path, options, stop.signal, token))
  }

  /** A folder without the digests of its files is of an interrupted export, which goes on. */
  const exportFolder = async (id: string, folder: string) => {
    if (!options.force && isExportedRun(folder)) {
      counts.skipped += 1
      return console.error(printable(`${id}: ${folder} exists; give --force to export it again`))
    }
    await counted(id, () => writeFolder(id, folder))
  }

  /** Writes the folder next to the archive first, so that an interrupted export goes on, and then the archive. */
  const exportZip = async (id: string, path: string) => {
    if (!options.force && existsSync(path)) {
      counts.skipped += 1
      return console.error(printable(`${id}: ${path} exists; give --force to overwrite it`))
    }
    await counted(id, async () => {
      const folder = join(dirname(path), `.${basename(path)}.${runFileName(id, '')}`.slice(0, 200))
      await writeFolder(id, folder)
      const body = zippedFolder(folder, exportedFileNames(folder))
      await writeWhole(body, path, { gzip: false, length: null, signal: stop.signal }).catch((error: unknown) => {
        throw stop.signal.aborted ? error : new NotExported(`cannot be written: ${causeText(error)}`, { cause: error })
      })
      await rm(folder, { recursive: true, force: true })
    })
  }

  const writeFolder = async (id: string, folder: string) => {
    if (isUnnamable(id)) throw new NotExported(UNNAMABLE)
    const { note } = await exportWithParts(client, id, folder, {
      refusal: (response) => refusal(client.url, response, token),
      signal: stop.signal,
    })
    if (note !== null) console.error(printable(`${id}: ${note}`))
  }

  const counted = async (id: string, work: () => Promise<void>) => {
    try {
      await work()
      counts.exported += 1
    } catch (error) {
      if (stop.signal.aborted) fail(id, 'interrupted')
      else if (error instanceof NotExported) fail(id, error.message)
      else if (error instanceof TransientError && (error.status !== null || counts.exported > 0))
        fail(id, error.message)
      else fatal.push(error instanceof TransientError ? new UserError(error.message, { cause: error }) : error)
    }
  }

  try {
    if (options.outDir !== undefined) await makeFolder(options.outDir)
    const queue = new PQueue({ concurrency: CONCURRENCY })
    for await (const id of options.all ? listRunIds(client, options, stop.signal, token) : ids) {
      if (stop.signal.aborted || fatal.length > 0) break
      await queue.onSizeLessThan(1)
      void queue.add(() => exportOne(id))
    }
    await queue.onIdle()
  } finally {
    stop.dispose()
  }
  if (file !== undefined || options.outDir !== undefined) {
    const { exported, skipped, failed } = counts
    console.log(
      `exported ${exported}, skipped ${skipped}, failed ${failed} in ${((performance.now() - began) / 1000).toFixed(1)} s`,
    )
  }
  if (fatal.length > 0) throw fatal[0]
  return stop.code() ?? (counts.failed > 0 ? 1 : 0)
}

/** A URL parser drops these path segments even if they are escaped: the request would name another resource. */
const isUnnamable = (id: string): boolean => id === '' || id === '.' || id === '..'
const UNNAMABLE = 'a run with this id cannot be requested over HTTP'

class NotExported extends Error {
  override readonly name = 'NotExported'
}

const fileNameOf = (id: string, { format, gzip }: Options): string =>
  format === undefined
    ? exportFileName(id, gzip ?? false)
    : runFileName(id, `${EXPORT_FORMATS[format].ending}${gzip ? '.gz' : ''}`)

const download = async (
  client: ServiceClient,
  id: string,
  path: string | null,
  { gzip, format, bom, raw }: Options,
  signal: AbortSignal,
  token: string | undefined,
): Promise<void> => {
  if (isUnnamable(id)) throw new NotExported(UNNAMABLE)
  // Without a content encoding, so that content-length is the length of the document.
  const init = { headers: { 'accept-encoding': 'identity' }, signal }
  // No retry for standard output: written bytes cannot be withdrawn.
  const request = path === null ? client.once : client.request
  const query = queryText({ bom, raw })
  const address = `/runs/${encodeURIComponent(id)}/export${format === undefined ? '' : `/${format}`}${query === '' ? '' : `?${query}`}`
  await request(address, init, async (response) => {
    if (response.status !== 200 || response.body === null) throw await refusal(client.url, response, token)
    const announced = response.headers.get('content-encoding') === null ? response.headers.get('content-length') : null
    const copy = { gzip: gzip ?? false, length: announced === null ? null : Number(announced), signal }
    const { body, faultOf } = watchBody(exportedBytes(response, format))
    try {
      await (path === null ? copyToStdout(body, copy, format) : writeWhole(body, path, copy))
    } catch (error) {
      const fault = faultOf()
      if (fault instanceof Error) throw fault
      if (error instanceof WrongLength)
        throw new TransientError(`the response was interrupted: ${error.message}`, {
          status: response.status,
          cause: error,
        })
      throw error instanceof NotExported
        ? error
        : new NotExported(`cannot be written: ${causeText(error)}`, { cause: error })
    }
  })
}

/** A file or a pipe gets every byte unchanged. For a terminal, some bytes are commands, and texts of a run may contain them. */
const copyToStdout = (body: AsyncIterable<Uint8Array>, copy: Copy, format: ExportFormat | undefined): Promise<void> => {
  if (!process.stdout.isTTY) return copyTo(body, process.stdout, copy)
  if (copy.gzip || format === 'parquet' || format === 'every-eval-ever')
    throw new NotExported('this format is not text; use -o FILE, or a pipe')
  return copyTo(body, process.stdout, copy, printableText())
}

/** Records whether reading the body failed. If writing the output failed instead, a retry would not help. */
const watchBody = (source: AsyncIterable<Uint8Array>) => {
  let fault: unknown = null
  const body = (async function* () {
    try {
      yield* source
    } catch (error) {
      fault = error
      throw error
    }
  })()
  return { body, faultOf: () => fault }
}

const refusal = async (url: string, response: Response, token: string | undefined): Promise<Error> => {
  const reason = await errorText(response)
  if (response.status === 401 || response.status === 403) return unauthorized(url, response.status, reason, token)
  return new NotExported(response.status === 404 ? reason : `${response.status} ${reason}`)
}

const listRunIds = async function* (
  client: ServiceClient,
  { project, suite }: Options,
  signal: AbortSignal,
  token: string | undefined,
): AsyncGenerator<string> {
  const read = (cursor: string | undefined): Promise<z.infer<typeof Page>> =>
    client
      .request(`/runs?${queryText({ limit: 200, project, suite, cursor })}`, { signal }, async (response) => {
        if (response.status !== 200) throw await refusal(client.url, response, token)
        return readAnswer(response, Page)
      })
      .catch((error: unknown) => {
        if (signal.aborted) return { runs: [], next_cursor: null }
        throw new UserError(`the list of runs cannot be read: ${(error as Error).message}`, { cause: error })
      })
  for await (const { runs } of listPages(read)) yield* runs.map(({ id }) => id)
}
