import { z } from 'zod'
import { Refused } from '../../../commands/refused.ts'
import type { ImportedItem, ImportedLabel } from '../../../commands/review/import-labels.ts'
import { QUEUE_TARGETS, RESOLVES, LABEL_LIMITS } from '../../../domain/review/final.ts'
import {
  importedAnswer,
  LABEL_FORMATS,
  LEFT_OUT,
  leftOutCounts,
  MAX_FOREIGN_NAME,
  MAX_IMPORTED_LABELS,
  type ForeignLabel,
} from '../../../domain/review/imported.ts'
import { splitQuestions } from '../../../domain/review/rubric.ts'
import { MAX_ITEMS } from '../../../domain/review/selection.ts'
import { SourceRefused } from '../../../interchange/document/source-refused.ts'
import { readLabels } from '../../../interchange/labels/read-labels.ts'
import type { ForeignLabels } from '../../../interchange/labels/label-file.ts'
import type { ImportCases, NoImportCases } from '../../../queries/reviews/import-cases.ts'
import { findRubric, type RubricDetail } from '../../../queries/reviews/rubrics.ts'
import { ReviewQueue } from '../../../queries/reviews/queues.ts'
import { ErrorBody, LONG_READ, mustExist } from '../../errors.ts'
import { newIds } from '../../identity/ids.ts'
import { encodingOf, inflated, receive } from '../../requests/body.ts'
import { byteBudget } from '../../requests/byte-budget.ts'
import { flag, repeated } from '../../requests/shared-parameters.ts'
import type { Route } from '../route.ts'
import { readQueue, valueOf } from './queue.ts'

/** Maximum bytes of a file, and of all files that are being read. */
const MAX_FILE_BYTES = 32 * 1024 * 1024
const MAX_WAITING_BYTES = 64 * 1024 * 1024
/** Problems of a file that one answer names. */
const MAX_NAMED = 5

const Query = z
  .strictObject({
    from: z.enum(LABEL_FORMATS).meta({ description: 'The tool that wrote the file; `csv` for a table of your own.' }),
    rubric_id: z.string().meta({ description: 'The rubric that the labels follow: its newest version.' }),
    run_id: z.string().meta({ description: 'The run whose cases were labelled.' }),
    target: z.enum(QUEUE_TARGETS).default('case').meta({ description: 'Whole cases, or one judged metric.' }),
    metric: z.string().optional().meta({ description: 'The name of the metric; none for whole cases.' }),
    match: z.string().min(1).default('case_key').meta({
      description:
        'What names a case, in the file and in the run: `case_key`, `test_id`, or the name of a variable of the cases.',
    }),
    question: z.string().min(1).optional().meta({
      description:
        'The name of the question in the tool. Its answers are those to the deciding question of the rubric.',
    }),
    pass: repeated('For a verdict: a value that passes; all others fail. May be given several times.'),
    cannot_tell: repeated('A value that says that the person cannot tell. May be given several times.'),
    resolve: z.enum(RESOLVES).default('majority').meta({
      description:
        'What makes a final label where labels differ. A closed queue has no adjudicator, so with `adjudicate` these items wait.',
    }),
    random_sample: flag.meta({
      description: 'Whether the cases were drawn at random. Otherwise the labels never say how often a judge is wrong.',
    }),
  })
  .refine(({ target, metric }) => (target === 'metric') === (metric !== undefined), {
    path: ['metric'],
    message: 'name a metric for the target metric, and none for cases',
  })
  .refine(({ from, question }) => from === 'csv' || question !== undefined, {
    path: ['question'],
    message: 'name the question of the tool',
  })
type Query = z.infer<typeof Query>

const Imported = z
  .object({
    queue: ReviewQueue.nullable().meta({ description: 'Null if the file has nothing new' }),
    labels: z.number().int().meta({ description: 'Labels that were recorded' }),
    repeated: z.number().int().meta({ description: 'Labels that an earlier import has' }),
    left_out: z.array(
      z.object({
        reason: z.enum(LEFT_OUT),
        count: z.number().int(),
        first: z.array(z.string()).meta({ description: 'Where the first ones are in the file' }),
      }),
    ),
  })
  .meta({ id: 'ImportedLabels' })

