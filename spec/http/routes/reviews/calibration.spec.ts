import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { RunCalibration } from '../../../../queries/reviews/calibration.ts'
import type { ComparedCalibration } from '../../../../queries/reviews/compared-calibration.ts'
import { statusAndBody } from '../../../support/access/access-requests.ts'
import {
  addRubricVersion,
  LABELLED_AT,
  labelRun,
  NOW,
  uploadJudged,
} from '../../../support/documents/labelled-queue.ts'
import { openApp } from '../../../support/servers/app.ts'
import reference from '../../../domain/statistics/review-known-answers.json' with { type: 'json' }

const DAY = 86_400_000
let now = NOW
const spec = await openApp({ now: () => now })
afterAll(() => spec.close())

const calibration = (run: string, query = '') => spec.getJson<RunCalibration>(`/runs/${run}/calibration${query}`)
const bytes = async (path: string) => (await spec.sendAs('read')('GET', path)).body
const codes = ({ reasons }: RunCalibration) => reasons.map(({ state, code }) => `${state} ${code}`)
/** All numbers of an answer, wherever they are. */
const numbersIn = (value: unknown): unknown[] =>
  typeof value === 'object' && value !== null ? Object.values(value).flatMap(numbersIn) : [value]

/** A run of answer 61: the judge passes 350 of 500; people pass 45 of 50 of these, and 10 of 50 of the others. */
const known = { ofPassed: [45, 5], ofFailed: [10, 40] } as const
const answer = reference.vectors.find(({ id }) => id === 61)?.output as Record<'estimate' | 'lower' | 'upper', number>
const labelled = async (suite: string, options: object = {}) => {
  await uploadJudged(spec, `${suite}-1`, 350, 150, { suite, ...options })
  await addRubricVersion(spec, 1, null, { rubric: suite, suite })
  return labelRun(spec, `${suite}-1`, 350, known, { suite, rubric: suite, ...options })
}

describe('a run with labels of its own', () => {
  beforeAll(() => labelled('own'))
  it('has the known rate, is good, and says by what', async () => {
    const found = await calibration('own-1')
    expect(found).toMatchObject({ state: 'good', reasons: [], method: 'own', target: 'metric', metric: 'llm-rubric' })
    for (const limit of ['estimate', 'lower', 'upper'] as const)
      expect(Math.abs((found.rate.reason === null ? found.rate[limit] : NaN) - answer[limit])).toBeLessThan(1e-7)
    expect(found.sentence).toBe(
      'The judge passes 70.0%; people would pass about 68.8% (60.8% to 75.3%), by 100 labels in this run.',
    )
    expect(found.judge_alone).toMatchObject({ passed: 350, total: 500 })
    expect(found.labels).toMatchObject({ total: 100, runs: 1, newest_at: '2026-05-05T00:00:00+00:00' })
    expect(found.given).toEqual({
      ...{ labels: 200, people: 2, enforced: 100, trusted: 100, unknown: 0, recognised: 0, own_run: 0 },
    })
    expect(found.people.items).toBe(100)
    expect(found.labels_sha256).toMatch(/^[0-9a-f]{64}$/)
    expect(found.rubric).toEqual({ id: 'own', first: 1, last: 1, valid_days: 90, changed_in: null })
  })
  it('weighs a sample drawn by verdict by all verdicts', async () => {
    // Of the labelled ones that people fail, the judge fails 40 of 45. Of all, it is 120 of 155.
    const { judge, labels } = await calibration('own-1')
    expect(labels.of_failed.rate).toBe(0.2)
    expect(Math.abs((judge?.specificity.estimate ?? 0) - 120 / 155)).toBeLessThan(0.01)
  })
  it('is not changed by labels that were chosen by what the judge said, nor by those of an open queue', async () => {
    const before = await bytes('/runs/own-1/calibration')
    const more = { suite: 'own', rubric: 'own', offset: 60 }
    const chosen = { ...more, kind: 'near_threshold', targeted: true }
    await labelRun(spec, 'own-1', 350, { ofPassed: [0, 30], ofFailed: [30, 0] }, chosen)
    await labelRun(spec, 'own-1', 350, { ofPassed: [0, 30], ofFailed: [30, 0] }, { ...more, isClosed: false })
    expect(await bytes('/runs/own-1/calibration')).toBe(before)
  })
  it('is the same later as it was when the log was shorter', async () => {
    await labelled('earlier')
    const size = 5_000
    const before = await bytes(`/runs/earlier-1/calibration?as_of=${size}`)
    const more = { suite: 'earlier', rubric: 'earlier', offset: 60, seq: size + 1 }
    await labelRun(spec, 'earlier-1', 350, { ofPassed: [20, 0], ofFailed: [20, 0] }, more)
    await addRubricVersion(spec, 2, 'meaning', { rubric: 'earlier', suite: 'earlier', seq: size + 9 })
    expect((await calibration('earlier-1')).labels.total).toBe(140)
    expect(await bytes(`/runs/earlier-1/calibration?as_of=${size}`)).toBe(before)
    expect((await calibration('earlier-1', '?as_of=3')).state).toBe('none')
  })
  it('stays without the run: counts and rate are those of the queue', async () => {
    await uploadJudged(spec, 'own-2', 330, 170, { suite: 'own', hour: 10 })
    const before = await calibration('own-2')
    expect(before).toMatchObject({ method: 'carried_over', labels: { total: 100, runs: 1 }, state: 'weak' })
    expect((await spec.sendAs('admin')('DELETE', '/runs/own-1')).statusCode).toBe(204)
    const after = await calibration('own-2')
    expect(after).toMatchObject({ labels: before.labels, pool: before.pool, coverage: null })
    const [{ rate: was }, { rate: is }] = [before, after]
    if (was.reason !== null || is.reason !== null) throw new Error('there is a rate')
    expect(is.estimate).toBe(was.estimate)
    // Its tests are gone, so the limits are those of cases that do not depend on each other.
    expect([was.groups, is.groups]).toEqual([500, null])
    await uploadJudged(spec, 'own-3', 330, 170, { suite: 'own', hour: 11, trials: 5 })
    expect(codes(await calibration('own-3'))).toContain('weak tests_deleted')
  })
})

