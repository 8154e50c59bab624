import { describe, expect, it } from 'vitest'
import { pairNames } from '../../../webapp/runs/pair-names.ts'
import { runName, setName, shortRunName } from '../../../webapp/runs/run-name.ts'

const run = { id: 'r1', note: null, project: 'chat', suite: 'smoke', created_at: '2026-03-12T12:58:41Z' }

describe('the name of a run', () => {
  it('is its note', () => expect(runName({ ...run, note: 'gpt-4o,\nfour trials' })).toBe('gpt-4o, four trials'))
  it('is its suite and time without a note', () => expect(runName(run)).toBe('smoke · 2026-03-12 12:58 UTC'))
  it('is its project and time without a suite', () =>
    expect(runName({ ...run, suite: null })).toBe('chat · 2026-03-12 12:58 UTC'))
  it('is never a bare id, even without a suite and a project', () =>
    expect(runName({ ...run, suite: null, project: null, note: ' ' })).toBe('Run · 2026-03-12 12:58 UTC'))
  it('cannot change the direction of the text around it', () =>
    expect(runName({ ...run, note: 'a\u202eb' })).toBe('a⟨U+202E⟩b'))
  it('shows a missing project or suite in the name of its set', () =>
    expect([run, { project: null, suite: null }].map(setName)).toEqual(['chat / smoke', 'no project / no suite']))
})

describe('the names of two runs', () => {
  const base = { ...run, note: 'daily' }
  const at = (created_at: string) => ({ ...base, created_at })
  it('are those of the runs', () =>
    expect(pairNames(base, { ...run, note: 'weekly' })).toEqual({ base: 'daily', head: 'weekly' }))
  it('have the day if they are equal', () =>
    expect(pairNames(base, at('2026-03-13T12:58:41Z'))).toEqual({
      base: 'daily · 2026-03-12',
      head: 'daily · 2026-03-13',
    }))
  it('have the minute if the days are equal too', () =>
    expect(pairNames(base, at('2026-03-12T14:03:00Z'))).toEqual({
      base: 'daily · 2026-03-12 12:58 UTC',
      head: 'daily · 2026-03-12 14:03 UTC',
    }))
  it('have the second if the minutes are equal too, in place of the minute of their names', () =>
    expect(pairNames(run, { ...run, created_at: '2026-03-12T12:58:52Z' })).toEqual({
      base: 'smoke · 2026-03-12 12:58:41 UTC',
      head: 'smoke · 2026-03-12 12:58:52 UTC',
    }))
  it('have the ends of their ids if nothing else differs', () =>
    expect(pairNames(run, { ...run, id: 'r2' })).toEqual({
      base: 'smoke · 2026-03-12 12:58:41 UTC · r1',
      head: 'smoke · 2026-03-12 12:58:41 UTC · r2',
    }))
  it('of columns are cut if they are long, but not where that would make them equal', () => {
    const of = (provider_id: string) => ({ ...run, column: { provider_id } })
    const long = 'x'.repeat(200)
    expect(pairNames(of(long), of('b'))).toEqual({ base: `${'x'.repeat(80)}…`, head: 'b' })
    expect(pairNames(of(`${long}1`), of(`${long}2`))).toEqual({ base: `${long}1`, head: `${long}2` })
  })
  it('are those of their columns, without what both have', () => {
    const [a, b] = ['a', 'b'].map((provider_id) => ({ ...run, column: { provider_id, prompt_id: 'terse' } }))
    expect(pairNames(a!, b!)).toEqual({ base: 'a', head: 'b' })
    const prompts = ['terse', 'long'].map((prompt_id) => ({ ...run, column: { provider_id: 'a', prompt_id } }))
    expect(pairNames(prompts[0]!, prompts[1]!)).toEqual({ base: 'terse', head: 'long' })
    expect(pairNames(a!, { ...run, column: { provider_id: 'b' } })).toEqual({ base: 'a · terse', head: 'b' })
    expect(
      pairNames({ ...run, note: 'daily', column: { provider_id: '' } }, { ...run, id: 'r2', note: 'weekly' }),
    ).toEqual({
      base: 'no provider in daily',
      head: 'weekly',
    })
  })
  it('is shortened where several names are shown, between two characters', () => {
    const long = { ...run, note: '🙂'.repeat(90) }
    expect(runName(long)).toBe(long.note)
    expect(shortRunName(long)).toBe(`${'🙂'.repeat(80)}…`)
    expect(shortRunName({ ...run, note: 'a'.repeat(80) })).toBe('a'.repeat(80))
    expect(pairNames(long, run).base).toBe(shortRunName(long))
  })
})