const unprocessable = (problems: readonly string[]): Refused => {
  const more = problems.length - MAX_NAMED
  return new Refused(
    'unprocessable',
    [...problems.slice(0, MAX_NAMED), ...(more > 0 ? [`and ${more} more`] : [])].join('; '),
  )
}

/** Refuses: unprocessable, with the place in the file. */
const readFile = async (content: Uint8Array, { from, question, match }: Query): Promise<ForeignLabels> => {
  try {
    return await readLabels(from, content, { question: question ?? null, match })
  } catch (error) {
    throw error instanceof SourceRefused ? new Refused('unprocessable', `file: ${error.message}`) : error
  }
}

export const importLabelsRoute: Route = (app, services) => {
  const { reader, commit, longReads, now } = services
  const waiting = byteBudget(MAX_WAITING_BYTES, 'too many imports of labels are waiting')
  const mint = newIds()
  app.post(
    '/review-queues/import',
    {
      config: { scope: 'write', bodyType: 'application/octet-stream' },
      schema: {
        tags: ['reviews'],
        operationId: 'importLabels',
        summary: 'Record labels that people gave in another tool, as a closed queue',
        querystring: Query,
        response: {
          200: Imported.meta({ description: 'All of its labels were imported before' }),
          201: Imported,
          404: ErrorBody,
          409: ErrorBody,
          413: ErrorBody,
          415: ErrorBody,
          422: ErrorBody,
          ...LONG_READ,
        },
      },
    },
    async (request, reply) => {
      const { viewer, query, clientLeft } = request
      const encoding = encodingOf(request)
      const reservation = waiting.enter()
      try {
        const body = await receive(request.raw, MAX_FILE_BYTES, reservation.grow)
        const content = await inflated(body, encoding, MAX_FILE_BYTES)
        reservation.grow(content.length)
        const { rubric_id, run_id, from, target, match, resolve } = query
        const metric = query.metric ?? null
        const rubric = mustExist(await reader.read(findRubric(viewer, rubric_id, null)), 'rubric')
        const { project, suite, version: rubric_version } = rubric
        const file = await readFile(content, query)
        if (file.labels.length > MAX_IMPORTED_LABELS)
          throw unprocessable([`file: has ${file.labels.length} labels; one import takes ${MAX_IMPORTED_LABELS}`])
        const keys = [...new Set(file.labels.flatMap(({ key }) => key ?? []))]
        const wanted = { project, suite, run_id, target, metric, match, keys }
        // Safe: the read returns one of these.
        const cases = valueOf(await longReads.importCases(viewer, wanted, clientLeft)) as ImportCases | NoImportCases
        if (cases.problem === 'run not found') throw new Refused('not_found', 'run not found')
        if (cases.problem !== null) throw unprocessable([cases.message])
        const items = itemsOf(file, new Map(keys.map((key, i) => [key, cases.items[i]!])), rubric, query, mint)
        const found = await commit.importLabels(viewer, {
          ...{ queue_id: mint(), project, suite, rubric_id, rubric_version, target, metric, resolve },
          ...{
            format: from,
            isRandomSample: query.random_sample ?? false,
            runs: cases.runs,
            items: items.found,
            at: now(),
          },
        })
        const { queue_id, labels, repeated: known } = found
        const queue = queue_id === null ? null : await readQueue(services, viewer, queue_id)
        return await reply
          .code(queue === null ? 200 : 201)
          .send({ queue, labels, repeated: known, left_out: items.left_out })
      } finally {
        reservation.leave()
      }
    },
  )
}

type FoundItem = ImportCases['items'][number]

/**
 * The cases that the labels of a file are about, in their order in the run. Refuses: unprocessable (a rubric of preferences, an answer that is
 * none, two labels of one person of which neither is the later one, no label at all).
 */
