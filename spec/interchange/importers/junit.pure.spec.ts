import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { SaxesParser } from 'saxes'
import { describe, expect, it } from 'vitest'
import {
  SAMPLES,
  countsOf,
  importBytes,
  importFile,
  lossesOf,
  targetWith,
} from '../../support/interchange/import-files.ts'
import { missingLeaves, type Leaf } from '../../support/interchange/leaves.ts'

const FOLDER = join(SAMPLES, 'junit')
const createdAt = '2026-01-01T00:00:00Z'

/** Imports one report and returns its only result. */
const read = async (xml: string, options: Parameters<typeof importBytes>[2] = {}) => {
  const [result] = await importBytes('report.xml', xml, { createdAt, ...options })
  return result!
}
const casesOf = async (xml: string) => (await read(xml)).document!.cases
const suite = (inner: string, attributes = 'name="s"') =>
  `<testsuites><testsuite ${attributes}>${inner}</testsuite></testsuites>`

/** The attributes and texts of an XML file, with the paths of losses. */
const xmlLeaves = (text: string): Leaf[] => {
  const leaves: Leaf[] = []
  const parser = new SaxesParser()
  parser.on('opentag', ({ name, attributes }) => {
    const path = name.startsWith('testsuite') ? 'testsuite.*' : 'testcase.*'
    for (const [key, value] of Object.entries(attributes))
      if (value !== '') leaves.push({ path: `${path}.${key}`, value: valueOf(key, value) })
  })
  for (const event of ['text', 'cdata'] as const)
    parser.on(event, (value) => {
      if (value.trim() !== '') leaves.push({ path: 'testcase.*', value: value.trim() })
    })
  parser.write(text).close()
  return leaves
}

/** Times are milliseconds in a document; those of suites are part of the time of the run. */
const valueOf = (key: string, value: string) => (key === 'time' ? true : value)

