import { describe, expect, it } from 'vitest'
import { jsonText } from '../../../../webapp/text/json-text.ts'
import { readCaseDetail } from '../../../../webapp/pages/case/read-case.ts'

describe('readCaseDetail', () => {
  const text =
    '{"case_key":"k","status":"pass","score":0.12345678901234567890123,"latency_ms":1,"output":{"id":12345678901234567890},"asserts":[{"kind":"equals","status":"pass","score":0.12345678901234567890123,"weight":1,"criteria":{"value":12345678901234567890}}]}'
  it('preserves all digits in free-form values, but not in numeric fields of the case', () => {
    const detail = readCaseDetail(text)
    expect([detail.score, detail.asserts[0]?.score]).toEqual([0.12345678901234568, 0.12345678901234568])
    expect(jsonText(detail.output)).toBe('{"id":12345678901234567890}')
    expect(jsonText(detail.asserts[0]?.criteria)).toBe('{"value":12345678901234567890}')
    expect('vars' in detail).toBe(false)
  })
})
