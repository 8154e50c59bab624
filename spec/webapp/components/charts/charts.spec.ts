import { mount } from '@vue/test-utils'
import { describe, expect, it } from 'vitest'
import ChartPanel from '../../../../webapp/components/charts/ChartPanel.vue'
import SparkLine from '../../../../webapp/components/charts/SparkLine.vue'
import { pointWords, trendWords, type TrendPoint } from '../../../../webapp/components/charts/trend.ts'

const point = (id: string, passed: number, partial = false): TrendPoint => ({
  id,
  created_at: `2026-03-0${id}T10:00:00Z`,
  name: `run ${id}`,
  passed,
  total: 10,
  rate: passed / 10,
  lower: 0.1,
  upper: 0.9,
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
  it('are the exact values of a point', () => {
    expect(pointWords(point('1', 4))).toBe('4 of 10 passed, 40.0%; 95% interval 10.0% to 90.0%')
    expect(pointWords({ ...point('1', 0), total: 0 })).toBe('no cases')
  })
  it('are one sentence for the whole', () => {
    const points = [point('1', 4), point('2', 9, true), point('3', 6), point('4', 5)]
    expect(trendWords(points, 0.4, [{ run_id: '3', before: 0.4, after: 0.55 }], 'UTC')).toBe(
      'Pass rate of 3 like runs from 1 Mar 2026 to 4 Mar 2026: 40.0% at first, 50.0% now, between 40.0% and 60.0%; baseline 40.0%; 1 change of the level; 1 partial run off the line',
    )
    expect(trendWords([], null, [], 'UTC')).toBe('No run to show.')
  })
})
