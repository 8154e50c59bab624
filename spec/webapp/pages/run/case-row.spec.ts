import { mount } from '@vue/test-utils'
import { describe, expect, it } from 'vitest'
import { createMemoryHistory, createRouter } from 'vue-router'
import type { CaseListRow } from '../../../../queries/cases/case-rows.ts'
import CaseRow from '../../../../webapp/pages/run/cases/CaseRow.vue'

const CASE: CaseListRow = {
  case_key: '71eb248685caf95b',
  idx: 0,
  test_id: 'airline/06',
  name: 'Book the cheapest flight',
  status: 'pass',
  score: 1,
  cached: false,
  provider_id: 'gpt-4o',
  prompt_id: 'terse',
  repeat: 0,
  output_preview: 'Booked.',
  error: null,
  asserts: [],
  latency_ms: 2_100,
  error_class: null,
  stop_reason: null,
  prompt_tokens: 610,
  completion_tokens: 9,
  cost_usd: 0.0042,
  call: null,
  reason: null,
}
const router = createRouter({
  history: createMemoryHistory(),
  routes: [
    { path: '/', component: CaseRow },
    { path: '/runs/:id/cases/:case_key', name: 'case', component: CaseRow },
  ],
})
const row = (
  item: Partial<CaseListRow> = {},
  manyColumns = false,
  hidden: readonly string[] = [],
  apart: { trials?: boolean; sharedName?: boolean } = {},
) =>
  mount(CaseRow, {
    props: {
      item: { ...CASE, ...item },
      index: 0,
      current: false,
      active: false,
      runId: 'run-1',
      query: { status: 'fail' },
      manyColumns,
      hidden: new Set(hidden),
      fields: ['var.city'],
      trials: false,
      sharedName: false,
      ...apart,
    },
    global: { plugins: [router] },
  })
type Row = ReturnType<typeof row>
/** The two lines of a cell. */
const lines = (wrapper: Row, cell: '.c' | '.o'): string[] =>
  ['.l1', '.l2'].map((line) => wrapper.get(`td${cell} ${line}`).text())

describe('the row of a case', () => {
  it('shows the call of a case that only called tools', () => {
    const call = 'book_flight(from: "NYC", to: "SFO") +2'
    const called = row({ output_preview: '', empty_reason: 'tool_use_only', call })
    expect(lines(called, '.o')).toEqual([call, ''])
    expect(called.text()).not.toContain('empty')
  })

  it('shows the reason of a failed case that only called tools', () =>
    expect(
      lines(
        row({
          status: 'fail',
          output_preview: null,
          empty_reason: 'tool_use_only',
          call: 'search(from: "ATL")',
          reason: 'The wrong airport was searched.',
        }),
        '.o',
      ),
    ).toEqual(['search(from: "ATL")', 'The wrong airport was searched.']))

  it('shows why an output is empty if there is no call', () =>
    expect(lines(row({ output_preview: '', empty_reason: 'content_filter' }), '.o')).toEqual([
      '',
      'empty: content filter',
    ]))

  it('shows the output of a case that has both an output and a call', () =>
    expect(lines(row({ call: 'search()' }), '.o')).toEqual(['Booked.', '']))

  const rubric = { label: 'llm-rubric', kind: 'llm-rubric', passed: false, score: 0 }
  const found = { label: 'contains', kind: 'contains', passed: true, score: 1 }
  it('shows the reason of a failed case, not the names of its assertions', () => {
    const failed = row({ status: 'fail', score: 0, asserts: [rubric], reason: 'The answer is impolite.' })
    expect(lines(failed, '.o')).toEqual(['Booked.', 'The answer is impolite.'])
    expect(failed.text()).not.toContain('failed llm-rubric')
  })

  it('names each failed assertion once if a failed case has no reason', () =>
    expect(lines(row({ status: 'fail', asserts: [rubric, rubric, found] }), '.o')[1]).toBe('failed llm-rubric'))

  it('shows an error before any reason', () =>
    expect(
      lines(
        row({ status: 'error', error: 'the provider gave no content', error_class: 'provider_protocol', reason: 'x' }),
        '.o',
      )[1],
    ).toBe('provider_protocol: the provider gave no content'))

  it('shows provider and prompt only in a run with several columns', () => {
    expect(lines(row({}, true), '.c')).toEqual(['Book the cheapest flight', 'gpt-4o · terse · airline/06'])
    expect(lines(row({}, false), '.c')).toEqual(['Book the cheapest flight', 'airline/06'])
    expect(lines(row({ prompt_id: null, repeat: 2 }, true), '.c')[1]).toBe('gpt-4o · airline/06 · trial 3')
    const cells = (wrapper: Row) => wrapper.findAll('td').map((cell) => cell.text())
    expect(cells(row({}, true))).toContain('gpt-4o · terse')
    expect(cells(row({}, false))).not.toContain('gpt-4o · terse')
  })

  it('says which trial of a test it is', () => {
    expect(row({ repeat: 2 }).get('.mark').text()).toBe('trial 3')
    expect(row().find('.mark').exists()).toBe(false)
    expect(row({}, false, [], { trials: true }).get('.mark').text()).toBe('trial 1')
  })

  it('has the id of its test, else its key, where another test has the same name', () => {
    const apart = { sharedName: true }
    expect(row({}, false, [], apart).get('.mark').text()).toBe('airline/06')
    const madeOfInputs = row({ test_id: 'vars-0123456789ab', repeat: 1 }, false, [], apart)
    expect(madeOfInputs.get('.mark').text()).toBe('71eb2486 · trial 2')
    expect(lines(madeOfInputs, '.c')[1]).toBe('71eb2486 · trial 2')
  })

  it('does not repeat the id of a test that is its name', () =>
    expect(lines(row({ name: null }), '.c')).toEqual(['airline/06', '']))

  it('links to the case, within the filters', () =>
    expect(row().get('a').attributes('href')).toBe('/runs/run-1/cases/71eb248685caf95b?status=fail'))

  it('leaves out hidden columns, and shows unknown values as not recorded', () => {
    const cells = (wrapper: Row): string[] => wrapper.findAll('td.n').map((cell) => cell.text().replace(/\s+/g, ' '))
    expect(cells(row())).toEqual(['score 1.0', '619', '$0.0042', '2.1 s'])
    expect(cells(row({}, false, ['score', 'cost']))).toEqual(['619', '2.1 s'])
    expect(cells(row({ cost_usd: null, latency_ms: 0, prompt_tokens: null, completion_tokens: null }))).toEqual([
      'score 1.0',
      ...Array<string>(3).fill('–not recorded'),
    ])
  })

  it('shows hostile text as text, with its invisible characters marked', () => {
    const hostile = row({ name: '<img src=x>\u202e', output_preview: '<script>1</script>' })
    expect(hostile.find('img, script').exists()).toBe(false)
    expect(lines(hostile, '.c')[0]).toBe('<img src=x>⟨U+202E⟩')
    expect(lines(hostile, '.o')[0]).toBe('<script>1</script>')
  })
})
