import { mount } from '@vue/test-utils'
import { describe, expect, it } from 'vitest'
import { createMemoryHistory, createRouter } from 'vue-router'
import type { RunListItem } from '../../../../queries/runs/run-list.ts'
import RunRow from '../../../../webapp/pages/runs/RunRow.vue'

const RUN: RunListItem = {
  id: '01H905PR687A9F6D68P8XN6X8Q',
  project: 'agbenchmark',
  suite: 'beebot',
  created_at: '2026-03-12T08:44:40Z',
  git_branch: 'main',
  git_commit: '59d4e93c1336',
  git_dirty: false,
  case_count: 40,
  pass_count: 10,
  fail_count: 9,
  error_count: 0,
  xfail_count: 0,
  xpass_count: 0,
  pass_rate: 0.25,
  prompt_tokens: 0,
  completion_tokens: 0,
  cost_usd: null,
  duration_ms: 0,
  cache_hits: 0,
  cache_misses: 40,
  actor: null,
  host: null,
  uploaded_at: '2026-03-12T09:00:00Z',
  uploaded_by: 'ci',
  ci_provider: 'github',
  ci_run_url: 'https://ci.example/7',
  note: 'beebot daily',
  service_version: null,
  tags: [],
}
const router = createRouter({
  history: createMemoryHistory(),
  routes: [
    { path: '/', component: RunRow },
    { path: '/runs/:id', name: 'run', component: RunRow },
  ],
})
const row = (run: Partial<RunListItem> = {}) =>
  mount(RunRow, {
    props: { run: { ...RUN, ...run }, selected: false, current: false, hidden: new Set<string>() },
    global: { plugins: [router] },
  })
const cells = (wrapper: ReturnType<typeof row>): string[] =>
  wrapper.findAll('td').map((cell) => cell.text().replace(/\s+/g, ' '))

describe('the row of a run', () => {
  it('shows its name, its cases and its origin', () => {
    const texts = cells(row())
    expect(texts[1]).toContain('beebot daily')
    expect(texts[1]).toContain('agbenchmark / beebot')
    expect(texts.slice(7, 11)).toEqual(['10', '9', '0', '21'])
    expect(texts[3]).toContain('main @ 59d4e93c')
  })
  it('shows unknown values as not recorded', () =>
    expect(cells(row()).slice(11, 14)).toEqual(['–not recorded', '–not recorded', '–not recorded']))
  it('shows a cost of zero as zero', () => expect(cells(row({ cost_usd: 0 }))[11]).toBe('$0.00'))
  it('shows its first model, how many others there are, and all on demand', () => {
    expect(cells(row())[2]).toBe('–not recorded')
    expect(cells(row({ providers: ['gpt-4o'], provider_count: 1 }))[2]).toBe('gpt-4o')
    const two = row({ providers: ['gpt-4o', 'claude'], provider_count: 12 })
    expect(cells(two)[2]).toBe('gpt-4o+11')
    expect(two.get('td.model .cut').attributes('title')).toBe('gpt-4o, claude')
  })
  it('shows when it was uploaded in place of when it finished, where the list is sorted by that', async () => {
    const shown = row()
    const finished = shown.get('td.when').html()
    await shown.setProps({ byUpload: true })
    expect(shown.get('td.when').html()).not.toBe(finished)
  })
  it('shows counts that have no column of their own', () =>
    expect(cells(row({ xfail_count: 2, xpass_count: 1, empty_count: 3 }))[1]).toContain(
      '2 expected to fail · 1 passed unexpectedly · 3 empty',
    ))
  it('links to the CI job only if its address is http or https', () => {
    expect(row().get('a.link').attributes()).toMatchObject({ href: 'https://ci.example/7', rel: 'noopener noreferrer' })
    const hostile = row({ ci_run_url: 'javascript:alert(1)' })
    expect(hostile.find('a.link').exists()).toBe(false)
    expect(hostile.text()).toContain('github')
  })
  it('has no link if the browser would drop its id from an address', () => {
    expect(row().find('td.name a').exists()).toBe(true)
    for (const id of ['.', '..']) {
      const old = row({ id })
      expect(old.find('td.name a').exists()).toBe(false)
      expect(old.get('td.name').text()).toContain('beebot daily')
    }
  })
  it('shows a note as plain text', () => {
    const hostile = row({ note: '<script>alert(1)</script><img src=x onerror=alert(1)>' })
    expect(hostile.find('script, img').exists()).toBe(false)
    expect(hostile.text()).toContain('<script>alert(1)</script>')
  })
})
