import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../../../engine/json.ts'
import { dottedPath } from '../../../../engine/suite/issues.ts'
import { interpolate } from '../../../../engine/suite/source/interpolate.ts'

const faults: string[] = []
const resolved = (suite: JsonObject, env: Readonly<Record<string, string>> = {}): JsonObject => {
  faults.length = 0
  return interpolate(suite, env, (path, message) => faults.push(`${dottedPath(path)}: ${message}`))
}
const text = (value: string, env: Readonly<Record<string, string>> = {}): unknown =>
  (resolved({ providers: [value] }, env) as { providers: unknown[] }).providers[0]

describe('interpolate', () => {
  it.each([
    ['${env:A}', 'x'],
    ['<${env:A}${env:A}>', '<xx>'],
    ['${env:NO:-text}', 'text'],
    ['${env:NO:-}', ''],
    ['${env:NO:-a:-b}', 'a:-b'],
    ['${env:EMPTY:-text}', ''],
    ['${env:EMPTY}', ''],
    ['$${env:A}', '${env:A}'],
    ['$$', '$'],
    ['$$$', '$$'],
    ['${HOME} $x {{ y }}', '${HOME} $x {{ y }}'],
    ['plain', 'plain'],
  ])('turns %s into %s', (before, after) => {
    expect(text(before, { A: 'x', EMPTY: '' })).toBe(after)
    expect(faults).toEqual([])
  })

  it.each([
    ['${env:NO}', /^providers\[0\]: environment variable `NO` is not set/],
    ['${env:toString}', /`toString` is not set/],
    ['${env:A', /no closing brace/],
    ['${env:}', /names no variable/],
    ['${env::-x}', /names no variable/],
  ])('reports %s', (before, fault) => {
    text(before)
    expect(faults).toEqual([expect.stringMatching(fault)])
  })

  it('reaches providers, graders and the object store, and nothing else', () => {
    const v = '${env:A}'
    const grader = { provider: { model: v }, template: v }
    const assert = [{ value: v, grader }]
    const done = { provider: { model: 'x' }, template: v }
    expect(
      resolved(
        {
          project: v,
          providers: [{ [v]: { deep: [v, 1] } }],
          grader,
          defaults: { vars: { v }, assert },
          tests: [v, { vars: { v }, assert }],
          cache: { backend: v, s3: { bucket: v } },
          runner: { refusal_patterns: [v] },
          prompts: [{ template: v }],
        },
        { A: 'x' },
      ),
    ).toEqual({
      project: v,
      providers: [{ [v]: { deep: ['x', 1] } }],
      grader: done,
      defaults: { vars: { v }, assert: [{ value: v, grader: done }] },
      tests: [v, { vars: { v }, assert: [{ value: v, grader: done }] }],
      cache: { backend: v, s3: { bucket: 'x' } },
      runner: { refusal_patterns: [v] },
      prompts: [{ template: v }],
    })
  })

  it('changes no value in place: aliases share values with parts that stay as they are', () => {
    const shared = { model: '${env:A}' }
    resolved({ providers: [shared], tests: [{ vars: shared }] }, { A: 'x' })
    expect(shared).toEqual({ model: '${env:A}' })
  })
})
