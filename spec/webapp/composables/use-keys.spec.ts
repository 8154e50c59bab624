import { mount } from '@vue/test-utils'
import { beforeEach, describe, expect, it } from 'vitest'
import { defineComponent, h } from 'vue'
import { useKeyList, useKeys } from '../../../webapp/composables/use-keys.ts'

let pressed: string[]
beforeEach(() => (pressed = []))

const binding = (name: string) => ({ does: name, run: () => void pressed.push(name) })
const page = (bindings: Parameters<typeof useKeys>[0], body = '', alone?: () => boolean) =>
  mount(defineComponent({ setup: () => (useKeys(bindings, alone), () => h('div', { innerHTML: body })) }), {
    attachTo: document.body,
  })
const press = (key: string, init: KeyboardEventInit = {}, on: EventTarget = document.body): boolean =>
  on.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true, ...init }))

describe('keys', () => {
  it('do what they are bound to, and the browser does nothing besides', () => {
    page({ j: binding('next') })
    expect(press('j')).toBe(false)
    expect(press('k')).toBe(true)
    expect(pressed).toEqual(['next'])
  })
  it('come in pairs', () => {
    page({ 'g r': binding('go to runs'), r: binding('r alone') })
    for (const key of ['g', 'r', 'r']) press(key)
    expect(pressed).toEqual(['go to runs', 'r alone'])
  })
  it('are off while one types, and with a modifier', () => {
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
  it('leave Enter to the link or button that has the focus', () => {
    page({ Enter: binding('open') }, '<a href="#x">x</a><p>y</p>')
    press('Enter', {}, document.querySelector('a') ?? document)
    expect(pressed).toEqual([])
    press('Enter', {}, document.querySelector('p') ?? document)
    expect(pressed).toEqual(['open'])
  })
  it('go to what was opened last, and back to what is beneath when that goes', () => {
    page({ Escape: binding('clear') })
    const drawer = page({ Escape: binding('close') })
    press('Escape')
    drawer.unmount()
    press('Escape')
    expect(pressed).toEqual(['close', 'clear'])
  })
  it('of the page are not heard beneath what stands alone, but for help and the theme', () => {
    page({ x: binding('select'), 'g r': binding('go to runs'), '?': binding('help') })
    let covers = true
    page({ j: binding('next') }, '', () => covers)
    for (const key of ['x', 'g', 'r', 'j', '?']) press(key)
    expect(pressed).toEqual(['next', 'help'])
    covers = false
    press('x')
    expect(pressed).toEqual(['next', 'help', 'select'])
  })
  it('are left to a modal dialog', () => {
    page({ j: binding('next') }, '<div role="dialog" data-modal></div>')
    press('j')
    expect(pressed).toEqual([])
  })
  it('can be turned off, but for Escape', () => {
    page({ j: binding('next'), Escape: binding('close') })
    const { enable } = useKeyList()
    enable(false)
    press('j')
    press('Escape')
    enable(true)
    press('j')
    expect(pressed).toEqual(['close', 'next'])
  })
  it('are listed by what they do, each once', () => {
    page({
      j: binding('next'),
      ArrowDown: binding('next'),
      'g r': binding('go to runs'),
      x: { ...binding('secret'), hidden: true },
    })
    expect(useKeyList().list.value).toEqual([
      { does: 'next', keys: ['j', 'ArrowDown'] },
      { does: 'go to runs', keys: ['g r'] },
    ])
  })
})
