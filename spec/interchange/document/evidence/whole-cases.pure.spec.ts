import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import type { CaseDocument } from '../../../../interchange/document/case/case-document.ts'
import { fittedCase, FITTING_STEPS } from '../../../../interchange/document/case/fitting.ts'
import { newLosses } from '../../../../interchange/document/losses.ts'
import { SAMPLES, importBytes } from '../../../support/interchange/import-files.ts'
import { bytesOf, entriesOf, evidenceOf, keepingIn } from '../../../support/interchange/kept-evidence.ts'

// A run over the limit of a document is stored with less. What is taken out of a case is kept among its parts.

const CASES = 66
const LONG = 'x'.repeat(1024 * 1024)

const folder = mkdtempSync(join(tmpdir(), 'ers-whole-cases-'))
afterAll(() => rmSync(folder, { recursive: true }))

/** A run of promptfoo whose outputs are larger than a document: all but one have a megabyte. */
const tooLarge = (): string => {
  const file = JSON.parse(readFileSync(join(SAMPLES, 'promptfoo', 'v3-capitals.json'), 'utf8')) as {
    results: { results: Array<Record<string, unknown>> }
  }
  const [result] = file.results.results
  file.results.results = Array.from({ length: CASES }, (_, n) => ({
    ...result,
    id: `result ${n}`,
    testIdx: n,
    vars: { country: 'France', n },
    response: { output: n === 0 ? 'Paris' : `${n} ${LONG}` },
  }))
  return JSON.stringify(file)
}

describe('a run that is larger than a document', () => {
  it('has each case that is shortened as a part, whole, and loses nothing', async () => {
    const [result] = await importBytes('large.json', tooLarge(), keepingIn(folder))
    const evidence = evidenceOf(result)
    const entries = entriesOf(evidence)
    const cases = result?.document?.cases ?? []
    expect(new Set(entries.map(({ role, name }) => `${role} ${name}`))).toEqual(new Set(['other full case.json']))
    for (const { sha256, case_key } of entries) {
      const whole = JSON.parse(bytesOf(evidence, sha256).toString()) as { output: string }
      const stored = cases.find((item) => item.case_key === case_key)
      expect(whole).toMatchObject({ case_key, raw: expect.any(Object) as object })
      if (whole.output === 'Paris') continue
      expect(whole.output).toHaveLength(LONG.length + whole.output.indexOf(' ') + 1)
      expect([stored?.raw ?? null, stored?.output]).toEqual([null, expect.stringMatching(/ bytes\]$/)])
    }
    const losses = result && 'run' in result ? result.run.losses : []
    const ofFitting = losses.filter(({ note }) => note?.startsWith('to make the document smaller'))
    expect(new Set(ofFitting.map(({ kind, note }) => `${kind} ${note}`))).toEqual(
      new Set(['original_only to make the document smaller: in full case.json']),
    )
  })

  it('loses what is taken out where it cannot be kept', () => {
    const item: CaseDocument = {
      cell: { provider_id: 'p', test_id: 't', repeat: 0 },
      case_key: 'k',
      status: 'pass',
      score: 1,
      asserts: [],
      attempts: 1,
      cached: false,
      latency_ms: 0,
      raw: { a: 1 },
      output: 'short',
    }
    const [, step] = FITTING_STEPS
    const kindsIf = (isKept: boolean) => {
      const losses = newLosses()
      const { raw: _raw, ...rest } = item
      expect(fittedCase(item, step!, losses, 'cases.*', (whole) => whole === item && isKept)).toEqual(rest)
      return losses.all().map(({ kind, path, bytes }) => [kind, path, bytes])
    }
    expect([kindsIf(true), kindsIf(false)]).toEqual([[['original_only', 'cases.*', 7]], [['left_out', 'cases.*', 7]]])
    const whole = fittedCase(item, FITTING_STEPS[0]!, newLosses(), 'cases.*', () => expect.unreachable())
    expect(whole).toBe(item)
  })
})
