import { describe, expect, it } from 'vitest'
import { openDocument } from '../../../domain/run/document.ts'
import { aCase, aDocument } from '../../support/documents/documents.ts'
import { exported } from '../../support/documents/exported.ts'

describe('the JSON Lines of a run', () => {
  it('are the run without its cases, then each case in its normal form', () => {
    const document = aDocument({
      cases: [aCase({ empty_reason: '', unknown_field: 1 }), aCase({ cell: { repeat: 1 } })],
    })
    const lines = exported('jsonl', document).toString().split('\n')
    const opened = openDocument(Buffer.from(JSON.stringify(document)))
    const { empty_reason: _, ...first } = opened.caseAt(0)
    expect(lines.map((line) => (line === '' ? null : (JSON.parse(line) as unknown)))).toEqual([
      { run: opened.run },
      first,
      opened.caseAt(1),
      null,
    ])
  })

  it('keep all digits of every number', () => {
    const text = JSON.stringify(aDocument({ cases: [aCase({ raw: { id: 'BIG' } })] })).replace(
      '"BIG"',
      '12345678901234567890',
    )
    expect(exported('jsonl', text).toString()).toContain('"id":12345678901234567890')
  })

  it('make a document again, equal to the uploaded one', () => {
    const document = aDocument({
      cases: [aCase({ output: { a: [1, null] } }), aCase({ cell: { repeat: 1 }, output: '=x\r\n' })],
    })
    const [head = '', ...cases] = exported('jsonl', document).toString().trimEnd().split('\n')
    const { run } = JSON.parse(head) as { run: object }
    const again = openDocument(
      Buffer.from(JSON.stringify({ ...run, cases: cases.map((line) => JSON.parse(line) as unknown) })),
    )
    const before = openDocument(Buffer.from(JSON.stringify(document)))
    expect([again.run, again.caseAt(0), again.caseAt(1)]).toEqual([before.run, before.caseAt(0), before.caseAt(1)])
  })
})
