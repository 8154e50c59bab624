import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { CLI } from '../../../queries/access/viewer.ts'
import { continueShared, startShared } from '../../../queries/share/shared-file.ts'
import { aCase, aDocument } from '../../support/documents/documents.ts'
import { openApp, type SpecApp } from '../../support/servers/app.ts'

/** Three pages of a comparison, and two of the matrix, for each of which other reads go on. */
const CASES = 1_100

let spec: SpecApp
beforeAll(async () => {
  spec = await openApp()
  for (const run_id of ['head', 'base'])
    await spec.ingest(
      aDocument({
        run_id,
        cases: Array.from({ length: CASES }, (_, n) =>
          aCase({ cell: { test_id: `t${n >> 1}`, provider_id: `model ${n & 1}` } }),
        ),
      }),
    )
})
afterAll(() => spec.close())

describe('the data of a page that is one file', () => {
  it('lets other reads of the thread go on while a long part is made', async () => {
    const { reader, documents } = spec.service
    const source = { reader, documents, viewer: CLI }
    const parts = { without: [], with: [], max_output_bytes: null }
    const request = { run_id: 'head', base: 'base', ...parts, case_key: null, now: 0 }
    const turns: number[] = []
    for (let at = (await startShared(source, request))?.from ?? null; at;) {
      let isDone = false
      let count = 0
      const turn = (): void => {
        count++
        if (!isDone) setImmediate(turn)
      }
      setImmediate(turn)
      const { step } = at
      at = (await continueShared(source, request, at))?.next ?? null
      isDone = true
      turns[step] = count
    }
    // The parts of both runs (cases, facts, matrix), the two directions of the comparison, and the end.
    const [, facts = 0, matrix = 0, , , , comparison = 0] = turns
    expect(turns).toHaveLength(9)
    expect([facts >= 2, matrix >= 2, comparison >= 4]).toEqual([true, true, true])
  })
})
