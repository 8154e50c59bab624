import { DOMParser } from '@xmldom/xmldom'
import { describe, expect, it } from 'vitest'
import { aCase, aDocument } from '../../support/documents/documents.ts'
import { exported } from '../../support/documents/exported.ts'

const parsed = (xml: Buffer) => {
  const problems: string[] = []
  const document = new DOMParser({
    errorHandler: (_level: string, message: unknown) => void problems.push(String(message)),
  }).parseFromString(xml.toString(), 'text/xml')
  expect(problems).toEqual([])
  return document
}

const failing = [
  { kind: 'contains', status: 'fail', score: 0, weight: 1, reason: 'no "30 days"' },
  { kind: 'equals', status: 'pass', score: 1, weight: 1, reason: 'same' },
  { kind: 'llm-rubric', status: 'error', score: 0, weight: 1, reason: '', criteria: { name: 'tone' } },
]

describe('the JUnit XML of a run', () => {
  it('has the run in properties, and a case for each status', () => {
    const xml = exported(
      'junit',
      aDocument({
        run_id: 'r1',
        git: { branch: 'main', commit: 'abc123' },
        cases: [
          aCase({ asserts: [], output: 'a & b' }),
          aCase({ cell: { test_id: 'b' }, status: 'fail', asserts: failing, output: null }),
          aCase({ cell: { test_id: 'c' }, status: 'error', error: 'lost', asserts: [], output: null }),
          aCase({ cell: { test_id: 'd' }, status: 'skip', asserts: [], output: null }),
        ],
      }),
    ).toString()
    const property = (name: string, value: string) => `<property name="${name}" value="${value}"></property>`
    expect(xml).toContain(
      `<testsuite name="smoke" tests="4" failures="1" errors="1" timestamp="2026-05-04T09:00:00Z">\n  <properties>${property('run_id', 'r1')}${property('project', 'chat')}${property('branch', 'main')}${property('commit', 'abc123')}`,
    )
    const cases = xml.split('\n').filter((line) => line.startsWith('  <testcase'))
    expect(cases.map((line) => line.replace(/<properties>.*<\/properties>/, ''))).toEqual([
      '  <testcase classname="model" name="greeting" time="0.010"><system-out>a &amp; b</system-out></testcase>',
      '  <testcase classname="model" name="b" time="0.010"><failure message="score 0.00">contains: no "30 days"\n\ntone: error</failure></testcase>'.split(
        '\n',
      )[0],
      '  <testcase classname="model" name="c" time="0.010"><error message="lost"></error></testcase>',
      '  <testcase classname="model" name="d" time="0.010"><skipped></skipped></testcase>',
    ])
    expect(cases[1]).toContain(property('status', 'fail') + property('score', '0'))
    expect(parsed(Buffer.from(xml)).getElementsByTagName('failure')[0]?.textContent).toBe(
      'contains: no "30 days"\n\ntone: error',
    )
  })

  it('numbers the trials of a test from 2', () => {
    const names = [0, 1, 2].map((repeat) => aCase({ cell: { repeat }, name: 'hello' }))
    const document = parsed(exported('junit', aDocument({ cases: names })))
    expect(Array.from(document.getElementsByTagName('testcase')).map((item) => item.getAttribute('name'))).toEqual([
      'hello',
      'hello [2]',
      'hello [3]',
    ])
  })

  it('drops the characters that XML forbids everywhere, and keeps the others', () => {
    const hostile = 'a\0b\x1b[31m\uFFFE\uD800c💬 ]]> <![CDATA[ \r\n\t &amp;'
    const kept = 'ab[31mc💬 ]]> <![CDATA[ \r\n\t &amp;'
    const document = parsed(
      exported(
        'junit',
        aDocument({
          cases: [
            aCase({
              name: hostile,
              output: hostile,
              status: 'fail',
              asserts: [{ kind: 'exec', status: 'fail', score: 0, weight: 1, reason: hostile }],
            }),
            aCase({ cell: { repeat: 1 }, status: 'error', error: hostile }),
          ],
        }),
      ),
    )
    expect(document.getElementsByTagName('testcase')[0]?.getAttribute('name')).toBe(kept)
    expect(document.getElementsByTagName('system-out')[0]?.textContent).toBe(kept)
    expect(document.getElementsByTagName('failure')[0]?.textContent).toBe(`exec: ${kept}`)
    expect(document.getElementsByTagName('error')[0]?.getAttribute('message')).toBe(kept)
  })
})
