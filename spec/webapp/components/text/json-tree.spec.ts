import { mount } from '@vue/test-utils'
import { describe, expect, it } from 'vitest'
import JsonTree from '../../../../webapp/components/text/JsonTree.vue'
import { ExactNumber } from '../../../../webapp/text/exact-json.ts'

const tree = (value: unknown) => mount(JsonTree, { props: { value } })

describe('JsonTree', () => {
  it.each([
    ['text', 'text', 'string'],
    [0, '0', 'number'],
    [false, 'false', 'boolean'],
    [null, 'null', 'null'],
    [new ExactNumber('12345678901234567890'), '12345678901234567890', 'number'],
  ])('shows the value %j', (value, text, kind) => expect(tree(value).get(`.${kind}`).text()).toBe(text))

  it('distinguishes an empty list from an empty object', () =>
    expect([tree([]).text(), tree({}).text()]).toEqual(['[]', '{}']))

  it('is open near its root; deeper branches open on demand', async () => {
    const deep = tree({ a: { b: { c: 'deepest' } } })
    expect(deep.text()).not.toContain('deepest')
    await deep.findAll('button').at(-1)?.trigger('click')
    expect(deep.text()).toContain('c')
    expect(deep.text()).toContain('deepest')
  })

  it('renders the members of a long list in batches', async () => {
    const long = tree(Array.from({ length: 5_000 }, (_, n) => n))
    expect(long.findAll('.leaf')).toHaveLength(0)
    await long.get('button').trigger('click')
    expect(long.findAll('.leaf')).toHaveLength(100)
    await long.findAll('button').at(-1)?.trigger('click')
    expect(long.findAll('.leaf')).toHaveLength(300)
  })

  it('shows the beginning of a long text, and the rest on demand', async () => {
    const long = tree('x'.repeat(1_000))
    expect(long.get('.string').text()).toHaveLength(400)
    await long.get('button').trigger('click')
    expect(long.get('.string').text()).toHaveLength(1_000)
  })

  it('never interprets stored text as markup', () => {
    const hostile = tree({ '<b>': '<img src=x>' })
    expect(hostile.find('img').exists() || hostile.find('b').exists()).toBe(false)
    expect(hostile.text()).toContain('<img src=x>')
  })
})