describe('a run without labels of its own', () => {
  it('has them carried over from like runs, and its own win from 50 on', async () => {
    await labelled('carried')
    await uploadJudged(spec, 'carried-2', 330, 170, { suite: 'carried', hour: 10 })
    const options = { suite: 'carried', rubric: 'carried' }
    await labelRun(spec, 'carried-2', 330, { ofPassed: [30, 9], ofFailed: [2, 8] }, options)
    expect(await calibration('carried-2')).toMatchObject({ method: 'carried_over', labels: { total: 149, runs: 2 } })
    await labelRun(spec, 'carried-2', 330, { ofPassed: [1, 0], ofFailed: [0, 0] }, { ...options, offset: 45 })
    expect(await calibration('carried-2')).toMatchObject({ method: 'own', labels: { total: 50, runs: 1 } })
  })
  it('takes none from runs of another judge, of other providers or with a rubric of another meaning', async () => {
    await labelled('other')
    await uploadJudged(spec, 'other-judge', 330, 170, { suite: 'other', hour: 10, model: 'm-2' })
    await uploadJudged(spec, 'other-provider', 330, 170, { suite: 'other', hour: 10, provider: 'another' })
    for (const run of ['other-judge', 'other-provider'])
      expect([run, await calibration(run)]).toMatchObject([run, { state: 'none', rate: { reason: 'no_labels' } }])
    await addRubricVersion(spec, 2, 'wording', { rubric: 'other', suite: 'other', valid_days: 200 })
    expect(codes(await calibration('other-1'))).toEqual([])
    await addRubricVersion(spec, 3, 'meaning', { rubric: 'other', suite: 'other' })
    expect(codes(await calibration('other-1'))).toEqual(['stale meaning_changed'])
    const newer = { suite: 'other', rubric: 'other', version: 3, offset: 60 }
    await labelRun(spec, 'other-1', 350, { ofPassed: [8, 2], ofFailed: [2, 8] }, newer)
    expect(await calibration('other-1')).toMatchObject({
      labels: { total: 20 },
      rubric: { first: 3, changed_in: null },
    })
  })
})

