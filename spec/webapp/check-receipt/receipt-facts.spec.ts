import { describe, expect, it } from 'vitest'
import type { CheckedReceipt } from '../../../domain/proof/check.ts'
import { receiptLines } from '../../../domain/report/receipt.ts'
import { receiptFacts } from '../../../webapp/check-receipt/receipt-facts.ts'

const SHA256 = 'ab'.repeat(32)
/** The base64 of its bytes contains a plus sign. */
const VKEY = 'results.example/log+207a464c+ARpc+QcU'

const receipt: CheckedReceipt = {
  index: 1,
  leaf: new Uint8Array(32),
  opening: { body: '', recorded_at: 1_777_885_300_000, salt: new Uint8Array(16), type: 'RunIngested' },
  record: {
    type: 'RunIngested',
    recorded_at: 1_777_885_300_000,
    stream: 'run/a%2Fb',
    version: 1,
    request_id: null,
    actor: { kind: 'apikey', user_id: '01ADA', credential_id: '01KEY', address: '192.0.2.1', scope: 'write' },
    data: { project: 'chat\u202e', suite: 'smoke', attempt: 2, plan_id: '01PLAN' },
    run_id: 'a/b',
    plan_id: null,
    document: { bytes: 1_200, sha256: SHA256 },
  },
  checkpoint: {
    origin: 'results.example/log',
    size: 3,
    root: new Uint8Array(32),
    signed_by: [VKEY],
    witnesses: [{ name: 'w.example/1', at: 1_777_885_300 }],
    unchecked: ['w.example/2'],
  },
  document: 'not given',
} as unknown as CheckedReceipt

const valueOf = (name: string) =>
  receiptFacts(receipt)
    .filter((fact) => fact.name === name)
    .map(({ text, code, note }) => [text ?? code, note])

describe('the facts of a receipt', () => {
  it('are in the words of the app', () => {
    expect(valueOf('Record')).toEqual([['Run uploaded', 'number 2 of 3']])
    expect(valueOf('Recorded')[0]?.[0]).toContain('2026-05-04 09:01:40 UTC')
    expect(valueOf('By')).toEqual([['an API key', undefined]])
    expect(valueOf('Project')).toEqual([['chat⟨U+202E⟩', undefined]])
    expect(valueOf('SHA-256')).toEqual([[SHA256, '1,200 bytes']])
  })

  it('show all that the receipt gives away about its uploader and plan', () =>
    expect(['Account', 'Credential', 'From', 'Plan', 'Attempt'].flatMap((name) => valueOf(name)[0]?.[0])).toEqual([
      '01ADA',
      '01KEY',
      '192.0.2.1',
      '01PLAN',
      '2',
    ]))

  it('name the key that signed, whatever its bytes are', () => {
    expect(valueOf('Signed by')).toEqual([['results.example/log+207a464c', undefined]])
    expect(receiptLines(receipt)).toContainEqual(['signed by', 'results.example/log+207a464c'])
  })

  it('name the witnesses, also those that cannot be checked here', () =>
    expect(valueOf('Witness')).toEqual([
      ['w.example/1', expect.stringContaining('2026-05-04 09:01:40 UTC')],
      ['w.example/2', 'not checked here'],
    ]))

  it('show a time that no calendar has as a number', () => {
    const record = { ...receipt.record, recorded_at: 9e15 }
    expect(receiptFacts({ ...receipt, record })[1]?.text).toBe('9000000000000000 ms since 1970')
  })
})
