import type { Command } from 'commander'
import * as z from 'zod'
import { isDotName } from '../../domain/run/dot-names.ts'
import { printable } from '../../domain/text/printable.ts'
import { UsageError } from '../../engine/json.ts'
import { errorText, readAnswer } from '../client/answer.ts'
import { send, sendOnce, unexpected } from '../client/baseline-server.ts'
import { requiredServer, type EngineServer, type ServerUrlOptions } from '../client/engine-server.ts'
import type { GlobalOptions } from '../suite/global-options.ts'
import { repeated } from '../terminal/option-values.ts'
import { writeStdout } from '../terminal/stdout.ts'
import { runCommand, runsCommandNamed, withServerOptions } from './command.ts'
import { resolveRunId } from './run-id.ts'

const RUN = 'latest, a file, a folder with result.json, the id of a stored run, or the id of a run of the service'
const HELP =
  '\nSERVICE_TOKEN is the bearer token, of scope write. Exit code 0: done; 2: the run is not known to the service, or the service does not accept what is added; 3: the service failed.'

type AnnotateOptions = GlobalOptions &
  ServerUrlOptions & {
    readonly title?: string
    readonly note?: string
    readonly tag?: readonly string[]
    readonly untag?: readonly string[]
  }

export const annotateCommand = (): Command =>
  withServerOptions(
    runsCommandNamed('annotate')
      .argument('<run>', RUN)
      .option('--title <text>', 'the title that names the run in pages; an empty one removes it')
      .option('--note <text>', 'the note; an empty one removes it')
      .option('--tag <tag>', 'a tag to add; repeat the option for several', repeated)
      .option('--untag <tag>', 'an added tag to remove; repeat the option for several', repeated),
  )
    .addHelpText('after', `\nWhat is left out stays, and so do the title, note and tags of the document.${HELP}`)
    .action((reference: string, options: AnnotateOptions) =>
      runCommand(options, async ({ signal, store }) => {
        const { title, note, tag = [], untag = [] } = options
        if (title === undefined && note === undefined && tag.length + untag.length === 0)
          throw new UsageError('give --title, --note, --tag or --untag')
        const both = tag.find((each) => untag.includes(each))
        if (both !== undefined) throw new UsageError(`${printable(both)} is given with --tag and --untag`)
        const server = requiredServer(options, process.env, signal)
        const id = await resolveRunId(reference, store)
        const body = { title: emptyAsNull(title), note: emptyAsNull(note), add_tags: tag, remove_tags: untag }
        const { added } = await send(server, pathOf(id, 'annotations'), request('PATCH', body), (response) =>
          accepted(server, response, 200, Annotated),
        )
        await writeStdout(`${printable(`${id}: ${addedText(added)}`)}\n`)
        return 0
      }),
    )

type CommentOptions = GlobalOptions & ServerUrlOptions & { readonly case?: string }

export const commentCommand = (): Command =>
  withServerOptions(
    runsCommandNamed('comment')
      .argument('<run>', RUN)
      .argument('<text>', 'plain text of at most 10,000 characters')
      .option('--case <key>', 'the key of a case of the run: the comment is on this case'),
  )
    .addHelpText('after', HELP)
    .action((reference: string, text: string, options: CommentOptions) =>
      runCommand(options, async ({ signal, store }) => {
        const server = requiredServer(options, process.env, signal)
        const id = await resolveRunId(reference, store)
        const body = { text, case_key: options.case ?? null }
        // A second attempt could add it twice.
        const comment = await sendOnce(server, pathOf(id, 'comments'), request('POST', body), (response) =>
          accepted(server, response, 201, Comment),
        )
        await writeStdout(`${printable(`comment ${comment.id} on ${id}`)}\n`)
        return 0
      }),
    )

const emptyAsNull = (text: string | undefined): string | null | undefined => (text === '' ? null : text)

/** Throws `UsageError` for an id that clients remove from an address, so that no service has such a run. */
const pathOf = (id: string, what: 'annotations' | 'comments'): string => {
  if (isDotName(id)) throw new UsageError('run not found')
  return `/runs/${encodeURIComponent(id)}/${what}`
}

const request = (method: 'PATCH' | 'POST', body: object): RequestInit => ({
  method,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
})

const Annotated = z.object({
  added: z.object({ title: z.string().nullable(), note: z.string().nullable(), tags: z.array(z.string()) }).nullable(),
})
const Comment = z.object({ id: z.string() })

/** The answer of a service that did what was asked. Throws `UsageError` for what the user can correct, else `HarnessError`. */
const accepted = async <T>(
  server: EngineServer,
  response: Response,
  success: number,
  schema: z.ZodType<T>,
): Promise<T> => {
  const { status } = response
  if (status === success) return readAnswer(response, schema)
  if (status === 404 || status === 413 || status === 422) {
    const reason = await errorText(response)
    const hint = reason === 'run not found' ? '; upload the run first, with ers share' : ''
    throw new UsageError(`${server.client.url}: ${reason}${hint}`)
  }
  throw await unexpected(server, response)
}

/** What a run has in addition to its document, in a line. */
const addedText = (added: z.infer<typeof Annotated>['added']): string => {
  const { title = null, note = null, tags = [] } = added ?? {}
  const parts = [
    ...(title === null ? [] : [`title ${JSON.stringify(title)}`]),
    ...(note === null ? [] : [`note ${JSON.stringify(note)}`]),
    ...(tags.length === 0 ? [] : [`tags ${tags.map((tag) => JSON.stringify(tag)).join(', ')}`]),
  ]
  return parts.length === 0 ? 'nothing is added' : parts.join(', ')
}
