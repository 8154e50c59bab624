import { mount } from '@vue/test-utils'
import { beforeEach, describe, expect, it } from 'vitest'
import { defineComponent, h } from 'vue'
import { useKeyList, useKeys } from '../../../webapp/composables/use-keys.ts'

let pressed: string[]
beforeEach(() => (pressed = []))

const binding = (name: string) => ({ does: name, run: () => void pressed.push(name) })
const page = (bindings: Parameters<typeof useKeys>[0], body = '', isExclusive?: () => boolean) =>
  mount(defineComponent({ setup: () => (useKeys(bindings, isExclusive), () => h('div', { innerHTML: body })) }), {
    attachTo: document.body,
  })
const press = (key: string, init: KeyboardEventInit = {}, target: EventTarget = document.body): boolean =>
  target.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true, ...init }))

describe('useKeys', () => {
  it('runs the action of a bound key and prevents the default', () => {
    page({ j: binding('next') })
    expect(press('j')).toBe(false)
    expect(press('k')).toBe(true)
    expect(pressed).toEqual(['next'])
  })
  it('supports sequences of two keys', () => {
    page({ 'g r': binding('go to runs'), r: binding('r alone') })
    for (const key of ['g', 'r', 'r']) press(key)
    expect(pressed).toEqual(['go to runs', 'r alone'])
  })
  it('ignores keys in text fields and with a modifier', () => {
    page(
      { j: binding('next') },
      '<input><textarea></textarea><input type="checkbox"><div contenteditable="true"></div>',
    )
    for (const field of document.querySelectorAll('input:not([type]), textarea')) press('j', {}, field)
    press('j', { ctrlKey: true })
    press('j', { metaKey: true })
    expect(pressed).toEqual([])
    press('j', {}, document.querySelector('[type=checkbox]') ?? document)
    expect(pressed).toEqual(['next'])
  })
  it('leaves Enter to a focused link or button', () => {
    page({ Enter: binding('open') }, '<a href="#x">x</a><p>y</p>')
    press('Enter', {}, document.querySelector('a') ?? document)
    expect(pressed).toEqual([])
    press('Enter', {}, document.querySelector('p') ?? document)
    expect(pressed).toEqual(['open'])
  })
  it('prefers the newest layer until it closes', () => {
    page({ Escape: binding('clear') })
    const drawer = page({ Escape: binding('close') })
    press('Escape')
    drawer.unmount()
    press('Escape')
    expect(pressed).toEqual(['close', 'clear'])
  })
  it('blocks keys below an exclusive layer, except for help', () => {
    page({ x: binding('select'), 'g r': binding('go to runs'), '?': binding('help') })
    let covers = true
    page({ j: binding('next') }, '', () => covers)
    for (const key of ['x', 'g', 'r', 'j', '?']) press(key)
    expect(pressed).toEqual(['next', 'help'])
    covers = false
    press('x')
    expect(pressed).toEqual(['next', 'help', 'select'])
  })
  it('ignores keys while a modal dialog is open', () => {
    page({ j: binding('next') }, '<div role="dialog" data-modal></div>')
    press('j')
    expect(pressed).toEqual([])
  })
  it('can turn off all keys except Escape', () => {
    page({ j: binding('next'), Escape: binding('close') })
    const { enable } = useKeyList()
    enable(false)
    press('j')
    press('Escape')
    enable(true)
    press('j')
    expect(pressed).toEqual(['close', 'next'])
  })
  it('lists the keys by action, each action once', () => {
    page({
      j: binding('next'),
      ArrowDown: binding('next'),
      'g r': binding('go to runs'),
      x: { ...binding('secret'), hidden: true },
    })
    expect(useKeyList().list.value.map(({ does, keys }) => ({ does, keys }))).toEqual([
      { does: 'next', keys: ['j', 'ArrowDown'] },
      { does: 'go to runs', keys: ['g r'] },
    ])
  })
})
