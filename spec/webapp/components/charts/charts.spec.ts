import { mount } from '@vue/test-utils'
import { describe, expect, it } from 'vitest'
import ChartPanel from '../../../../webapp/components/charts/ChartPanel.vue'
import SparkLine from '../../../../webapp/components/charts/SparkLine.vue'
import { roundAxis, stretches, trendWords, type TrendPoint } from '../../../../webapp/components/charts/trend.ts'

const point = (id: string, value: number | null, partial = false): TrendPoint => ({
  id,
  created_at: `2026-03-0${id}T10:00:00Z`,
  name: `run ${id}`,
  value,
  lower: 0.1,
  upper: 0.9,
  cases: '',
  interval: '',
  partial,
  to: null,
})

describe('SparkLine', () => {
  it('says what it shows, and ends in a dot', () => {
    const line = mount(SparkLine, { props: { rates: [0.5, 0.25, 0.75] } })
    expect(line.get('svg').attributes('aria-label')).toBe(
      'Pass rate of 3 runs, oldest first: 50.0% to 75.0%, lowest 25.0%, highest 75.0%',
    )
    expect([line.get('path').attributes('d'), line.get('circle').attributes('cx')]).toEqual(['M4 13L48 22L92 4', '92'])
  })
  it('draws noise as a flat line', () =>
    expect(
      mount(SparkLine, { props: { rates: [0.5, 0.51] } })
        .get('path')
        .attributes('d'),
    ).toBe('M4 13.5L92 12.6'))
  it('says that one run is no trend', () =>
    expect(mount(SparkLine, { props: { rates: [0.5] } }).text()).toBe('no trend yet'))
})

it('ChartPanel shows the table behind the chart in its place', async () => {
  const panel = mount(ChartPanel, {
    props: { title: 'Runs', height: 80 },
    slots: { default: '<b>chart</b>', table: '<table><tbody><tr><td>1</td></tr></tbody></table>' },
  })
  expect(panel.find('b').exists()).toBe(true)
  await panel.get('button').trigger('click')
  expect([panel.get('button').attributes('aria-pressed'), panel.find('b').exists()]).toEqual(['true', false])
  expect(panel.get('[role=region]').attributes()).toMatchObject({ 'aria-label': 'Runs as a table', tabindex: '0' })
  expect(panel.find('table').exists()).toBe(true)
})

describe('the words of a trend', () => {
  const asPercent = (value: number) => `${(value * 100).toFixed(1)}%`
  it('are one sentence for the whole', () => {
    const points = [point('1', 0.4), point('2', 0.9, true), point('3', 0.6), point('4', null), point('5', 0.5)]
    expect(trendWords('Pass rate', points, 0.4, [{ run_id: '3', before: 0.4, after: 0.55 }], asPercent, 'UTC')).toBe(
      'Pass rate of 3 like runs from 1 Mar 2026 to 5 Mar 2026: 40.0% at first, 50.0% now, between 40.0% and 60.0%; baseline 40.0%; 1 change of the level; not recorded by 1 run; 1 partial run off the line',
    )
    const judged = points.map((each) => ({ ...each, judge: each.id === '3' ? 'judge changed (model)' : undefined }))
    expect(trendWords('Pass rate', judged, null, [], asPercent, 'UTC')).toContain('60.0%; the judge changed once; not')
    const checked = points.map((each) =>
      each.id === '3' ? { ...each, people: { value: 0.7, lower: 0.6, upper: 0.8 } } : each,
    )
    expect(trendWords('Pass rate', checked, null, [], asPercent, 'UTC')).toContain(
      '; people would pass 70.0% of the newest run that they checked',
    )
    expect(trendWords('Score', [], null, [], String, 'UTC')).toBe('No run to show.')
  })
})

describe('an axis', () => {
  it.each([
    [[0.206, 0.087], 1, [0, 0.1, 0.2, 0.3]],
    [[2_100, 850], 1, [0, 1_000, 2_000, 3_000]],
    [[620_000], 60_000, [0, 300_000, 600_000, 900_000]],
    [[-0.4, 0.5], 1, [-0.4, -0.2, 0, 0.2, 0.4, 0.6]],
    [[], 1, [0, 0.2, 0.4, 0.6, 0.8, 1]],
    [[0], 1, [0, 0.2, 0.4, 0.6, 0.8, 1]],
  ])('of %j has round steps from 0', (values, unit, ticks) => {
    const axis = roundAxis(values, unit)
    expect(axis.ticks).toEqual(ticks.map((tick) => expect.closeTo(tick, 9) as number))
    expect([axis.from, axis.to]).toEqual([axis.ticks[0], axis.ticks.at(-1)])
  })
})

it('a line has gaps where nothing is known', () => {
  expect(stretches([1, null, null, 2, 3, null], (value) => value === null)).toEqual([[1], [2, 3]])
  const begins = (value: number | null) => value === 3 || value === 5
  expect(stretches([1, 2, 3, 4, null, 5], (value) => value === null, begins)).toEqual([[1, 2], [3, 4], [5]])
})
