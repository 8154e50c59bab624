import { InvalidArgumentError, type Command } from 'commander'
import {
  COMMENTS_MAY_QUOTE,
  MAX_SHARED_FILE_BYTES,
  MAX_SHARED_OUTPUT_BYTES,
  mayHaveComments,
  SHARED_EXTRAS,
  SHARED_FILE_KINDS,
  SHARED_PARTS,
  type SharedExtra,
  type SharedPart,
} from '../../domain/report/shared-parts.ts'
import type { Column } from '../../domain/lists/column.ts'
import { isDigest } from '../../domain/evidence/manifest.ts'
import { HarnessError, UsageError } from '../../engine/json.ts'
import { serverUrlOf, type ServerUrlOptions } from '../client/engine-server.ts'
import { writeWhole } from '../export/write-file.ts'
import { note, runCommand, runsCommandNamed, withServerOptions } from '../runs/command.ts'
import type { GlobalOptions } from '../suite/global-options.ts'
import { COLUMN, columnOption } from '../terminal/option-values.ts'
import { writeStdoutChunks } from '../terminal/stdout.ts'
import { collect } from './collect.ts'
import { inlineParts, type WantedParts } from './inline-parts.ts'
import { findSharedRun, NO_EXTRAS, type ExtrasOfRun } from './find-run.ts'
import { readTemplate, sharedPage } from './page.ts'
import { causeText } from '../../domain/plain/cause-text.ts'

type ShareHtmlOptions = GlobalOptions &
  ServerUrlOptions & {
    readonly compare?: string
    readonly baseColumn?: Column
    readonly headColumn?: Column
    readonly output: string
    readonly without?: ReadonlySet<SharedPart>
    readonly with?: ReadonlySet<SharedExtra>
    readonly parts?: WantedParts
    readonly full?: boolean
    readonly yes?: boolean
  }