describe('a judge', () => {
  it('that says nothing has its own rate, and none that is carried over', async () => {
    await uploadJudged(spec, 'nothing-1', 250, 250, { suite: 'nothing' })
    await addRubricVersion(spec, 1, null, { rubric: 'nothing', suite: 'nothing' })
    const options = { suite: 'nothing', rubric: 'nothing' }
    await labelRun(spec, 'nothing-1', 250, { ofPassed: [35, 15], ofFailed: [34, 16] }, options)
    const found = await calibration('nothing-1')
    expect([found.own.reason, found.carried_over.reason]).toEqual([null, 'uninformative_judge'])
  })
  it('that passed all has a rate, and no number that is none', async () => {
    await uploadJudged(spec, 'all-1', 100, 0, { suite: 'all' })
    await addRubricVersion(spec, 1, null, { rubric: 'all', suite: 'all' })
    await labelRun(spec, 'all-1', 100, { ofPassed: [40, 10], ofFailed: [0, 0] }, { suite: 'all', rubric: 'all' })
    const text = await bytes('/runs/all-1/calibration')
    const found = JSON.parse(text) as RunCalibration
    expect([found.own.reason, found.carried_over.reason, found.method]).toEqual([null, 'uninformative_judge', 'own'])
    // JSON has null for a number that is none.
    expect(numbersIn([found.rate, found.judge, found.labels]).filter((value) => value === null)).toHaveLength(3)
  })
  it('that is not known is not checked', async () => {
    await uploadJudged(spec, 'unknown-1', 30, 20, { suite: 'unknown', model: null })
    expect(await calibration('unknown-1')).toMatchObject({
      state: 'none',
      judge_id: null,
      rate: { reason: 'judge_unknown' },
    })
  })
  it('leaves cases that only code checks as they are', async () => {
    await uploadJudged(spec, 'mixed-1', 350, 150, { suite: 'mixed', plain: [80, 20] })
    await addRubricVersion(spec, 1, null, { rubric: 'mixed', suite: 'mixed' })
    await labelRun(spec, 'mixed-1', 350, known, { suite: 'mixed', rubric: 'mixed', metric: null })
    const found = await calibration('mixed-1')
    expect(found).toMatchObject({
      ...{ target: 'case', metric: null, as_is: { passed: 80, total: 100 } },
      judge_alone: { passed: 430, total: 600 },
    })
    expect(found.rate.reason === null ? found.rate.estimate : NaN).toBeCloseTo((500 * answer.estimate + 80) / 600, 7)
    await uploadJudged(spec, 'code-1', 0, 0, { suite: 'code', plain: [20, 10] })
    expect(await calibration('code-1')).toMatchObject({ state: 'none', as_is: { passed: 20, total: 30 } })
  })
})

it('trials of a test make the limits wider, and another grouping is named', async () => {
  await labelled('single')
  await uploadJudged(spec, 'trials-1', 350, 150, { suite: 'trials', trials: 5 })
  await labelRun(spec, 'trials-1', 350, known, { suite: 'trials', rubric: 'single' })
  const [single, trials] = [(await calibration('single-1')).rate, (await calibration('trials-1')).rate]
  if (single.reason !== null || trials.reason !== null) throw new Error('there is a rate')
  expect(trials.lower).toBeLessThan(single.lower)
  expect(trials.upper).toBeGreaterThan(single.upper)
  expect([single.groups, trials.groups]).toEqual([null, 100])
  const { statusCode, body } = await spec.sendAs('read')('GET', '/runs/trials-1/calibration?cluster_by=tag:none')
  expect([statusCode, body]).toEqual([400, expect.stringContaining('no case has a tag that begins with')])
})

it('labels that are 91 days old are stale', async () => {
  await labelled('old')
  now = LABELLED_AT + 90 * DAY
  expect(codes(await calibration('old-1'))).toEqual([])
  now = LABELLED_AT + 91 * DAY
  expect(await calibration('old-1')).toMatchObject({
    state: 'stale',
    reasons: [{ code: 'old', text: 'newest label 91 days old; rubric allows 90' }],
  })
  now = NOW
})

it('a judge that errs otherwise than before is stale', async () => {
  await labelled('drift')
  const options = { suite: 'drift', rubric: 'drift', offset: 60 }
  await labelRun(spec, 'drift-1', 350, { ofPassed: [10, 20], ofFailed: [6, 24] }, options)
  expect(codes(await calibration('drift-1'))).toContain('stale drift')
})

