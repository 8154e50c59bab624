import { describe, expect, it } from 'vitest'
import { runName, setName } from '../../../webapp/runs/run-name.ts'

const run = { note: null, project: 'chat', suite: 'smoke', created_at: '2026-03-12T12:58:41Z' }

describe('a run', () => {
  it('is called by its note', () =>
    expect(runName({ ...run, note: 'gpt-4o,\nfour trials' })).toBe('gpt-4o, four trials'))
  it('without a note is called by its suite and time', () => expect(runName(run)).toBe('smoke · 2026-03-12 12:58'))
  it('without a suite is called by its project', () =>
    expect(runName({ ...run, suite: null })).toBe('chat · 2026-03-12 12:58'))
  it('without either is still no bare id', () =>
    expect(runName({ ...run, suite: null, project: null, note: ' ' })).toBe('Run · 2026-03-12 12:58'))
  it('cannot turn the words around its name', () => expect(runName({ ...run, note: 'a\u202eb' })).toBe('a⟨U+202E⟩b'))
  it('says when it has no project or no suite', () =>
    expect([run, { project: null, suite: null }].map(setName)).toEqual(['chat / smoke', 'no project / no suite']))
})
