import { DOMParser } from '@xmldom/xmldom'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { junitReport } from '../../../domain/report/junit.ts'
import { engineCase, engineRun } from '../../support/documents/engine-run.ts'

const parsed = (xml: string) => {
  const problems: string[] = []
  const document = new DOMParser({
    errorHandler: (_level: string, message: unknown) => void problems.push(String(message)),
  }).parseFromString(xml, 'text/xml')
  expect(problems).toEqual([])
  return document
}

describe('junitReport', () => {
  it('writes an element for each status', () =>
    expect(
      junitReport(
        engineRun('r1', [
          engineCase('refund/abuse', { status: 'fail' }),
          engineCase('b', { status: 'error', error: 'no <answer>\nat "all"' }),
          engineCase('c', { status: 'skip' }),
          engineCase('d', { status: 'xfail', expect_fail_reason: 'ticket 4411' }),
          engineCase('e', { status: 'xfail' }),
          engineCase('f', { status: 'xpass', name: 'the sixth' }),
          engineCase('g', { latency_ms: 1234 }),
        ]),
      ),
    ).toBe(`<?xml version="1.0" encoding="UTF-8"?>
<testsuite name="refunds" tests="7" failures="2" errors="1">
  <testcase classname="fast-model" name="refund/abuse" time="0.350"><failure message="score 0.00"></failure></testcase>
  <testcase classname="fast-model" name="b" time="0.350"><error message="no &lt;answer&gt;&#10;at &quot;all&quot;"></error></testcase>
  <testcase classname="fast-model" name="c" time="0.350"><skipped></skipped></testcase>
  <testcase classname="fast-model" name="d" time="0.350"><skipped message="expected failure: ticket 4411"></skipped></testcase>
  <testcase classname="fast-model" name="e" time="0.350"><skipped message="expected failure"></skipped></testcase>
  <testcase classname="fast-model" name="the sixth" time="0.350"><failure message="unexpectedly passed (strict expect_fail)"></failure></testcase>
  <testcase classname="fast-model" name="g" time="1.234"></testcase>
</testsuite>
`))

  it('names a run without a suite ers, and counts the whole run', () => {
    const { suite: _, ...run } = engineRun('r1', [engineCase('a'), engineCase('b', { status: 'fail' })])
    expect(junitReport({ ...run, cases: [] })).toContain('<testsuite name="ers" tests="2" failures="1" errors="0">')
  })

  it('drops the characters that XML does not allow', () =>
    expect(junitReport(engineRun('r1', [engineCase('a\0b\x1b[31m\uFFFE\uD800c💬')]))).toContain('name="ab[31mc💬"'))

  it('is XML that keeps every other character of any text', () =>
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (name, error) => {
        const document = parsed(junitReport(engineRun('r1', [engineCase('a', { name, status: 'error', error })])))
        const allowed = (text: string) => text.replace(/[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, '')
        expect(document.getElementsByTagName('testcase')[0]?.getAttribute('name')).toBe(allowed(name))
        expect(document.getElementsByTagName('error')[0]?.getAttribute('message')).toBe(allowed(error))
      }),
    ))
})
