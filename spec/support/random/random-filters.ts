import fc from 'fast-check'
import { CASE_SORTS } from '../../../domain/lists/case-order.ts'
import { RUN_SORTS } from '../../../queries/runs/sorted-runs.ts'
import { BRANCHES, FIRST_INSTANT, nameFrom, PROJECTS, SUITES, TAGS, word } from './names.ts'

export const query = (
  fields: Readonly<Record<string, fc.Arbitrary<string>>>,
): fc.Arbitrary<Readonly<Record<string, string | undefined>>> => fc.record(fields, { requiredKeys: [] })
export const instant = fc.nat({ max: 22 }).map((n) => String(FIRST_INSTANT + n * 1000))
export const limit = fc.constantFrom('1', '2', '5', '50', '200')
export const status = fc.constantFrom('pass', 'fail', 'error', 'skip', 'xfail', 'xpass')
export const cached = fc.constantFrom('exclude', 'only', 'all')
export const q = fc.oneof(
  fc.array(word, { minLength: 1, maxLength: 3 }).map((words) => words.join(' ').toWellFormed()),
  fc.array(word, { minLength: 2, maxLength: 3 }).map((words) => `"${words.join(' ').toWellFormed()}"`),
  fc.constantFrom(
    'he',
    'need',
    'wor -hello',
    'filler',
    'x',
    '',
    '***',
    'mira github',
    'the',
    'python',
    'def',
    '"hello world',
    'a OR b',
  ),
)

const bound = fc.constantFrom('0', '0.5', '1', '10', '-1', '20000')
export const caseFilters = {
  status,
  tag: nameFrom(TAGS),
  q: word.map((text) => text.toWellFormed()),
  provider: nameFrom(['model', 'Model', 'é']),
  prompt: nameFrom(['terse', 'Terse']),
  test: nameFrom(['t/1', 'T/1', '\u{1f600}']),
  stop_reason: nameFrom(['end_turn', 'refusal']),
  error_class: nameFrom(['timeout', 'Timeout']),
  empty_reason: nameFrom(['refusal', 'Refusal']),
  cached: fc.constantFrom('true', 'false'),
  limit,
  cursor: fc.constantFrom('x', '3'),
}

export const runFilters = {
  project: nameFrom(PROJECTS),
  suite: nameFrom(SUITES),
  tag: nameFrom(TAGS),
  branch: nameFrom(BRANCHES),
  status,
  since: instant,
  until: instant,
  cached,
  origin: fc.constantFrom('ci', 'local'),
  actor: fc.constantFrom('mira', 'Mira', 'write', 'ann', 'x'),
}
export const direction = fc.constantFrom('asc', 'desc')
export const runSort = fc.constantFrom(...RUN_SORTS)
export const caseSort = fc.constantFrom(...CASE_SORTS)
const { limit: _limit, cursor: _cursor, ...unpagedCaseFilters } = caseFilters
export const measureBounds = { score_from: bound, score_below: bound, latency_from: bound, latency_below: bound }
export const csvFilters = { ...unpagedCaseFilters, ...measureBounds }
/** Few filters, so that a sorted list has many rows, ties and rows without the value among them. */
export const sortedCases = fc.record({ sort: caseSort }).chain(({ sort }) =>
  query({
    order: direction,
    limit: fc.constantFrom('1', '2', '3'),
    status,
    q: word.map((text) => text.toWellFormed()),
  }).map((filters) => ({ sort, ...filters })),
)
export const sortedRuns = fc.record({ sort: runSort }).chain(({ sort }) =>
  query({
    order: direction,
    limit: fc.constantFrom('1', '2', '5'),
    project: nameFrom(PROJECTS),
    cached,
    cursor: fc.constantFrom('x', 'cost.asc:1:5:a', 'pass_rate.desc::5:a'),
  }).map((filters) => ({ sort, ...filters })),
)
