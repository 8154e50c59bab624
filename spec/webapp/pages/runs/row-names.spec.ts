import { expect, it } from 'vitest'
import { nameMarks } from '../../../../webapp/pages/runs/row-names.ts'

type Run = Parameters<typeof nameMarks>[0][number]
const run = (id: string, fields: Partial<Run> = {}): Run => ({
  id,
  project: 'chat',
  suite: 'smoke',
  note: 'nightly',
  created_at: '2026-03-12T12:58:03Z',
  git_branch: 'main',
  git_commit: null,
  git_dirty: null,
  actor: null,
  uploaded_by: null,
  ci_provider: null,
  ci_run_url: null,
  ...fields,
})
const marks = (...runs: readonly Run[]) => Object.fromEntries(nameMarks(runs))

it('runs of one name in one suite get what they differ in, and others nothing', () => {
  expect(marks(run('a'), run('b', { note: 'weekly' }), run('c', { suite: 'large' }))).toEqual({})
  expect(marks(run('a', { git_commit: '9e4b1d0aff' }), run('b', { git_commit: '1234567890' }))).toEqual({
    a: '9e4b1d0a',
    b: '12345678',
  })
  expect(marks(run('a'), run('b', { created_at: '2026-03-13T12:58:03Z' }))).toEqual({
    a: '2026-03-12 12:58 UTC',
    b: '2026-03-13 12:58 UTC',
  })
  expect(marks(run('a'), run('b', { created_at: '2026-03-12T12:58:04Z' }))).toEqual({
    a: '2026-03-12 12:58:03 UTC',
    b: '2026-03-12 12:58:04 UTC',
  })
  expect(marks(run('first-run-of-the-day'), run('other'))).toEqual({
    'first-run-of-the-day': '…he-day',
    other: 'other',
  })
})
