import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../../engine/json.ts'
import { parseFloats } from '../../../engine/numbers.ts'
import { suiteDigests } from '../../../engine/suite/suite-digests.ts'
import type { ExpandedTest } from '../../../engine/suite/suite.ts'
import { load, MINIMAL } from '../../support/suites/suite-folder.ts'

const test = (more: Partial<ExpandedTest> = {}): ExpandedTest => ({
  id: 'refund/eligible',
  source: 'tests[0]',
  tags: ['smoke'],
  vars: { order: 'A-77' },
  assert: [],
  ...more,
})

describe('the digests of a suite', () => {
  it('are those of the reference', async () => {
    const loaded = await load(`${MINIMAL}prompts: [{id: terse, template: "How long can I return order {{ order }}?"}]`)
    expect(suiteDigests(loaded, [test()])).toMatchObject({
      prompts: 'blake3:c843bc8fd9c80819f73c1f2814175d54151eaad0c099cfdb356dc921acf2feec',
      tests: 'blake3:98b57dab33fa6f463a1cecd56b6cd845961f3f2dc30f235b77bca8729973bede',
    })
  })

  it('are the same for 1 and 1.0 in vars', async () => {
    const loaded = await load(MINIMAL)
    const digests = async (number: string) =>
      suiteDigests(await load(`${MINIMAL}tests: [{id: a, vars: {t: ${number}}}]`), [
        test({ vars: parseFloats(`{"t":${number}}`) as JsonObject }),
      ])
    expect(await digests('1.0')).toEqual(await digests('1'))
    expect((await digests('1.0')).config).not.toBe(suiteDigests(loaded, []).config)
  })

  it('are written without a grader and without prompts too', async () => {
    const loaded = await load(MINIMAL)
    const graded = await load(`${MINIMAL}grader: {provider: {type: openai, model: m}}`)
    expect(suiteDigests(loaded, []).grader).toBe(suiteDigests(await load(`${MINIMAL}suite: other`), []).grader)
    expect(suiteDigests(loaded, []).grader).not.toBe(suiteDigests(graded, []).grader)
    expect(suiteDigests(loaded, []).prompts).toBe(suiteDigests(await load(`${MINIMAL}prompts: []`), []).prompts)
  })

  it('of tests change with a test, and not with its assertions, marker, source or place', async () => {
    const loaded = await load(MINIMAL)
    const tests = (...all: readonly ExpandedTest[]): string => suiteDigests(loaded, all).tests
    const other = test({ id: 'a', vars: {} })
    const before = tests(test(), other)
    expect(tests(other, test())).toBe(before)
    expect(
      tests(
        test({ assert: [{ kind: 'is-json', weight: 1, negate: false, fields: {} }], expect_fail: true, source: 'x' }),
        other,
      ),
    ).toBe(before)
    expect(tests(test({ cache_salt: '' }), other)).not.toBe(before)
    expect(tests(test({ history: [] }), other)).not.toBe(before)
    expect(tests(test({ tags: [] }), other)).not.toBe(before)
  })

  it('of assertions change with assertions and with the marker, and not with its reason', async () => {
    const loaded = await load(MINIMAL)
    const asserts = (more: Partial<ExpandedTest>): string => suiteDigests(loaded, [test(more)]).asserts
    const assert = [{ kind: 'is-json', weight: 1, negate: false, fields: {} }] as const
    expect(new Set([asserts({}), asserts({ assert }), asserts({ assert, expect_fail: true })]).size).toBe(3)
    expect(asserts({ assert, expect_fail: 'why' })).toBe(asserts({ assert, expect_fail: true }))
    expect(asserts({ assert: [{ ...assert[0], weight: 2 }] })).not.toBe(asserts({ assert }))
    expect(asserts({ vars: {} })).toBe(asserts({}))
  })
})

describe('the snapshot of a suite', () => {
  it('has defaults where the reference wants them, and nothing else that was not written', async () => {
    const { snapshot } = await load(`version: 1
providers: [{id: h, type: http, url: "\${env:U:-u}", method: get}]
defaults: {threshold: 1}
tests:
  - {assert: [{type: not-contains, value: x}, {type: is-json, weight: 2}], expect_fail: false}
  - file://a.csv
runner: {retries: {max: 1}}
cache: {s3: {bucket: b}}
`)
    expect(snapshot).toEqual({
      version: 1,
      providers: [{ id: 'h', type: 'http', url: 'u', method: 'GET' }],
      defaults: { vars: {}, assert: [], tags: [], threshold: 1 },
      tests: [
        {
          assert: [
            { type: 'contains', weight: 1, negate: true, value: 'x' },
            { type: 'is-json', weight: 2, negate: false },
          ],
        },
        'file://a.csv',
      ],
      runner: { retries: { jitter: false, max: 1 } },
      cache: { backend: 'disk', s3: { force_path_style: false, bucket: 'b' } },
    })
  })

  it('has tests even if the suite has none', async () =>
    expect((await load(MINIMAL)).snapshot).toHaveProperty('tests', []))
})