describe('the importer of JUnit XML', () => {
  it.each([
    ['jest-junit.xml', '1 / 4 / 0 / 1'],
    ['jest-junit-empty-testsuite.xml', 'refused: holds no tests'],
    ['junit-with-message.xml', '0 / 1 / 0 / 0'],
    ['junit.fail.xml', '3 / 1 / 0 / 1'],
    ['junit.gloo.standalone.xml', '80 / 0 / 0 / 17'],
    ['junit.multiresult.xml', '1 / 1 / 1 / 1'],
    ['minimal-attributes.xml', '1 / 1 / 1 / 1'],
    ['junit4-complete.xml', '5 / 1 / 1 / 1'],
    ['phpunit.xml', '10 / 2 / 0 / 0'],
    ['promptfoo-capitals.xml', '24 / 16 / 8 / 0'],
    ['pulsar-test-report.xml', '793 / 1 / 0 / 14'],
    ['python-xunit-pytest.xml', '6 / 2 / 0 / 2'],
    ['python-xunit-unittest.xml', '4 / 1 / 1 / 2'],
    ['testsuite-in-testsuite.xml', '5 / 0 / 0 / 0'],
    ['dotnet-nunit.xml', 'refused: junit: a report of NUnit 3: write or convert it as JUnit XML'],
  ])('gives the counts of %s', async (name, counts) => {
    expect(countsOf(await importFile(join(FOLDER, name)))).toEqual([counts])
  })

  it.each(readdirSync(FOLDER).filter((name) => !/nunit|empty/.test(name)))(
    'loses nothing silently: %s',
    async (name) => {
      const results = await importFile(join(FOLDER, name))
      const [result] = results
      if (!result?.document || !('run' in result)) throw new Error(`${name} was not converted`)
      const leaves = xmlLeaves(readFileSync(join(FOLDER, name), 'utf8'))
      expect(leaves.length).toBeGreaterThan(5)
      expect(missingLeaves(leaves, [result.document.bytes], result.run.losses)).toEqual([])
    },
  )

  it('counts tests that come again under one name as repeats', async () => {
    const [result] = await importFile(join(FOLDER, 'pulsar-test-report.xml'))
    expect(result!.document!.cases.filter(({ cell }) => cell.repeat > 0)).toHaveLength(138)
    expect('run' in result! && result.run.losses.find(({ note }) => note?.includes('next repeat'))?.count).toBe(138)
  })

  it.each([
    ['test-run', 'NUnit 3'],
    ['assemblies', 'xUnit.net'],
    ['TestRun', 'TRX'],
    ['testng-results', 'TestNG'],
  ])('refuses <%s> by its name', async (root, tool) => {
    expect(countsOf([await read(`<?xml version="1.0"?>\n<${root}/>`)])[0]).toMatch(
      new RegExp(`^refused: junit: a report of .*${tool}`),
    )
  })

  it('takes the name of the run from testsuites, else the first suite, else the file', async () => {
    const runOf = async (xml: string) => (await read(xml)).document!.run.suite
    expect(
      await runOf('<testsuites name="all"><testsuite name="a"><testcase name="t"/></testsuite></testsuites>'),
    ).toBe('all')
    expect(await runOf(suite('<testsuite name="inner"><testcase name="t"/></testsuite>', 'name="outer"'))).toBe('outer')
    expect(await runOf('<testsuite><testcase name="t"/></testsuite>')).toBe('report')
  })

  it('names a test by its class, else by the suites it is in', async () => {
    const cases = await casesOf(
      suite(
        '<testcase classname="a.B" name="t"/><testcase classname="" name="t"/><testsuite name="in"><testcase name="u"/></testsuite>',
      ),
    )
    expect(cases.map(({ cell }) => cell.test_id)).toEqual(['a.B.t', 's.t', 's > in.u'])
    expect(cases.map(({ cell }) => cell.provider_id)).toEqual(['tests', 'tests', 'tests'])
  })

  it('prefers an error to a failure, and a failure to a skip', async () => {
    const cases = await casesOf(
      suite(
        '<testcase name="a"><skipped/><failure message="f">assert 1</failure><error message="e" type="T">trace</error></testcase>' +
          '<testcase name="b"><skipped/><failure message="f" type="AssertionError"/></testcase>' +
          '<testcase name="c" status="notrun"/>',
      ),
    )
    expect(cases.map(({ status }) => status)).toEqual(['error', 'fail', 'skip'])
    expect(cases[0]).toMatchObject({
      error: 'e',
      error_details: { trace: 'trace' },
      asserts: [{ reason: 'f\nassert 1' }],
    })
    expect(cases[1]?.asserts).toMatchObject([
      {
        kind: 'exec',
        status: 'fail',
        reason: 'f',
        details: { type: 'AssertionError' },
        criteria: { original_type: 'failure' },
      },
    ])
  })

  it('counts reruns as attempts, and tags flaky tests', async () => {
    const cases = await casesOf(
      suite(
        '<testcase name="a"><flakyFailure message="1"><stackTrace>s</stackTrace></flakyFailure><flakyError message="2"/></testcase>' +
          '<testcase name="b"><failure message="x"/><rerunFailure message="3"/></testcase>',
      ),
    )
    expect(cases.map(({ status, attempts, tags }) => [status, attempts, tags])).toEqual([
      ['pass', 3, ['flaky']],
      ['fail', 2, undefined],
    ])
    expect(cases[0]?.raw).toMatchObject({ flakyFailure: [{ message: '1', stackTrace: [{ '#text': 's' }] }] })
  })

  it('reads properties, the output and the time of a test', async () => {
    const [item] = await casesOf(
      suite(
        '<testcase name="t" time="1,234.5"><properties><property name="provider_id" value="m"/><property name="n">text</property>' +
          '<property name="n" value="2"/></properties><system-out><![CDATA[ <b> & ]]>x</system-out><system-err>err</system-err></testcase>',
      ),
    )
    expect(item).toMatchObject({
      cell: { provider_id: 'm' },
      output: ' <b> & x',
      latency_ms: 1_234_500,
      raw: { properties: { n: ['text', '2'] }, 'system-err': [{ '#text': 'err' }] },
    })
  })

  it('takes times without a zone from --time-zone', async () => {
    const xml = suite('<testcase name="t"/>', 'name="s" timestamp="2026-07-01T12:00:00" time="1.5"')
    const utc = await read(xml)
    expect(utc.document!.run).toMatchObject({
      started_at: '2026-07-01T12:00:00Z',
      finished_at: '2026-07-01T12:00:01.5Z',
    })
    expect('run' in utc && utc.run.losses.map(({ note }) => note)).toContain(
      'a time without a zone: read as UTC, see --time-zone',
    )
    const berlin = await read(xml, { timeZone: 'Europe/Berlin' })
    expect(berlin.document!.run.started_at).toBe('2026-07-01T10:00:00Z')
  })

  it('keeps what suites say in the configuration', async () => {
    const { document } = await read(
      suite(
        '<properties><property name="commit" value="abc"/></properties><system-out>log</system-out><testcase name="t"/>',
        'name="s" hostname="h" tests="1"',
      ),
    )
    expect(document!.run.git).toMatchObject({ commit: 'abc' })
    expect(document!.run.config_snapshot).toMatchObject({
      suites: [{ suite: 's', properties: { commit: 'abc' }, hostname: 'h', 'system-out': [{ '#text': 'log' }] }],
    })
  })

  it.each([
    ['cut off', '<testsuites><testsuite name="s"><testcase name="a"/><testcase name="b"/><testcase name="c"', 1, 90],
    ['cut off between tests', '<testsuites>\n<testsuite name="s"><testcase name="a"/>', 2, 40],
    ['cut off in a CDATA section', suite('<testcase name="a"/><testcase name="b"><system-out><![CDATA[x'), 1, 0],
    ['with a stray ampersand', suite('<testcase name="a"/>\n<testcase name="x & y"/><testcase name="z"/>'), 2, 19],
    ['with a stray ampersand in a text', suite('<testcase name="a"><failure>a && b;</failure></testcase>'), 1, 0],
    ['with a stray less-than sign', suite('<testcase name="a"/>\n<testcase name="x < y"/>'), 2, 0],
    ['with an end tag too many', `${suite('<testcase name="a"/>')}\n</testsuites>`, 2, 0],
    ['with a text after its end', `${suite('<testcase name="a"/>')}\nBUILD FAILED`, 2, 0],
    ['with a second report after its end', `${suite('<testcase name="a"/>')}\n${suite('<testcase name="b"/>')}`, 2, 0],
  ])('refuses a file %s, with line and column, and shows no shorter run', async (_, xml, line, column) => {
    const [counts] = countsOf([await read(xml)])
    const [, foundLine, foundColumn] =
      /^refused: (?:not well-formed XML|the XML ends early), at line (\d+), column (\d+): /.exec(String(counts)) ?? [
        counts,
      ]
    expect(Number(foundLine)).toBe(line)
    if (column > 0) expect(Number(foundColumn)).toBe(column)
  })

  it('has a case for a suite with an error or a failure of its own', async () => {
    const cases = await casesOf(
      '<testsuites><testsuite name="setup" tests="0" errors="1"><error message="cannot import">trace</error></testsuite>' +
        '<testsuite name="ok"><testcase classname="c" name="a"/><failure message="teardown"/></testsuite><error>whole</error></testsuites>',
    )
    expect(cases.map(({ cell, status }) => [cell.test_id, status])).toEqual([
      ['setup.(suite)', 'error'],
      ['c.a', 'pass'],
      ['ok.(suite)', 'fail'],
      ['(suite)', 'error'],
    ])
    expect(cases[0]).toMatchObject({ error: 'cannot import', error_details: { trace: 'trace' } })
    expect(cases[2]?.asserts).toMatchObject([{ status: 'fail', reason: 'teardown' }])
  })

  it.each([
    ['status="failed"', 'fail'],
    ['status="FAILURE"', 'fail'],
    ['result="failure"', 'fail'],
    ['status="error"', 'error'],
    ['status="timed-out"', 'error'],
    ['result="Success"', 'pass'],
    ['success="False"', 'fail'],
    ['status="run" result="completed"', 'pass'],
    ['status="ignored"', 'skip'],
    ['status="not_run"', 'skip'],
    ['executed="false"', 'skip'],
    ['status="passed" result="failed"', 'fail'],
    ['outcome="failed"', 'fail'],
    ['State="FAILED"', 'fail'],
    ['passed="0"', 'fail'],
    ['failed="true"', 'fail'],
    ['failures="2"', 'fail'],
    ['errors="1"', 'error'],
    ['failures="0" errors="0"', 'pass'],
    ['result="not-ok"', 'fail'],
    ['status="failed_in_setup"', 'fail'],
    ['status="xpass"', 'fail'],
    ['status="xfail"', 'skip'],
  ])('reads the outcome of a test from its attributes: %s', async (attributes, status) => {
    const [item] = await casesOf(suite(`<testcase name="a" ${attributes}/>`))
    expect(item?.status).toBe(status)
    const [, word] = /^(\w+="[\w-]+")$/.exec(attributes) ?? []
    if (status === 'fail' && word) expect(item?.asserts).toMatchObject([{ status: 'fail', reason: word }])
    if (status === 'error') expect(item?.error).toBe(word)
  })

  it('prefers what is worse: an element of a test, or an attribute', async () => {
    const cases = await casesOf(
      suite(
        '<testcase name="a" status="passed"><failure/></testcase><testcase name="b" status="failed"><skipped/></testcase>' +
          '<testcase name="c" status="skipped"><error message="e"/></testcase>',
      ),
    )
    expect(cases.map(({ status }) => status)).toEqual(['fail', 'fail', 'error'])
  })

  it('finds a failure inside of an element that it does not know', async () => {
    const cases = await casesOf(
      suite(
        '<testcase name="a"><testcase name="inner"><failure message="f"/></testcase></testcase>' +
          '<testcase name="b"><flakyError><error/></flakyError></testcase>',
      ),
    )
    expect(cases.map(({ status }) => status)).toEqual(['fail', 'pass'])
    expect(cases[0]?.asserts).toMatchObject([{ reason: 'a <failure> inside of the test' }])
  })

  it('reads the elements of an outcome in any spelling', async () => {
    const cases = await casesOf(
      suite(
        '<testcase name="a"><Failure message="f"/></testcase><testcase name="b"><failed/></testcase>' +
          '<testcase name="c"><ERROR/></testcase><testcase name="d"><Skipped/></testcase>' +
          '<testcase name="e"><step><skipped/></step></testcase>',
      ),
    )
    expect(cases.map(({ status }) => status)).toEqual(['fail', 'fail', 'error', 'skip', 'pass'])
    expect(cases[0]?.asserts).toMatchObject([{ status: 'fail', reason: '<Failure>' }])
  })

  it.each([
    ['status="failed"', '<testcase name="a"/>', ['the suite says status="failed", and no test in it failed']],
    ['result="Error"', '<testcase name="a"/>', ['the suite says result="Error", and no test in it failed']],
    ['status="failed"', '<testcase name="a"><failure/></testcase>', []],
    ['failed="0" passed="1"', '<testcase name="a"/>', []],
  ])('compares what a suite says of itself with its tests: %s %s', async (attributes, tests, notes) => {
    const result = await read(suite(tests, attributes))
    const found = lossesOf([result]).filter(({ kind }) => kind === 'contradicted')
    expect(found.map(({ note }) => note)).toEqual(notes)
  })

  it('records a status that it does not know', async () => {
    const result = await read(suite('<testcase name="a" status="purple"/>'))
    expect(countsOf([result])).toEqual(['1 / 0 / 0 / 0'])
    expect('run' in result && result.run.losses).toContainEqual(
      expect.objectContaining({ kind: 'assumed', path: 'testcase.*.status', example: 'purple' }),
    )
  })

  it.each(['75.35s', '-0.001', 'NaN', '0,25', '0,123', '1e999'])(
    'keeps a duration that is no number of seconds in raw, and records it: %s',
    async (time) => {
      const result = await read(suite(`<testcase name="a" time="${time}"/>`))
      expect(result.document!.cases[0]).toMatchObject({ latency_ms: 0, raw: { time } })
      expect('run' in result && result.run.losses).toContainEqual(
        expect.objectContaining({ kind: 'changed', path: 'testcase.*.time', example: time }),
      )
    },
  )

  it('has no name that reaches the prototype of an object', async () => {
    const cases = await casesOf(
      suite(
        '<testcase name="a" __proto__="x" constructor="y"><__proto__ a="1"/><properties><property name="__proto__" value="z"/></properties></testcase>',
      ),
    )
    expect(JSON.stringify(cases[0]?.raw)).toMatch(/"constructor":"y"/)
    expect(({} as Record<string, unknown>)['a']).toBeUndefined()
  })

  describe('with one test in several places', () => {
    const inPlace = (name: string, host: string, tests: string) =>
      `<testsuite name="${name}"${host && ` hostname="${host}"`}>${tests}</testsuite>`
    const test = '<testcase classname="Login" name="works"/>'
    const failing = '<testcase classname="Login" name="works"><failure message="no"/></testcase>'
    const cellsOf = async (...suites: readonly string[]) =>
      (await casesOf(`<testsuites>${suites.join('')}</testsuites>`)).map(({ cell, status }) => [
        ...[cell.provider_id, cell.test_id, cell.repeat],
        status,
      ])

    it('has a column for each host, also for tests that are on one of them only', async () => {
      const other = '<testcase classname="Login" name="other"/>'
      expect(await cellsOf(inPlace('a', 'chromium', test + other), inPlace('a', 'firefox', failing))).toEqual([
        ['chromium', 'Login.works', 0, 'pass'],
        ['chromium', 'Login.other', 0, 'pass'],
        ['firefox', 'Login.works', 0, 'fail'],
      ])
    })

    it('names the suites of a test of one class in two suites, and of no other test', async () => {
      const other = '<testcase classname="Login" name="other"/>'
      expect(await cellsOf(inPlace('a', 'h', test + other), inPlace('b', 'h', failing))).toEqual([
        ['tests', 'a > Login.works', 0, 'pass'],
        ['tests', 'Login.other', 0, 'pass'],
        ['tests', 'b > Login.works', 0, 'fail'],
      ])
    })

    it('counts a test again in a suite of the same name as its next trial', async () => {
      expect(await cellsOf(inPlace('a', 'h', test + failing), inPlace('a', 'h', test))).toEqual([
        ['tests', 'Login.works', 0, 'pass'],
        ['tests', 'Login.works', 1, 'fail'],
        ['tests', 'Login.works', 2, 'pass'],
      ])
    })

    it('leaves names as they are where hosts and suites have no test in common', async () => {
      const other = '<testcase classname="Login" name="other"/>'
      expect(await cellsOf(inPlace('a', 'h1', test), inPlace('b', 'h2', other))).toEqual([
        ['tests', 'Login.works', 0, 'pass'],
        ['tests', 'Login.other', 0, 'pass'],
      ])
    })

    it('says so, and is there already the second time', async () => {
      const report = `<testsuites>${inPlace('a', 'x', test)}${inPlace('a', 'y', test)}</testsuites>`
      const found = await read(report)
      expect(lossesOf([found]).map(({ note }) => note)).toContain('a test is on several hosts')
      expect((await read(report, { target: targetWith([found]) })).outcome).toBe('already_there')
    })
  })

  it('starts with the first suite also if the suites have no names', async () => {
    const unnamed = ['10:00:00', '11:00:00'].map((time) =>
      suite('<testcase name="t"/>', `timestamp="2026-07-01T${time}Z" time="2"`),
    )
    const { document } = await read(`<testsuites>${unnamed.join('')}</testsuites>`)
    expect(document!.run).toMatchObject({ started_at: '2026-07-01T10:00:00Z', finished_at: '2026-07-01T11:00:02Z' })
  })

  it('takes the times of suites that a clock can have shown', async () => {
    const times = async (...timestamps: readonly string[]) => {
      const suites = timestamps.map(
        (time) => `<testsuite name="s" timestamp="${time}" time="2"><testcase name="t"/></testsuite>`,
      )
      const importedAt = Date.parse('2026-05-05T00:00:00Z')
      const { document } = await read(`<testsuites>${suites.join('')}</testsuites>`, { importedAt })
      return [document?.run.started_at, document?.run.finished_at]
    }
    const right = ['2026-05-04T09:00:00Z', '2026-05-04T09:00:02Z']
    expect(await times('1970-01-01T00:00:00', '2026-05-04T09:00:00', '2099-01-01T00:00:00')).toEqual(right)
    expect(await times('1777885200000')).toEqual(right)
    expect(await times('1777885200')).toEqual(right)
    expect(await times('0001-01-01T00:00:00')).toEqual([createdAt, createdAt])
  })
})
