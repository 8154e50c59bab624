import { mount } from '@vue/test-utils'
import { describe, expect, it } from 'vitest'
import { ApiError } from '../../../webapp/api/api.ts'
import ErrorState from '../../../webapp/components/states/ErrorState.vue'
import LoadingState from '../../../webapp/components/states/LoadingState.vue'
import { passRate } from '../../../domain/statistics/statistics.ts'
import RateBar from '../../../webapp/components/RateBar.vue'
import RelativeTime from '../../../webapp/components/RelativeTime.vue'
import SnippetText from '../../../webapp/components/text/SnippetText.vue'
import StatusBar from '../../../webapp/components/StatusBar.vue'
import StatusGlyph from '../../../webapp/components/StatusGlyph.vue'
import UnknownValue from '../../../webapp/components/UnknownValue.vue'

const none = { pass: 0, fail: 0, error: 0, skip: 0, xfail: 0, xpass: 0 }

describe('RateBar', () => {
  it('shows the pass rate and its interval, as a bar and in words', () => {
    const bar = mount(RateBar, { props: passRate(11, 40) })
    expect(bar.text()).toContain('27.5%')
    expect(bar.get('title').text()).toBe('11 of 40 passed; 95% interval 16.1% to 42.8%')
    expect(bar.get('.f-pass').attributes('width')).toBe('36.3')
    expect(bar.get('.whiskers').attributes('d')).toBe('M21.3 7H56.5M21.3 3v8M56.5 3v8')
  })
  it('shows no rate for a run without cases', () =>
    expect(mount(RateBar, { props: passRate(0, 0) }).text()).toBe('no cases'))
})

describe('StatusBar', () => {
  it('has a part for each status with cases, sized by their number', () => {
    const bar = mount(StatusBar, { props: { counts: { ...none, pass: 11, skip: 1200 } } })
    expect(bar.findAll('i').map((part) => [part.classes()[0], part.attributes('style')])).toEqual([
      ['b-pass', expect.stringContaining('flex-grow: 11')],
      ['b-skip', expect.stringContaining('flex-grow: 1200')],
    ])
    expect(bar.attributes('aria-label')).toBe('11 pass, 1,200 skip')
  })
  it('says that there are no cases', () =>
    expect(mount(StatusBar, { props: { counts: none } }).attributes('aria-label')).toBe('no cases'))
})

it('StatusGlyph contains its word for screen readers even if bare', () => {
  expect(mount(StatusGlyph, { props: { status: 'xpass' } }).text()).toBe('Unexpected pass')
  expect(
    mount(StatusGlyph, { props: { status: 'fail', bare: true } })
      .get('.sr')
      .text(),
  ).toBe('Fail')
})

it('UnknownValue is a visible dash with words for screen readers', () => {
  const value = mount(UnknownValue)
  expect([value.get('[aria-hidden]').text(), value.get('.sr').text()]).toEqual(['–', 'not recorded'])
  expect(mount(UnknownValue, { props: { full: true } }).text()).toBe('not recorded')
})

it('RelativeTime contains the exact time', () => {
  const time = mount(RelativeTime, { props: { time: '2020-03-12T12:58:00+00:00' } })
  expect(time.attributes('datetime')).toBe('2020-03-12T12:58:00.000Z')
  expect(time.attributes('title')).toMatch(/^2020-03-12 12:58:00 UTC/)
  expect(time.text()).toMatch(/^2020-03-12 \(2020-03-12 12:58:00 UTC/)
})

describe('ErrorState', () => {
  it('shows what failed, why, the request id and a retry button', async () => {
    const state = mount(ErrorState, {
      props: {
        title: 'The runs could not be loaded',
        error: new ApiError(503, 'the store is busy', 'request-7'),
        stale: true,
      },
    })
    expect(state.text()).toContain('The server answered 503: the store is busy. The page still shows the earlier data.')
    expect(state.text()).toContain('Request request-7')
    await state.get('button').trigger('click')
    expect(state.emitted('retry')).toHaveLength(1)
  })
  it('says that the server could not be reached', () =>
    expect(mount(ErrorState, { props: { title: 'x', error: new ApiError(0, '', null) } }).text()).toContain(
      'The server could not be reached.',
    ))
})

it('LoadingState has the given number of rows', () =>
  expect(mount(LoadingState, { props: { what: 'runs', rows: 3 } }).findAll('.line')).toHaveLength(3))

it('SnippetText marks matched words and escapes the rest', () => {
  const snippet = mount(SnippetText, { props: { text: '<b>\ue000Dijkstra\ue001 & \ue000co\ue001' } })
  expect(snippet.findAll('mark').map((mark) => mark.text())).toEqual(['Dijkstra', 'co'])
  expect(snippet.text()).toBe('<b>Dijkstra & co')
})