const itemsOf = (
  file: ForeignLabels,
  places: ReadonlyMap<string, FoundItem>,
  rubric: RubricDetail,
  { pass = [], cannot_tell = [], match }: Query,
  mint: () => string,
) => {
  const { questions, words } = splitQuestions(rubric.questions)
  const deciding = questions.find((question) => question.deciding)!
  if (deciding.kind === 'preference') throw unprocessable(['rubric_id: labels of pairs are not imported'])
  if (pass.length > 0 && deciding.kind !== 'verdict')
    throw unprocessable([`pass: the rubric says what passes, because its question is of the kind ${deciding.kind}`])
  const hasProse = questions.some(({ kind }) => kind === 'comment')
  const { add, all } = leftOutCounts()
  for (const { reason, count, first } of file.left_out) for (let i = 0; i < count; i++) add(reason, first[i] ?? '')
  const problems: string[] = []
  const labelled = new Map<FoundItem, Array<ImportedLabel & Pick<ForeignLabel, 'place'>>>()
  for (const label of file.labels) {
    const { place, key } = label
    const item = key === null ? 'unmatched' : (places.get(key) ?? 'unmatched')
    if (typeof item === 'string') {
      add(item, key === null ? `${place}: has no ${match}` : `${place}: ${match} ${key.slice(0, 200)}`)
      continue
    }
    const read = importedAnswer(deciding, words[deciding.key], label.answer, { pass, cannot_tell })
    const problem = read.problem ?? textProblem(label)
    if (problem !== null || !('answer' in read)) {
      problems.push(`${place}: ${problem}`)
      continue
    }
    if (label.comment !== null && !hasProse) add('comment', place)
    const labels = labelled.get(item) ?? []
    labels.push({ ...label, answer: read.answer, label_id: mint() })
    labelled.set(item, labels)
  }
  for (const labels of labelled.values()) problems.push(...repeatedProblems(labels))
  if (problems.length > 0) throw unprocessable(problems)
  if (labelled.size === 0)
    throw unprocessable([
      `file: has no label of a person for a case of this run${all()
        .map(({ reason, count, first }) => `; ${reason}: ${count}, such as ${first[0]}`)
        .join('')}`,
    ])
  if (labelled.size > MAX_ITEMS)
    throw unprocessable([`file: labels of ${labelled.size} cases; a queue has at most ${MAX_ITEMS}`])
  const found = [...labelled].map(([item, labels]): ImportedItem => ({
    // Safe: names without an item were left out.
    item: item as ImportedItem['item'],
    labels: labels
      .toSorted((a, b) => (a.given_at ?? 0) - (b.given_at ?? 0))
      .map(({ label_id, reviewer, answer, comment, seconds, given_at }) => ({
        ...{ label_id, reviewer, answer, comment, seconds, given_at },
      })),
  }))
  return {
    found: found.toSorted((a, b) => a.item[0] - b.item[0] || a.item[1] - b.item[1]),
    left_out: all().map(({ first, ...counted }) => ({ ...counted, first: [...first] })),
  }
}

const textProblem = ({ reviewer, comment }: ForeignLabel): string | null => {
  if (reviewer !== null && [...reviewer].length > MAX_FOREIGN_NAME)
    return `reviewer: has more than ${MAX_FOREIGN_NAME} characters`
  if (comment !== null && [...comment].length > LABEL_LIMITS.comment)
    return `comment: has more than ${LABEL_LIMITS.comment} characters`
  const isText = (text: string | null) => text === null || (text.isWellFormed() && !text.includes('\0'))
  if (!isText(reviewer)) return 'reviewer: must be well-formed Unicode without NUL'
  return isText(comment) ? null : 'comment: must be well-formed Unicode without NUL'
}

/** Of two labels of one person on one case the later one counts, so the file must say which one that is. */
const repeatedProblems = (labels: ReadonlyArray<Pick<ForeignLabel, 'place' | 'reviewer' | 'given_at'>>): string[] =>
  [...Map.groupBy(labels, ({ reviewer }) => reviewer)].flatMap(([reviewer, own]) => {
    if (own.length < 2) return []
    const times = new Set(own.map(({ given_at }) => given_at))
    if (reviewer !== null && !times.has(null) && times.size === own.length) return []
    const who = reviewer === null ? 'people without a name' : JSON.stringify(reviewer)
    return [
      `${own[1]!.place}: reviewer: ${who} labelled this case in ${own[0]!.place}, too, and the file does not say which label is the later one`,
    ]
  })
