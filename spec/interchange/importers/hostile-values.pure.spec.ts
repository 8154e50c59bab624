import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, describe, expect, it } from 'vitest'
import { SAMPLES, countsOf, importBytes } from '../../support/interchange/import-files.ts'
import { keepingIn } from '../../support/interchange/kept-evidence.ts'

// Transcripts and parts are made of the same values.
const folder = mkdtempSync(join(tmpdir(), 'ers-hostile-'))
afterAll(() => rmSync(folder, { recursive: true }))

const FILES = [
  'ctrf/comprehensive.json',
  'phoenix/base.json',
  'langsmith/runs.jsonl',
  'langfuse/experiment-items.jsonl',
  'braintrust/experiment-events.jsonl',
  'ragas/evaluate.jsonl',
  'atif/trajectory.json',
  'otlp/traces.json',
  'otlp/traces.jsonl',
  'openai-evals/auto_gpt_test-match.jsonl',
  'openai-evals/hosted-output-items.json',
]

/** Values of types that no tool writes in these places. */
const HOSTILE: readonly unknown[] = [
  ...[null, true, 0, -1, 1e308, 0.5, '', 'x', '\u0000', '\ud800', 'x'.repeat(500), [], {}, [null], [[]], [1, 'a', {}]],
  ...[{ length: 3 }, { toString: 1 }, JSON.parse('{"__proto__":{"a":1},"constructor":2}') as unknown],
]

/** All places of a value, as paths. */
const placesOf = (value: unknown, path: readonly (string | number)[] = []): Array<readonly (string | number)[]> => [
  path,
  ...(typeof value === 'object' && value !== null
    ? Object.entries(value).flatMap(([key, member]) =>
        placesOf(member, [...path, Array.isArray(value) ? Number(key) : key]),
      )
    : []),
]

const replaced = (value: unknown, path: readonly (string | number)[], by: unknown): unknown => {
  const [key, ...rest] = path
  if (key === undefined) return by
  const copy = (Array.isArray(value) ? [...(value as unknown[])] : { ...(value as object) }) as Record<
    string | number,
    unknown
  >
  copy[key] = replaced(copy[key], rest, by)
  return copy
}

describe('a file with values of another type than expected', () => {
  it.each(FILES)('is refused, or gives a document that the service accepts: %s', async (name) => {
    const text = readFileSync(join(SAMPLES, name), 'utf8').trim()
    const isLines = name.endsWith('.jsonl')
    const whole: unknown = isLines ? text.split('\n').map((line) => JSON.parse(line) as unknown) : JSON.parse(text)
    const places = placesOf(whole).filter((path) => path.length > (isLines ? 1 : 0))
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.constantFrom(...places), fc.constantFrom(...HOSTILE)), { minLength: 1, maxLength: 2 }),
        async (changes) => {
          let value = whole
          for (const [path, by] of changes) if (isThere(value, path)) value = replaced(value, path, by)
          const content = isLines
            ? (value as unknown[]).map((line) => JSON.stringify(line)).join('\n')
            : JSON.stringify(value)
          // The import checks the document. Any error but a refusal fails this test.
          const results = await importBytes(name.split('/')[1]!, content, {
            ...keepingIn(folder),
            createdAt: '2026-01-01T00:00:00Z',
          })
          // A refusal has a reason.
          for (const counts of countsOf(results)) expect(counts).not.toBe('refused: ')
        },
      ),
      { numRuns: 60 },
    )
  })
})

const isThere = (value: unknown, path: readonly (string | number)[]): boolean =>
  path.length === 0 ||
  (typeof value === 'object' &&
    value !== null &&
    Object.hasOwn(value, path[0]!) &&
    isThere((value as Record<string | number, unknown>)[path[0]!], path.slice(1)))