export const shareHtmlCommand = (): Command => {
  const command = runsCommandNamed('share-html')
    .argument(
      '<run>',
      'the id of a run of the service or of a stored run, latest, a file, or a folder with result.json',
    )
    .option('--compare <base>', 'a run that it is compared with; with columns also the run itself')
    .option('--base-column <column>', `compare only this column of the base: ${COLUMN}`, columnOption)
    .option('--head-column <column>', 'compare only this column of the run', columnOption)
    .requiredOption('-o, --output <file>', 'write the page to this file; - prints it')
    .option('--without <parts>', `leave out parts of the cases: ${SHARED_PARTS.join(', ')}`, oneOrMoreOf(SHARED_PARTS))
    .option('--with <extras>', `also what people said: ${SHARED_EXTRAS.join(', ')}`, oneOrMoreOf(SHARED_EXTRAS))
    .option(
      '--parts <parts>',
      `also files of the cases, up to ${MAX_SHARED_FILE_BYTES / 1024 / 1024} MiB: ${SHARED_FILE_KINDS.join(', ')}, or the SHA-256 of a part`,
      partsOption,
    )
    .option('--full', `whole outputs; without it, those beyond ${MAX_SHARED_OUTPUT_BYTES / 1024} KiB are cut`)
    .option('--yes', 'also a run of a restricted suite')
  return withServerOptions(command)
    .addHelpText(
      'after',
      '\nThe file needs no server and no network: it shows the run, its cases and the comparison. Everyone who has it can read all that is in it. ' +
        'If a service is named, an id is looked up there first; SERVICE_TOKEN is the bearer token. ' +
        'Exit code 0: written; 2: a run is not known, is restricted, or the options are wrong; 3: the service does not answer, or the file cannot be written.',
    )
    .action((reference: string, options: ShareHtmlOptions) =>
      runCommand(options, async ({ signal, log, store }) => {
        const [without, extras] = [[...(options.without ?? [])], [...(options.with ?? [])]]
        if (extras.includes('comments') && !mayHaveComments(without))
          throw new UsageError(`--with and --without exclude each other: ${COMMENTS_MAY_QUOTE}`)
        if (options.parts && !mayHaveComments(without))
          throw new UsageError('--parts and --without exclude each other: parts may show what is left out')
        const template = readTemplate()
        const find = (name: string) =>
          findSharedRun(name, { store, url: serverUrlOf(options, process.env), env: process.env, signal })
        const head = await find(reference)
        const base = options.compare === undefined ? null : await find(options.compare)
        const { baseColumn, headColumn } = options
        const hasColumns = baseColumn !== undefined || headColumn !== undefined
        if (base?.id === head.id && !hasColumns)
          throw new UsageError('--compare names the run itself: give another run, or columns of it')
        if (!base && hasColumns)
          throw new UsageError('--base-column and --head-column need --compare, which may name the run itself')
        const runs = [head, ...(base && base.id !== head.id ? [base] : [])]
        const restricted = runs.filter(({ isRestricted }) => isRestricted)
        if (restricted.length > 0 && options.yes !== true)
          throw new UsageError(
            `${restricted.map(({ id }) => id).join(' and ')}: the suite is restricted, but everyone who has the file can read it. Give --yes to write it`,
          )
        for (const { warning } of runs) if (warning !== null) log.warn(warning)
        // Only what is in the file is asked for.
        const known = new Map<string, ExtrasOfRun>()
        for (const run of runs) known.set(run.id, await run.readExtras(extras))
        for (const { warning } of known.values()) if (warning !== null) log.warn(warning)
        const collected = await collect(
          { head, base, extrasOf: (id) => known.get(id) ?? NO_EXTRAS },
          {
            base_column: baseColumn,
            head_column: headColumn,
            without,
            with: extras,
            max_output_bytes: options.full ? null : MAX_SHARED_OUTPUT_BYTES,
          },
        )
        const inlined = options.parts ? await inlineParts(runs, options.parts) : null
        if (inlined?.warning) log.warn(inlined.warning)
        await write(options.output, sharedPage(template, [...collected, ...(inlined?.elements ?? [])]), signal)
        return 0
      }),
    )
}

/** A parser of names that are separated by commas. The option may be given several times. */
const oneOrMoreOf =
  <T extends string>(known: readonly T[]) =>
  (text: string, earlier: ReadonlySet<T> = new Set()): ReadonlySet<T> => {
    const names = text.split(',').map((name) => name.trim())
    const parts = names.map((name) => known.find((part) => part === name))
    const unknown = names.find((_, n) => parts[n] === undefined)
    if (unknown !== undefined)
      throw new InvalidArgumentError(`${JSON.stringify(unknown)} is none of ${known.join(', ')}.`)
    return new Set([...earlier, ...parts.filter((part) => part !== undefined)])
  }

const partsOption = (text: string, earlier: WantedParts = new Set()): WantedParts => {
  const names = text.split(',').map((name) => name.trim())
  const unknown = names.find((name) => !isDigest(name) && !SHARED_FILE_KINDS.some((kind) => kind === name))
  if (unknown !== undefined)
    throw new InvalidArgumentError(
      `${JSON.stringify(unknown)} is none of ${SHARED_FILE_KINDS.join(', ')}, and no SHA-256.`,
    )
  return new Set([...earlier, ...names])
}

const write = async (path: string, page: Iterable<string>, signal: AbortSignal): Promise<void> => {
  if (path === '-') return writeStdoutChunks(page)
  let writtenBytes = 0
  const body = (function* () {
    for (const part of page) {
      const bytes = Buffer.from(part)
      writtenBytes += bytes.length
      yield bytes
    }
  })()
  try {
    await writeWhole(body, path, { gzip: false, length: null, signal })
  } catch (error) {
    throw new HarnessError(`${path} cannot be written: ${causeText(error)}`, { cause: error })
  }
  note(`wrote ${path} (${(writtenBytes / 1024 / 1024).toFixed(1)} MiB)`)
}
