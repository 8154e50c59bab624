import { describe, expect, it } from 'vitest'
import { readCase } from '../../../domain/run/document.ts'
import { sharedCase } from '../../../domain/report/shared-case.ts'
import { SHARED_PARTS, type SharedPart } from '../../../domain/report/shared-parts.ts'
import { aCase } from '../../support/documents/documents.ts'

const normal = (fields: Readonly<Record<string, unknown>>) => readCase(Buffer.from(JSON.stringify(aCase(fields))))
const shared = (fields: Readonly<Record<string, unknown>>, parts: readonly SharedPart[], maxOutputBytes = 4096) =>
  sharedCase(normal(fields), { without: new Set(parts), maxOutputBytes })

/** A case with a word of its own in each place that holds a part. */
const FULL = {
  output: { said: 'in-output' },
  reasoning: 'in-reasoning',
  tool_calls: [{ name: 'in-call', arguments: {} }],
  error_details: 'in-details',
  vars: { question: 'in-vars' },
  prompt: { text: 'in-prompt' },
  request: { model: 'in-request' },
  raw: { id: 'in-raw' },
  error: 'in-error',
  asserts: [
    {
      kind: 'contains',
      status: 'fail',
      score: 0,
      weight: 1,
      reason: 'in-reason',
      details: 'in-more',
      criteria: 'in-criteria',
    },
  ],
}
const wordsOf = (parts: readonly SharedPart[]): string[] =>
  [...JSON.stringify(shared(FULL, parts)).matchAll(/in-[a-z]+/g)].map(([word]) => word).sort()
const OUTPUTS = ['in-call', 'in-output', 'in-reasoning']
const MESSAGES = ['in-criteria', 'in-details', 'in-error', 'in-more', 'in-reason']

describe('a case in a file that is given away', () => {
  it('is the stored case if nothing is left out', () => expect(shared(FULL, [])).toEqual(normal(FULL)))

  it.each([
    ['outputs', ['in-prompt', 'in-request', 'in-vars']],
    ['vars', OUTPUTS],
    ['prompts', [...OUTPUTS, ...MESSAGES, 'in-vars']],
    ['raw', [...OUTPUTS, ...MESSAGES, 'in-prompt', 'in-request', 'in-vars']],
  ] as const)('has nothing of the %s that are left out, nor what repeats them', (part, words) =>
    expect(wordsOf([part])).toEqual([...words].sort()),
  )

  it('has only what happened if all is left out', () => {
    expect(wordsOf(SHARED_PARTS)).toEqual([])
    expect(shared(FULL, SHARED_PARTS)).toMatchObject({
      status: 'pass',
      score: 1,
      asserts: [{ kind: 'contains', status: 'fail', reason: '' }],
    })
  })

  it('says that a message of an error is left out, unless there was none', () => {
    expect(shared({ error: 'not JSON: "Sorry, I' }, ['outputs'])).toHaveProperty('error', '[left out of this file]')
    expect(shared({}, ['outputs'])).not.toHaveProperty('error')
  })

  it('says that an output is left out, unless there was none', () => {
    expect(shared({}, ['outputs'])).toHaveProperty('output', '[left out of this file]')
    expect(shared({ output: undefined }, ['outputs'])).not.toHaveProperty('output')
  })

  it('cuts long outputs, reasoning and raw answers between characters, and says how long they were', () => {
    const cut = shared(
      { output: `${'a'.repeat(9)}é${'b'.repeat(20)}`, raw: { x: 'y'.repeat(20) }, reasoning: 'z'.repeat(11) },
      [],
      10,
    )
    expect(cut.output).toBe('aaaaaaaaa\n[cut: this file has the first 9 of 31 bytes]')
    expect(cut.raw).toBe('{"x":"yyyy\n[cut: this file has the first 10 of 28 bytes]')
    expect(cut.reasoning).toBe('zzzzzzzzzz\n[cut: this file has the first 10 of 11 bytes]')
    expect(shared({ output: 'a'.repeat(10) }, [], 10).output).toBe('a'.repeat(10))
    expect(sharedCase(normal({ output: 'a'.repeat(9_000) }), { without: new Set(), maxOutputBytes: null }).output).toBe(
      'a'.repeat(9_000),
    )
  })
})
