import { describe, expect, it } from 'vitest'
import { useStored } from '../../../webapp/composables/use-stored.ts'

const otherWindow = (key: string, value: string): void => {
  localStorage.setItem(key, value)
  window.dispatchEvent(new StorageEvent('storage', { key, newValue: value }))
}

describe('a choice that the browser remembers', () => {
  it('is one value for all that use its name, and stays in the browser', () => {
    const [first, second] = [useStored('spec.a', { x: 1 }), useStored('spec.a', { x: 1 })]
    first.value = { x: 2 }
    expect([second.value, localStorage.getItem('spec.a')]).toEqual([{ x: 2 }, '{"x":2}'])
    expect(useStored('spec.a', { x: 1 }).value).toEqual({ x: 2 })
  })

  it('follows a change in another window', () => {
    const open = useStored('spec.b', false)
    otherWindow('spec.b', 'true')
    expect(open.value).toBe(true)
  })

  it('is text as it is, and the initial value where nothing or no JSON is stored', () => {
    localStorage.setItem('spec.c', 'side')
    localStorage.setItem('spec.d', '{')
    expect([useStored('spec.c', 'one').value, useStored('spec.d', 5).value, useStored('spec.e', 6).value]).toEqual([
      'side',
      5,
      6,
    ])
  })
})
