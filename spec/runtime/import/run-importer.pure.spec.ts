import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, vi } from 'vitest'
import { ImportTooLarge, runImporter } from '../../../runtime/import/run-importer.ts'
import type { ImporterData } from '../../../runtime/threads/importer-thread.ts'
import { SAMPLES } from '../../support/interchange/import-files.ts'

const CAPITALS = readFileSync(join(SAMPLES, 'promptfoo', 'v3-capitals.json'))
const data = (): ImporterData => ({
  input: { kind: 'memory', name: 'capitals.json', bytes: new Uint8Array(CAPITALS) },
  job: { format: null, verify: false, onChanged: 'report', options: {} },
})
const target = { known: async () => null, content: async () => null }

it('an import that is cut off ends at once, also in the middle of a run', async () => {
  const cut = new AbortController()
  const taken: string[] = []
  const asked = {
    ...target,
    // The thread waits for this answer before it converts the run.
    known: () => {
      cut.abort(new Error('left'))
      return new Promise<null>(() => {})
    },
  }
  const ended = runImporter(data(), asked, async ({ kind }) => void taken.push(kind), { cut: cut.signal })
  await expect(ended).rejects.toThrow('the import was cut off')
  expect(taken).toEqual([])
  await expect(runImporter(data(), target, async () => {}, { cut: cut.signal })).rejects.toThrow('left')
})

it('an import that is stopped finishes the run it is at', async () => {
  const stop = new AbortController()
  const taken: string[] = []
  const asked = {
    ...target,
    known: async () => {
      stop.abort()
      return null
    },
  }
  // The second that it has is as long as it needs.
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  try {
    await runImporter(data(), asked, async ({ kind }) => void taken.push(kind), { signal: stop.signal })
  } finally {
    vi.useRealTimers()
  }
  expect(taken).toEqual(['run'])
})

it.each([
  ['objects', 32, `[${'{"a":1},'.repeat(250_000)}1]`],
  // Tables of keys grow in steps that are larger than what V8 lets a thread have beyond its limit, so that it can end it.
  ['keys', 64, `{${Array.from({ length: 900_000 }, (_, i) => `"k${i}":1`).join(',')}}`],
  ['a text', 64, `["${'é'.repeat(20_000_000)}ш"]`],
])(
  'an import whose %s need more memory than its thread may have is refused, and this process lives on',
  async (...of) => {
    const [, maxHeapMib, many] = of
    const text = CAPITALS.toString().replace('"vars": {', () => `"vars": { "many": ${many},`)
    expect(text.length).toBeGreaterThan(many.length)
    const { job } = data()
    const large: ImporterData = {
      input: { kind: 'memory', name: 'large.json', bytes: new Uint8Array(Buffer.from(text)) },
      job,
    }
    await expect(runImporter(large, target, async () => {}, { maxHeapMib })).rejects.toThrow(ImportTooLarge)
  },
)

it('ends an import that is stopped, also in the middle of a run', async () => {
  const stop = new AbortController()
  const results: unknown[] = []
  await runImporter(
    {
      input: { kind: 'memory', name: 'a.json', bytes: readFileSync(join(SAMPLES, 'promptfoo', 'v3-capitals.json')) },
      job: { format: null, verify: false, onChanged: 'report', options: {} },
    },
    {
      // The run is never finished.
      known: () => {
        stop.abort()
        return new Promise(() => {})
      },
      content: async () => null,
    },
    async (result) => void results.push(result),
    { signal: stop.signal },
  )
  expect(results).toEqual([])
})
