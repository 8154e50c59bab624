import type { ADocument } from './documents.ts'
import { judgedRun } from './queues.ts'
import { REVIEWED } from './reviewed.ts'
import { RUBRIC_FIELDS } from './rubrics.ts'

/** Sends a request below `/api/v1`, as an account or as an admin. */
export type Call = (method: string, path: string, body?: object, token?: string) => Promise<Response>

/** The password of all who label. */
export const PASSWORD = 'correct horse battery'
const [CASES, PASSED] = [40, 28]

type Item = {
  readonly id: string
  readonly parts: ReadonlyArray<{ readonly value: unknown }>
}

/** A label has an id that its client draws: a ULID. */
let drawn = 0
const newId = (): string => `01M${String(++drawn).padStart(23, '0')}`

type Options = {
  /** A run of `judgedRun`, of which the judge passed the first `passed` cases. */
  readonly document: ADocument
  readonly passed: number
  /** How many cases of each verdict the closed queue has. */
  readonly sample: { readonly passed: number; readonly failed: number }
}
const SMALL: Options = {
  document: judgedRun(REVIEWED.run, CASES, PASSED),
  passed: PASSED,
  sample: { passed: 14, failed: 10 },
}

/**
 * Uploads a run that a judge decided, and opens two queues about it: one that two people labelled and that was closed, and one that is
 * half done. They differ on some cases, which wait for a third person.
 */
export const seedReviews = async (
  call: Call,
  { document, passed, sample }: Options = SMALL,
): Promise<{ readonly closed: string; readonly open: string }> => {
  const made = async <T>(method: string, path: string, body?: object, token?: string): Promise<T> =>
    (await (await call(method, path, body, token)).json()) as T
  const { project, suite, run_id: run } = document
  await call('POST', '/runs', document)
  const people: string[] = []
  for (const username of ['ann', 'ben', 'cleo']) {
    await call('POST', '/users', { username, password: PASSWORD, role: 'reviewer' })
    people.push((await made<{ token: string }>('POST', '/auth/login', { username, password: PASSWORD })).token)
  }
  const rubric = await made<{ id: string }>('POST', '/rubrics', {
    ...{ project, suite, ...RUBRIC_FIELDS },
    questions: [...RUBRIC_FIELDS.questions, { key: 'why', kind: 'comment', label: 'Why?' }],
  })
  const open = async (selection: object): Promise<string> => {
    const body = {
      ...{ project, suite, rubric_id: rubric.id, target: 'metric', metric: 'llm-rubric', seed: 'seed' },
      ...{ reviewers: ['ann', 'ben'], adjudicators: ['cleo'], selection: { runs: [run], ...selection } },
    }
    return (await made<{ id: string }>('POST', '/review-queues', body)).id
  }
  /** Labels as many items as `count`, by the number of the case. */
  const label = async (token: string | undefined, queue_id: string, count: number, passes: (n: number) => boolean) => {
    for (let done = 0; done < count;) {
      const asked = { queue_id, count: Math.min(5, count - done) }
      const { items } = await made<{ items: Item[] }>('POST', '/review/next', asked, token)
      if (items.length === 0) throw new Error('no item is left')
      for (const { id, parts } of items) {
        const n = Number(/\d+/.exec(String(parts[0]?.value))?.[0])
        const answers = {
          right: passes(n) ? 'pass' : 'fail',
          ...(n % 7 === 0 ? { why: 'The city is another one.' } : {}),
        }
        await call('POST', `/review/items/${id}/labels`, { label_id: newId(), answers, seconds: 4 }, token)
        done++
      }
    }
  }
  const [ann, ben] = people
  const closed = await open({ kind: 'by_verdict', ...sample })
  const all = sample.passed + sample.failed
  await label(ann, closed, all, (n) => (n < passed ? n % 5 !== 0 : n % 8 === 0))
  await label(ben, closed, all, (n) => (n < passed ? n % 5 !== 0 && n % 9 !== 1 : n % 8 === 0))
  await call('POST', `/review-queues/${closed}/close`)
  const half = await open({ kind: 'random', count: 8 })
  await label(ann, half, 6, () => true)
  await label(ben, half, 3, (n) => n % 2 === 0)
  return { closed, open: half }
}
