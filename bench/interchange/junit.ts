import { join } from 'node:path'
import type { Print } from '../measures.ts'
import { convertGenerated } from './convert-generated.ts'

const CASES = 50_000
const TRACE = 'Traceback (most recent call last):\n  File "tests/test_lib.py", line 24\nAssertionError: 1 &lt; 2\n'

/** Converts a JUnit report of 50,000 tests: one in ten fails with a trace. */
export const junitReport = (print: Print): Promise<void> =>
  convertGenerated(print, {
    name: 'JUnit, 50,000 tests',
    path: (folder) => join(folder, 'report.xml'),
    parts: function* () {
      yield '<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="all" timestamp="2026-01-01T00:00:00Z" time="10">\n'
      for (let n = 0; n < CASES; n++) {
        if (n % 500 === 0) yield `${n === 0 ? '' : '</testsuite>'}<testsuite name="suite ${n / 500}">\n`
        const failure =
          n % 10 === 0 ? `<failure message="1 &lt; 2" type="AssertionError">${TRACE.repeat(10)}</failure>` : ''
        yield `<testcase classname="tests.module_${n % 500}" name="test ${n}" time="0.0${n % 10}" file="tests/module.py" line="${n % 900}">${failure}<system-out>line ${n}</system-out></testcase>\n`
      }
      yield '</testsuite></testsuites>'
    },
    options: {},
    unit: { name: 'tests', count: CASES },
  })