it('a badge shows the calibrated rate of the newest run, if it is good', async () => {
  await labelled('badge')
  await uploadJudged(spec, 'plain-1', 350, 150, { suite: 'plain' })
  const badge = async (suite: string) =>
    /<title>(.*)<\/title>/.exec(await bytes(`/projects/chat/suites/${suite}/badge.svg?metric=calibrated`))?.[1]
  expect([await badge('badge'), await badge('plain')]).toEqual([
    'badge: 68.8% calibrated (95% interval 60.8% to 75.3%, by labels of people)',
    'plain: not calibrated',
  ])
})

describe('what is asked', () => {
  beforeAll(() => labelled('asked', { metric: 'tone' }))
  it.each([
    ['?metric=none', 'metric: no judge of the run decided "none"; its metrics are "tone"'],
    ['?metric=tone&target=case', 'metric: a whole case has no metric'],
    ['?as_of=x', 'as_of'],
    ['?target=run', 'target'],
    ['?cluster_by=file', 'cluster_by'],
  ])('%s is refused with a reason', async (query, reason) => {
    const { statusCode, body } = await spec.sendAs('read')('GET', `/runs/asked-1/calibration${query}`)
    expect([statusCode, JSON.parse(body)]).toEqual([400, { error: expect.stringContaining(reason) as string }])
  })
  it('a run that is hidden has the answer of one that does not exist', async () => {
    const ann = await spec.addUser('ann')
    await uploadJudged(spec, 'hidden-1', 30, 20, { suite: 'hidden' })
    await spec.restrict('chat', 'hidden')
    for (const path of ['calibration', 'compare/asked-1/calibration']) {
      const [hidden, absent] = [
        statusAndBody(await ann.send('GET', `/runs/hidden-1/${path}`)),
        statusAndBody(await ann.send('GET', `/runs/nothing-at-all/${path}`)),
      ]
      expect([hidden, (await ann.send('GET', `/runs/hidden-1/${path}`)).statusCode]).toEqual([absent, 404])
    }
    expect((await ann.send('GET', '/runs/asked-1/compare/hidden-1/calibration')).statusCode).toBe(404)
  })
})

describe('two runs', () => {
  const compared = (base: string, head: string) =>
    spec.getJson<ComparedCalibration>(`/runs/${base}/compare/${head}/calibration`)
  it('of one judge are corrected for its errors', async () => {
    await labelled('two')
    await uploadJudged(spec, 'two-2', 380, 120, { suite: 'two', hour: 10 })
    const found = await compared('two-1', 'two-2')
    expect(found).toMatchObject({ method: 'same_judge', pairs: 500, labels: 100, reason: null, given: { people: 2 } })
    // 30 of 500 more pass by the judge. Over J of about 0.66 that is 9 points.
    expect(found.judge_alone.difference?.estimate).toBeCloseTo(0.06, 2)
    expect(found.corrected?.estimate).toBeCloseTo(0.06 / 0.66, 1)
    expect(found.sentence).toMatch(
      /^Judge alone: 6\.0 points better \(p < 0\.001\)\. Corrected for its errors: \d+\.\d points better \(\d+\.\d to \d+\.\d\), by 100 labels of 2 people\.$/,
    )
  })
  it('with labels in both need no assumption, and say whether the judge favours one', async () => {
    await labelled('both', { kind: 'random' })
    await uploadJudged(spec, 'both-2', 380, 120, { suite: 'both', hour: 10 })
    const options = { suite: 'both', rubric: 'both', kind: 'random' }
    await labelRun(spec, 'both-2', 380, { ofPassed: [20, 30], ofFailed: [10, 40] }, options)
    // In both: the first 50, of which 25 pass less, and 20 that fail in both.
    expect(await compared('both-1', 'both-2')).toMatchObject({
      ...{ method: 'labels_in_both', labels: 140, errs_alike: { favours: true } },
      corrected: { estimate: expect.any(Number) as number },
    })
  })
  it('of two judges are not corrected', async () => {
    await uploadJudged(spec, 'two-3', 380, 120, { suite: 'two', hour: 11, model: 'm-2' })
    expect(await compared('two-1', 'two-3')).toMatchObject({ method: null, reason: 'judge_changed', corrected: null })
  })
})
