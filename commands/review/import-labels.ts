import { decisionOf, type GivenAnswer, type QueueTarget, type Resolve } from '../../domain/review/final.ts'
import { REVIEWER_NAME, type LabelFormat } from '../../domain/review/imported.ts'
import type { QueueItem, QueueRun } from '../../domain/review/queue.ts'
import type { Question } from '../../domain/review/rubric.ts'
import { canonicalJson } from '../../domain/run/canonical-json.ts'
import { findLevel } from '../../queries/access/levels.ts'
import type { Viewer } from '../../queries/access/viewer.ts'
import { listStoredRuns } from '../../queries/log/erasable.ts'
import { importedContent, listImportedContent } from '../../queries/reviews/imported-labels.ts'
import { findRubricState } from '../../queries/reviews/rubrics.ts'
import { command } from '../command.ts'
import { newSalt } from '../credential.ts'
import { refuseDotNames } from '../dot-names.ts'
import type { DomainEvent } from '../events.ts'
import { Refused, refuseWithoutUpload } from '../refused.ts'
import { RUBRIC_RETIRED } from '../rubric/change-rubric.ts'
import { labelGiven, reviewQueueClosed, reviewQueueOpened, type LabelTexts } from './events.ts'

/** A label of a file, of which the answer is one to the deciding question. */
export type ImportedLabel = {
  readonly label_id: string
  readonly reviewer: string | null
  readonly answer: GivenAnswer
  readonly comment: string | null
  readonly seconds: number | null
  readonly given_at: number | null
}

/** A case with its labels, those that were given first come first: of two labels of one person, the later one counts. */
export type ImportedItem = { readonly item: QueueItem; readonly labels: readonly ImportedLabel[] }

/** How many labels were recorded, and how many of the file were known from an earlier import. `queue_id` is null if none is new. */
export type ImportedCounts = { readonly queue_id: string | null; readonly labels: number; readonly repeated: number }

/**
 * Records labels that people gave in another tool, as a queue that is closed. Cases of which all labels are known from an earlier import are
 * left out, so the same file again records nothing. Refuses: not_found (the rubric, a run that was deleted meanwhile), forbidden (no upload
 * level), conflict (a retired rubric, or one that was changed meanwhile).
 */
export const importLabels = (
  viewer: Viewer,
  {
    items,
    format,
    isRandomSample,
    at,
    ...fields
  }: {
    readonly queue_id: string
    readonly project: string
    readonly suite: string
    readonly rubric_id: string
    readonly rubric_version: number
    readonly target: QueueTarget
    readonly metric: string | null
    readonly resolve: Resolve
    readonly format: LabelFormat
    readonly isRandomSample: boolean
    readonly runs: readonly QueueRun[]
    readonly items: readonly ImportedItem[]
    /** The present time: no label was given later. */
    readonly at: number
  },
) => {
  const { queue_id, project, suite, rubric_id, rubric_version, target, metric, runs } = fields
  const set = { project, suite }
  const run_nos = runs.map(({ run_no }) => run_no)
  // Each text has a salt of its own: that of an erased one must not be found with another.
  const salts = new Map(items.flatMap(({ labels }) => labels.map(({ label_id }) => [label_id, newSalt()] as const)))
  return command(viewer, {
    facts: {
      level: findLevel(viewer, set),
      rubric: findRubricState(viewer, rubric_id),
      stored: listStoredRuns(run_nos),
      known: listImportedContent(set, { rubric_id, target, metric, run_nos }),
    },

    decide({ level, rubric, stored, known }) {
      refuseDotNames(set)
      refuseWithoutUpload(level)
      if (rubric?.project !== project || rubric.suite !== suite) throw new Refused('not_found', 'rubric not found')
      if (rubric.retired_at !== null) throw new Refused('conflict', RUBRIC_RETIRED)
      if (rubric.version !== rubric_version)
        throw new Refused('conflict', 'the rubric was changed meanwhile: import the file again')
      if (run_nos.some((run_no) => !stored.has(run_no))) throw new Refused('not_found', 'run not found')
      const contentOf = ({ item: [run, case_n] }: ImportedItem, label: ImportedLabel): string => {
        const { answers, texts } = saidBy(rubric.questions, label)
        const stored = texts === null ? null : JSON.stringify(texts)
        return importedContent({ run_no: runs[run]!.run_no, case_n, answers: canonicalJson(answers), texts: stored })
      }
      const fresh = items.filter((each) => !each.labels.every((label) => known.has(contentOf(each, label))))
      if (fresh.length === 0) return []
      const people = [...new Set(fresh.flatMap(({ labels }) => labels.map(({ reviewer }) => reviewer)))]
      return [
        reviewQueueOpened({
          ...fields,
          per_item: Math.max(...fresh.map(({ labels }) => labels.length)),
          seed: '',
          selection: { kind: 'imported', count: fresh.length, format },
          targeted: !isRandomSample,
          items: fresh.map(({ item }) => item),
        }),
        ...fresh.flatMap((each, i) => labelsOf(each, i + 1, people, rubric.questions)),
        reviewQueueClosed({ queue_id, ...set, cause: 'request' }),
      ]
    },
    result: (recorded): ImportedCounts => {
      const labels = recorded.filter(({ type }) => type === 'LabelGiven').length
      const all = items.reduce((sum, each) => sum + each.labels.length, 0)
      return { queue_id: labels === 0 ? null : queue_id, labels, repeated: all - labels }
    },
  })

  function labelsOf(
    { item: [run, case_n], labels }: ImportedItem,
    n: number,
    people: readonly (string | null)[],
    questions: readonly Question[],
  ): DomainEvent[] {
    const { run_no, document_sha256 } = runs[run]!
    const last = new Map<string | null, string>()
    return labels.map((label) => {
      const { label_id, reviewer, seconds, given_at } = label
      const { texts, ...said } = saidBy(questions, label)
      const revises = last.get(reviewer) ?? null
      last.set(reviewer, label_id)
      const data = {
        ...said,
        ...{ blind: 'unknown' as const, case_n, document_sha256, imported: format, label_id, n, own_run: false },
        ...(given_at === null ? {} : { given_at: Math.min(given_at, at) }),
        ...{ person: people.indexOf(reviewer), queue_id, recognised: false, revises, run_no, seconds, side: null },
      }
      return labelGiven(data, texts, salts.get(label_id))
    })
  }
}

/** What a label says, as an event has it. The comment belongs to the first question for one. */
const saidBy = (questions: readonly Question[], { answer, comment, reviewer }: ImportedLabel) => {
  const deciding = questions.find((question) => question.deciding)
  if (!deciding) throw new Error('a rubric without a deciding question')
  const prose = questions.find(({ kind }) => kind === 'comment')
  const texts: LabelTexts = {
    ...(prose && comment !== null ? { [prose.key]: comment } : {}),
    ...(reviewer === null ? {} : { [REVIEWER_NAME]: reviewer }),
  }
  return {
    answers: { [deciding.key]: answer },
    decides: decisionOf(deciding, answer),
    texts: Object.keys(texts).length === 0 ? null : texts,
  }
}
