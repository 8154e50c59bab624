import { mount } from '@vue/test-utils'
import { describe, expect, it } from 'vitest'
import MeasureSwitch from '../../../webapp/pages/suite/MeasureSwitch.vue'
import {
  axisFor,
  casesWords,
  formatCaseCost,
  intervalWords,
  MEASURE_KEYS,
  MEASURES,
  valueOf,
  type MeasureKey,
} from '../../../webapp/suites/measures.ts'

const measure = (key: MeasureKey) => MEASURES.find((each) => each.key === key)!
const figure = (value: number, more = {}) => ({
  value,
  lower: value / 2,
  upper: value * 2,
  cases: 180,
  from_cache: 0,
  ...more,
})
const run = {
  passed: 11,
  total: 40,
  rate: 0.275,
  lower: 0.161,
  upper: 0.428,
  measures: {
    score: figure(0.5),
    cost_usd: figure(0.00006, { from_cache: 20 }),
    latency_p50_ms: figure(2_100),
    latency_p95_ms: { ...figure(9_000), lower: null, upper: null },
    tokens: null,
  },
}

describe('the measures of a run', () => {
  it('are in one order, the pass rate first', () => expect(MEASURES.map(({ key }) => key)).toEqual(MEASURE_KEYS))

  it('have their values in words', () => {
    const words = MEASURES.map((each) => {
      const value = valueOf(each, run)
      return [casesWords(each, run), value && each.format(value.value), value && intervalWords(value, each.format)]
    })
    expect(words).toEqual([
      ['11 of 40 passed', '27.5%', '16.1% to 42.8%'],
      ['180 cases', '0.50', '0.25 to 1.00'],
      ['180 cases, 20 more read from a cache', '$0.000060', '$0.000030 to $0.00012'],
      ['180 cases', '2.1 s', '1.1 s to 4.2 s'],
      ['180 cases', '9.0 s', ''],
      ['not recorded', null, null],
    ])
    expect(valueOf(measure('tokens'), run)).toBeNull()
    expect(casesWords(measure('rate'), { ...run, total: 0 })).toBe('no cases')
  })

  it('say how they changed', () => {
    expect(measure('rate').change(0.375, 0.275)).toBe('−10.0 points')
    expect(measure('score').change(0.5, 0.5)).toBe('0.00')
    expect(measure('cost').change(1, 0.8)).toBe('−20%')
    expect(measure('latency').change(1_000, 8_500)).toBe('8.5 times')
    expect(measure('tokens').change(100, 112)).toBe('+12%')
    expect([measure('cost').change(0, 0), measure('cost').change(0, 1)]).toEqual(['0%', 'from 0'])
  })

  it('have costs with two digits below a tenth of a cent', () =>
    expect([0, 0.000059, 0.00095, 0.0042, 2.33].map(formatCaseCost)).toEqual([
      '$0.00',
      '$0.000059',
      '$0.00095',
      '$0.0042',
      '$2.33',
    ]))

  it('have an axis to 100 % where they are shares', () => {
    expect(axisFor(measure('rate'), [0.2]).to).toBe(1)
    expect(axisFor(measure('score'), [0.2]).to).toBe(1)
    expect(axisFor(measure('score'), [7]).to).toBe(8)
    expect(axisFor(measure('latency'), [150_000]).ticks).toContain(120_000)
  })
})

it('the switch of measures names each with its newest value, and what was not recorded cannot be chosen', async () => {
  const tile = (key: MeasureKey, value: string | null, isRecorded = true) => ({
    key,
    name: measure(key).name,
    about: '',
    value,
    change: value && '−20%',
    isRecorded,
  })
  const tiles = [tile('rate', '27.5%'), tile('cost', null), tile('tokens', null, false)]
  const row = mount(MeasureSwitch, { props: { tiles, chosen: 'rate' } })
  const buttons = row.findAll('button')
  expect(buttons.map((each) => each.text().replace(/\s+/g, ' '))).toEqual([
    'Pass rate27.5%−20%',
    'Cost a case–not in the newest',
    'Tokens a case–not recorded',
  ])
  expect(buttons.map((each) => [each.attributes('aria-pressed'), each.attributes('disabled')])).toEqual([
    ['true', undefined],
    ['false', undefined],
    ['false', ''],
  ])
  await buttons[1]?.trigger('click')
  await buttons[2]?.trigger('click')
  expect(row.emitted('choose')).toEqual([['cost']])
})
