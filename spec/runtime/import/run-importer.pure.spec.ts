import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { runImporter } from '../../../runtime/import/run-importer.ts'
import { SAMPLES } from '../../support/interchange/import-files.ts'

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
    stop.signal,
  )
  expect(results).toEqual([])
})
