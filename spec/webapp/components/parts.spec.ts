import { mount } from '@vue/test-utils'
import { describe, expect, it } from 'vitest'
import { ApiError } from '../../../webapp/api/api.ts'
import ErrorState from '../../../webapp/components/states/ErrorState.vue'
import LoadingState from '../../../webapp/components/states/LoadingState.vue'
import RateBar from '../../../webapp/components/RateBar.vue'
import RelativeTime from '../../../webapp/components/RelativeTime.vue'
import SnippetText from '../../../webapp/components/text/SnippetText.vue'
import StatusBar from '../../../webapp/components/StatusBar.vue'
import StatusGlyph from '../../../webapp/components/StatusGlyph.vue'
import UnknownValue from '../../../webapp/components/UnknownValue.vue'

const none = { pass: 0, fail: 0, error: 0, skip: 0, xfail: 0, xpass: 0 }

describe('a pass rate', () => {
  it('stands with its interval, in a picture and in words', () => {
    const bar = mount(RateBar, { props: { passed: 11, total: 40 } })
    expect(bar.text()).toContain('27.5%')
    expect(bar.get('title').text()).toBe('11 of 40 passed; 95% interval 16.1% to 42.8%')
    expect(bar.get('.f-pass').attributes('width')).toBe('36.3')
    expect(bar.get('.whiskers').attributes('d')).toBe('M21.3 7H56.5M21.3 3v8M56.5 3v8')
  })
  it('of no cases is no rate', () => expect(mount(RateBar, { props: { passed: 0, total: 0 } }).text()).toBe('no cases'))
})

describe('the bar of statuses', () => {
  it('has a part for each status there is, as long as it counts', () => {
    const bar = mount(StatusBar, { props: { counts: { ...none, pass: 11, skip: 1200 } } })
    expect(bar.findAll('i').map((part) => [part.classes()[0], part.attributes('style')])).toEqual([
      ['b-pass', expect.stringContaining('flex-grow: 11')],
      ['b-skip', expect.stringContaining('flex-grow: 1200')],
    ])
    expect(bar.attributes('aria-label')).toBe('11 pass, 1,200 skip')
  })
  it('says when there is nothing', () =>
    expect(mount(StatusBar, { props: { counts: none } }).attributes('aria-label')).toBe('no cases'))
})

it('a status is a glyph and a word; where it stands bare its word is still read', () => {
  expect(mount(StatusGlyph, { props: { status: 'xpass' } }).text()).toBe('Unexpected pass')
  expect(
    mount(StatusGlyph, { props: { status: 'fail', bare: true } })
      .get('.sr')
      .text(),
  ).toBe('Fail')
})

it('the unknown is a dash to the eye and words to readers of screens', () => {
  const value = mount(UnknownValue)
  expect([value.get('[aria-hidden]').text(), value.get('.sr').text()]).toEqual(['–', 'not recorded'])
  expect(mount(UnknownValue, { props: { full: true } }).text()).toBe('not recorded')
})

it('a time carries the exact one', () => {
  const time = mount(RelativeTime, { props: { at: '2020-03-12T12:58:00+00:00' } })
  expect(time.attributes('datetime')).toBe('2020-03-12T12:58:00.000Z')
  expect(time.attributes('title')).toMatch(/^2020-03-12 12:58:00 UTC/)
  expect(time.text()).toMatch(/^2020-03-12 \(2020-03-12 12:58:00 UTC/)
})

describe('an error', () => {
  it('says what failed and why, gives the request id, and can be tried again', async () => {
    const state = mount(ErrorState, {
      props: {
        title: 'The runs could not be loaded',
        error: new ApiError(503, 'the store is busy', 'request-7'),
        stale: true,
      },
    })
    expect(state.text()).toContain(
      'The server answered 503: the store is busy. The data shown before stays on the page.',
    )
    expect(state.text()).toContain('Request request-7')
    await state.get('button').trigger('click')
    expect(state.emitted('retry')).toHaveLength(1)
  })
  it('without an answer says so', () =>
    expect(mount(ErrorState, { props: { title: 'x', error: new ApiError(0, '', null) } }).text()).toContain(
      'The server could not be reached.',
    ))
})

it('what is loading has as many rows as asked for', () =>
  expect(mount(LoadingState, { props: { what: 'runs', rows: 3 } }).findAll('.line')).toHaveLength(3))

it('matched words are marked, and all else is text', () => {
  const snippet = mount(SnippetText, { props: { text: '<b>\ue000Dijkstra\ue001 & \ue000co\ue001' } })
  expect(snippet.findAll('mark').map((mark) => mark.text())).toEqual(['Dijkstra', 'co'])
  expect(snippet.text()).toBe('<b>Dijkstra & co')
})
